#pragma once
/// \file Training a network as a job that can be watched, stopped, killed and gone on with.

#include "core/learn/learner.h"
#include "core/learn/samples.h"
#include "core/learn/trained_network.h"
#include "core/model/data_set.h"

#include <functional>
#include <stop_token>
#include <string>

namespace nestwright {

/// How far it is.
struct TrainingProgress {
  int epoch = 0, epochs = 0; // the one under way, from 1
  std::size_t programs = 0, programsOfEpoch = 0;
  double programsPerSecond = 0; // of the epoch under way
  double secondsLeft = 0;       // if it takes all epochs
};

/// Who is told, on the thread that trains. Each may be empty.
struct TrainingObserver {
  std::function<void(const TrainingProgress&)> progressed; // some times a second
  std::function<void(const EpochResult&)> epochEnded;      // once its checkpoint is written
  std::function<void(const std::string&)> warned;          // of what the data does not fit
  /// The network as each epoch leaves it, whichever is kept. Told before the checkpoint is written,
  /// and so again after an end in between.
  std::function<void(const TrainedNetwork&)> learned = {};
};

struct TrainingJob {
  const DataSet& set;
  TrainingParts parts;
  TrainingOptions options;
  /// The network to go on from, with its normalisation; null: a fresh one.
  const TrainedNetwork* startFrom = nullptr;
  /// Where the state is kept after each epoch, as one file that is whole at any time; empty:
  /// nowhere. With `resume` it is gone on from there, if it exists, and what comes out is what
  /// would have come out: to the last bit.
  std::string checkpoint{};
  bool resume = false;
};

/// Trains, and gives the network that options.keep says. Throws what Learner and samplesOf() throw;
/// InputError when the losses stop being numbers, for a checkpoint of another training, damaged, or
/// of a version that cannot be read, and for a network to start from that reads other rows;
/// SystemError when a checkpoint cannot be written; UsageError for options. After any of these the
/// checkpoint is that of the last whole epoch.
TrainedNetwork train(Learner& learner, const TrainingJob& job, const TrainingObserver& observer,
                     std::stop_token stop = {});

/// The network that would be kept if a training ended where its checkpoint is. Throws InputError.
TrainedNetwork networkOfCheckpoint(const std::string& path);

} // namespace nestwright
