#include "core/measure/worker_target.h"

#include "core/measure/protocol.h"
#include "core/measure/worker_pool.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

constexpr double kTimeoutSeconds = 60; // a driver takes seconds to wake a card

/// What a worker says that `command` starts.
TargetFacts targetOfWorker(const std::vector<std::string>& command, const std::string& device) {
  PoolSettings settings;
  settings.command = command;
  WorkerPool pool(std::move(settings));
  TargetFacts facts;
  std::string problem;
  WorkerJob job{targetFrame(device), kTimeoutSeconds, kPlainAnswer, {}};
  job.onOutcome = [&](WorkOutcome&& outcome) -> NextWork {
    if (outcome.kind == WorkOutcome::Kind::Answered && !isFailed(outcome.answer))
      facts = targetIn(outcome.answer);
    else if (outcome.kind == WorkOutcome::Kind::Answered)
      problem = failureIn(outcome.answer).error;
    else if (outcome.kind == WorkOutcome::Kind::TimedOut)
      problem = fmt::format("it said nothing for {:g} s", kTimeoutSeconds);
    else
      problem = outcome.text.empty() ? "it ended" : outcome.text;
    return {};
  };
  std::deque<WorkerJob> jobs;
  jobs.push_back(std::move(job));
  pool.run(std::move(jobs), nullptr);
  if (!problem.empty())
    throw SystemError(fmt::format("the worker '{}' does not say which GPU it has: {}",
                                  fmt::join(command, " "), problem));
  return facts;
}

} // namespace

TargetFacts measuredTarget(const std::string& name, const MeasureOptions& options,
                           const WorkerLaunch& launch) {
  const bool asksWorker = !launch.command.empty() || !options.device.empty();
  if (name != "cuda" || !asksWorker) return targetNamed(name, options.threads);
  std::vector<std::string> command =
      launch.command.empty() ? workerCommand("worker") : launch.command;
  command.insert(command.end(), {"--target", name});
  return targetOfWorker(command, options.device);
}

} // namespace nestwright
