#pragma once
/// \file Task schedulers on recorded measurements: what a session measured is dealt out again, in
/// milliseconds, so that schedulers can be compared over many seeds.

#include "core/record/store/store.h"
#include "core/session/schedule/task_scheduler.h"

#include <vector>

namespace nestwright::bench {

/// A task of a recorded session.
struct RecordedTask {
  TaskProgress start;          // before the first round
  std::vector<double> seconds; // of every trial in its order; infinity when it failed
};

/// The session's tasks and trials. Trials of one task must not depend on which other tasks were
/// tuned when, so the policy has to be random.
std::vector<RecordedTask> recordedTasks(const RecordStore& store, RowId session);

struct ReplayOptions {
  std::int64_t trials = 1000;
  int trialsPerRound = 16;
  /// 0: each task's trials come in their recorded order, and it is exhausted after the last. Else
  /// they are drawn from the recorded ones with this seed, again and again.
  std::uint64_t seed = 0;
};

struct Replay {
  std::vector<RowId> chosen; // the task of every round
  /// After every trial, the total of all networks' best latencies; infinity until each task has a
  /// valid program.
  std::vector<double> totals;
};

/// Runs the scheduler over the recorded tasks as a session does.
Replay replay(const std::vector<RecordedTask>& tasks, const TaskScheduler& scheduler,
              const ReplayOptions& options);

/// The number of the first trial after which the total is at most this; 0 when none is.
std::int64_t trialsToReach(const std::vector<double>& totals, double seconds);

} // namespace nestwright::bench
