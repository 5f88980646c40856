#pragma once
/// \file From a wish to a trained model: reads the records, splits them, looks for leaks, trains,
/// and judges what came out on the parts that it did not learn from.

#include "core/dataset/data_survey.h"
#include "core/dataset/model_file.h"
#include "core/dataset/network_tasks.h"
#include "core/dataset/recorded_data.h"
#include "core/learn/train.h"
#include "core/training/model_wish.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright {

/// What a training does.
enum class TrainingPhase : std::uint8_t { Reading, Training, Judging };
const char* name(TrainingPhase phase);

/// The data of a training, read, split and looked through for leaks.
struct TrainingFacts {
  const RecordedData& data;
  const DataParts& parts;
  DataSurvey survey;
  std::vector<ModelTarget> targets; // one a head, the model's own first
};

/// Who is told, on the thread that trains. Each may be empty.
struct ModelObserver {
  /// What begins now, or which share of it is done; of reading alone.
  std::function<void(TrainingPhase, double)> phase;
  std::function<void(const TrainingFacts&)> dataReady;     // nothing stands where it should not
  std::function<void(const TrainingProgress&)> progressed; // some times a second
  std::function<void(const EpochResult&)> epochEnded;      // once its checkpoint is written
  std::function<void(const std::string&)> warned;          // of what the data does not fit
};

/// Records that were read for a training; they serve any number of others with the same files,
/// targets and features.
struct TrainingRecords {
  RecordedData data;
  std::vector<NetworkTasks> heldOut;
};

/// Reads what a wish needs: the rows that its model reads, of its target and of those that help.
/// Throws what readData() and networkTasks() throw, and LearnerStopped.
TrainingRecords readRecords(const ModelWish& wish, const ModelObserver& observer = {},
                            std::stop_token stop = {});

/// Trains the model that is wished for. A network goes on from its checkpoint, where that is asked
/// for, and ends in the bits in which it would have ended. Throws UsageError for a wish that cannot
/// be; InputError for data that cannot be learned from (requireUsable(), samplesOf()); what train()
/// throws; and LearnerStopped within a second of being stopped, when nothing is lost but the epoch
/// under way.
ModelFile trainModel(const ModelWish& wish, const ModelObserver& observer = {},
                     std::stop_token stop = {});
/// The same from records that were read before.
ModelFile trainModel(const TrainingRecords& records, const ModelWish& wish,
                     const ModelObserver& observer = {}, std::stop_token stop = {});

} // namespace nestwright
