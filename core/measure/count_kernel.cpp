#include "core/measure/count_kernel.h"

#include "core/measure/perf_counters.h"
#include "core/support/clock.h"
#include "core/target/energy_meter.h"

#include <sys/resource.h>

#include <chrono>
#include <thread>

namespace nestwright {

namespace {

/// Every counter of every thread is an open file.
void allowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// What the processor takes when this process sleeps, watts.
std::optional<double> idleWatts(const EnergyMeter& meter) {
  const auto before = readEnergy(meter);
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double seconds = secondsSince(start);
  const auto after = readEnergy(meter);
  if (!before || !after) return std::nullopt;
  const std::optional<double> joules = joulesBetween(meter, *before, *after);
  return joules ? std::optional(*joules / seconds) : std::nullopt;
}

} // namespace

ProgramCounts countKernel(KernelRunner& runner, double seconds, int threads,
                          const std::filesystem::path& root) {
  ProgramCounts counts;
  EnergyMeter meter = findEnergyMeter(root);
  counts.energy.zones = meter.names();
  counts.energy.whyNot = meter.whyNot;
  allowManyFiles();
  // Before the kernel is warm: resting lowers the clock.
  if (!meter.zones.empty()) counts.energy.idleWatts = idleWatts(meter);
  std::optional<PerfCounters> counters;
  std::optional<std::vector<double>> before, after;
  const RepeatedRuns made = runner.repeat(
      seconds, threads,
      [&] {
        const std::vector<int> all = threadsHere();
        counts.threads = static_cast<int>(all.size());
        counters.emplace(all);
        if (!meter.zones.empty()) before = readEnergy(meter);
        counters->start();
      },
      [&] {
        counters->stop();
        if (!meter.zones.empty()) after = readEnergy(meter);
      });
  counts.runs = made.runs;
  counts.seconds = made.seconds / made.runs;
  counts.counters = counters->readings(made.runs);
  std::optional<double> joules;
  if (before && after) joules = joulesBetween(meter, *before, *after);
  if (joules)
    counts.energy.joulesPerRun = *joules / made.runs;
  else if (counts.energy.whyNot.empty())
    counts.energy.whyNot = "the energy meter could not be read any more";
  return counts;
}

} // namespace nestwright
