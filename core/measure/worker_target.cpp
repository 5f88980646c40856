#include "core/measure/worker_target.h"

#include "core/backend/device_error.h"
#include "core/measure/protocol.h"
#include "core/measure/worker_pool.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"

#include <map>
#include <mutex>
#include <utility>

namespace nestwright {

namespace {

constexpr const char* kWorkersGpu = "cuda";
constexpr double kTimeoutSeconds = 60; // a driver takes seconds to wake a card

/// What a worker says that `command` starts.
TargetFacts targetOfWorker(const std::vector<std::string>& command, const std::string& device) {
  PoolSettings settings;
  settings.command = command;
  WorkerPool pool(std::move(settings));
  TargetFacts facts;
  std::string problem;
  bool isAbsent = false;
  WorkerJob job{targetFrame(device), kTimeoutSeconds, kPlainAnswer, {}};
  job.onOutcome = [&](WorkOutcome&& outcome) -> NextWork {
    if (outcome.kind == WorkOutcome::Kind::Answered && !isFailed(outcome.answer)) {
      facts = targetIn(outcome.answer);
    } else if (outcome.kind == WorkOutcome::Kind::Answered) {
      const WorkFailure failure = failureIn(outcome.answer);
      problem = failure.error;
      isAbsent = failure.deviceAbsent;
    } else if (outcome.kind == WorkOutcome::Kind::TimedOut) {
      problem = fmt::format("it said nothing for {:g} s", kTimeoutSeconds);
    } else {
      problem = outcome.text.empty() ? "it ended" : outcome.text;
    }
    return {};
  };
  std::deque<WorkerJob> jobs;
  jobs.push_back(std::move(job));
  pool.run(std::move(jobs), nullptr);
  const std::string who = fmt::format("the worker '{}'", fmt::join(command, " "));
  if (isAbsent) throw DeviceError(DeviceFault::Absent, "", fmt::format("{}: {}", who, problem));
  if (!problem.empty())
    throw SystemError(fmt::format("{} does not say which GPU it has: {}", who, problem));
  return facts;
}

} // namespace

TargetFacts measuredTarget(const std::string& name, const MeasureOptions& options,
                           const WorkerLaunch& launch) {
  if (name != kWorkersGpu || launch.command.empty())
    return targetNamed(name, options.threads, options.device);
  std::vector<std::string> command = launch.command;
  command.insert(command.end(), {"--target", name});
  return targetOfWorker(command, options.device);
}

TargetFacts knownTarget(const std::string& name, const MeasureOptions& options,
                        const WorkerLaunch& launch) {
  if (name != kWorkersGpu || launch.command.empty()) return measuredTarget(name, options, launch);
  static std::mutex mutex;
  static std::map<std::pair<std::vector<std::string>, std::string>, TargetFacts> known;
  const std::pair worker(launch.command, options.device);
  {
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(worker); found != known.end()) return found->second;
  }
  // Not locked: a connection that hangs holds up nobody else.
  TargetFacts facts = measuredTarget(name, options, launch);
  const std::scoped_lock lock(mutex);
  return known.insert_or_assign(worker, std::move(facts)).first->second;
}

TargetFacts compiledAs(const TargetFacts& recorded, TargetFacts here) {
  here.lowering = recorded.lowering;
  here.instructionSet = recorded.instructionSet;
  if (!here.gpu) here.cores = recorded.cores;
  return here;
}

} // namespace nestwright
