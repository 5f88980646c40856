/// The naive program of a task, which everything else is compared with: measured before the first
/// round, and a task where that fails ends without the others.

#include "core/record/store/task_rows.h"
#include "core/session/run/task_failure.h"
#include "core/session/run/tuning_run.h"

#include <algorithm>

namespace nestwright {

bool TuningRun::measureNaive(Task& task, const std::atomic<bool>& interrupt, RoundWork& work) {
  MeasureRequest request;
  request.dag = task.row.dag;
  request.naive = true;
  MeasureResult naive;
  // A worker that was killed, or ran out of memory for what others left in it, is no reason yet.
  constexpr int kAttempts = 2;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) measurer_.reset(); // fresh workers
    measure(
        {request}, [&](const MeasureResult& result) { naive = result; }, interrupt);
    work.kernel += naive.runSeconds;
    kernelSeconds_ += naive.runSeconds;
    if (naive.verdict == Verdict::Cancelled) return false;
    if (naive.verdict == Verdict::Ok) break;
  }
  TaskMemory& memory = memoryOf(task);
  memory.failed = naive.verdict != Verdict::Ok;
  memory.exhausted = memory.failed ? naiveFailure(naive) : std::string();
  if (memory.failed) {
    state_.open.reset(); // the round is over before it began
    storeAndTell({TaskExhausted{task.row.id, memory.exhausted}}, [&] { save(); });
    return true;
  }
  task.naiveSeconds = naive.median();
  storeAndTell({NaiveMeasured{task.row.id, task.naiveSeconds}}, [&] {
    store_.tasks().setNaiveSeconds(task.row.id, task.naiveSeconds);
    save();
  });
  return true;
}

std::vector<RowId> TuningRun::failedTasks() const {
  std::vector<RowId> failed;
  for (const auto& [id, memory] : state_.tasks)
    if (memory.failed) failed.push_back(id);
  return failed;
}

bool TuningRun::allFailed() const {
  return failedTasks().size() == tasks_.size();
}

/// Outside of rounds, so that the decisions of a session that goes on are those of one that was
/// never interrupted (C25).
void TuningRun::retryFailed(const std::atomic<bool>& interrupt) {
  RoundWork work; // no part of a round
  while (!retries_.empty() && !interrupt) {
    if (!measureNaive(taskOf(retries_.back()), interrupt, work)) return;
    retries_.pop_back();
  }
  parts_.restart(); // nor of its time
}

} // namespace nestwright
