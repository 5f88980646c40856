#include "core/measure/count_program.h"

#include "core/measure/kernel_stages.h"
#include "core/measure/kernel_workers.h"
#include "core/support/error.h"
#include "core/tensor/compulsory_bytes.h"
#include "core/tensor/text.h"

#include <functional>
#include <memory>
#include <utility>

namespace nestwright {

namespace {

/// Built, loaded and counted by one worker, each stage after the one before it.
class Counting {
 public:
  Counting(const MeasureOptions& options, const MeasureRequest& request, const TargetFacts& target)
      : options_(options), request_(request), target_(target) {}

  WorkerJob first() {
    return job(toFrame(buildWorkFor(options_, request_, target_)), buildStage(options_),
               kBuiltAnswer, [this](Frame&& answer) {
                 artifact_ = builtAnswer(std::move(answer)).artifact;
                 return std::make_unique<WorkerJob>(load());
               });
  }

  const MeasureResult& outcome() const { return outcome_; }
  const ProgramCounts& counts() const { return counts_; }

 private:
  using Take = std::function<std::unique_ptr<WorkerJob>(Frame&&)>;

  WorkerJob job(Frame&& frame, const StageWords& stage, FrameLimits answer, Take take) {
    WorkerJob job{std::move(frame), stage.timeoutSeconds, answer, {}};
    job.onOutcome = [this, stage, take = std::move(take)](WorkOutcome&& outcome) -> NextWork {
      NextWork next;
      if (!takeAnswer(outcome_, outcome, stage,
                      [&](Frame&& answer) { next.followUp = take(std::move(answer)); }))
        next.freshWorker = true;
      return next;
    };
    return job;
  }

  WorkerJob load() {
    return job(toFrame(loadWorkFor(options_, request_, std::move(artifact_))),
               loadStage(options_, request_), kPlainAnswer, [this](Frame&& answer) {
                 requireLoaded(answer);
                 return std::make_unique<WorkerJob>(count());
               });
  }

  WorkerJob count() {
    CountWork work;
    work.limits = limitsFor(options_, request_, runTimeout(options_, request_));
    return job(toFrame(work), runStage(options_, request_), kPlainAnswer, [this](Frame&& answer) {
      counts_ = countedIn(answer);
      return nullptr;
    });
  }

  const MeasureOptions& options_;
  const MeasureRequest& request_;
  const TargetFacts& target_;
  KernelArtifact artifact_;
  MeasureResult outcome_;
  ProgramCounts counts_;
};

} // namespace

ProgramCounts countProgram(const MeasureOptions& options, const MeasureRequest& request,
                           const WorkerLaunch& launch, const TargetFacts& target,
                           const std::atomic<bool>* stop) {
  if (target.gpu)
    throw UsageError(
        "the counters are the processor's, and the program is one for a GPU: its maker's "
        "profiler counts there (ncu)");
  const MeasureOptions checked = checkedOptions(options);
  Counting counting(checked, request, target);
  WorkerPool worker(
      kernelWorkers(checked, workerCommandFor(launch, target), 1, coresUnless(checked.threads)));
  std::deque<WorkerJob> jobs;
  jobs.push_back(counting.first());
  worker.run(std::move(jobs), stop);
  const MeasureResult& outcome = counting.outcome();
  if (outcome.verdict != Verdict::Ok)
    throw InputError(fmt::format("the program was not counted: {}: {}", name(outcome.verdict),
                                 oneSentence(outcome)));
  ProgramCounts counts = counting.counts();
  const ComputeDag dag = parseDag(request.dag);
  counts.flops = flops(dag);
  counts.leastBytes = compulsoryBytes(dag);
  return counts;
}

} // namespace nestwright
