#include "core/measure/kernel_workers.h"

#include "core/support/waiting_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace nestwright {

int coresUnless(int number) {
  return number > 0 ? number : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::vector<std::string> workerCommandFor(WorkerLaunch launch, const TargetFacts& target) {
  std::vector<std::string> command =
      launch.command.empty() ? workerCommand("worker") : std::move(launch.command);
  if (target.gpu) command.insert(command.end(), {"--target", target.backend});
  return command;
}

PoolSettings kernelWorkers(const MeasureOptions& options, const std::vector<std::string>& command,
                           int workers, int kernelThreads) {
  PoolSettings settings;
  settings.command = command;
  settings.environment = waitingEnvironment();
  settings.environment.push_back(fmt::format("OMP_NUM_THREADS={}", kernelThreads));
  settings.workers = workers;
  settings.jobsPerWorker = options.jobsPerWorker;
  settings.bytesPerWorker = options.bytesPerWorker;
  return settings;
}

} // namespace nestwright
