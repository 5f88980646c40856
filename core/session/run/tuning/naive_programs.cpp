#include "core/session/run/tuning/naive_programs.h"

#include "core/record/store/task_rows.h"
#include "core/session/run/task_failure.h"

namespace nestwright {

bool NaivePrograms::measure(TunedTask& task, const std::atomic<bool>& interrupt, RoundWork& work) {
  MeasureResult naive;
  const double before = log_.wallSeconds();
  // A worker that was killed, or ran out of memory for what others left in it, is no reason yet.
  constexpr int kAttempts = 2;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) measurer_.release(); // fresh workers
    measurer_.measure(
        {naiveRequest(task.row.dag)}, [&](const MeasureResult& result) { naive = result; },
        interrupt);
    work.kernel += naive.runSeconds;
    log_.count(naive);
    if (naive.verdict == Verdict::Cancelled) return false;
    if (naive.verdict == Verdict::Ok) break;
    if (naive.verdict == Verdict::NotRecorded) return true; // it is only what others are set beside
  }
  if (tasks_.isAlone()) log_.setBack(before); // whoever comes next need not measure it
  TaskMemory& memory = tasks_.memoryOf(task);
  memory.failed = naive.verdict != Verdict::Ok;
  memory.exhausted = memory.failed ? naiveFailure(naive) : std::string();
  if (memory.failed) {
    log_.state().open.reset(); // the round is over before it began
    log_.saveAndTell({TaskExhausted{task.row.id, memory.exhausted}});
    return true;
  }
  task.naiveSeconds = naive.latency();
  log_.storeAndTell({NaiveMeasured{task.row.id, task.naiveSeconds}}, [&] {
    log_.store().tasks().setNaiveSeconds(task.row.id, task.naiveSeconds);
    log_.save();
  });
  return true;
}

void NaivePrograms::retry(const std::atomic<bool>& interrupt) {
  RoundWork work; // no part of a round
  while (!retries_.empty() && !interrupt) {
    if (!measure(tasks_.of(retries_.back()), interrupt, work)) return;
    retries_.pop_back();
  }
  log_.parts().restart(); // nor of its time
}

} // namespace nestwright
