#pragma once
/// \file How a training stands, as a value: of one under way, of one that ended, and of one that is
/// known by what it left behind.

#include "core/training/train_model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// `Elsewhere`: another process trains it.
enum class TrainingState : std::uint8_t { Waiting, Running, Stopped, Failed, Finished, Elsewhere };
const char* name(TrainingState state);

struct TrainingCourse {
  TrainingState state = TrainingState::Waiting;
  TrainingPhase phase = TrainingPhase::Reading; // while it runs
  double read = 0;                              // share of the records, while it reads
  TrainingProgress progress = {};
  std::optional<DataSurvey> data = {}; // what is in its parts, once they are read
  std::vector<EpochResult> curve = {}; // with the epochs before it was gone on with
  std::vector<std::string> warnings = {};
  std::string problem = {};                    // why it failed
  std::string trainer = {};                    // of Elsewhere: which process
  bool kept = false;                           // a checkpoint is there, to go on from
  std::shared_ptr<const ModelFile> model = {}; // what came out, without its bytes
};

/// Of a training that this process did not see: by the model's file, or by the checkpoint and the
/// wish beside it. One that another process is at has the curve of its epochs so far. One that
/// cannot be read failed, with the reason. `wish` is the one to train it again, as far as the files
/// say it.
struct PastTraining {
  ModelWish wish;
  TrainingCourse course;
};
PastTraining pastTraining(const std::string& model);

/// The wish by which such a model is trained again, with what differs from publishedOptions(), or
/// from fineTuneOptions(), as its options. The model that it went on from may have gone since. Not
/// known are threads, what else was kept, and of files of earlier versions the model that they went
/// on from and masked labels.
ModelWish wishOf(const ModelFile& file);

} // namespace nestwright
