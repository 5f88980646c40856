#include "tests/bench/gpu_policies.h"

#include "core/support/clock.h"
#include "tests/bench/tuned.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace nestwright::bench {
namespace {

using nlohmann::json;

constexpr const char* kRandom = "random";
constexpr const char* kLearning = "evolutionary";

SessionConfig sessionOf(const GpuBench& bench, const PolicyComparison& options,
                        const std::string& task, std::uint64_t seed, const char* policy) {
  SessionConfig config = gpuSession(bench, task, options.trials, seed);
  config.policy = policy;
  config.rules = options.rules;
  return config;
}

/// The best after each trial; nothing as long as there are fewer of them than there are to be.
std::vector<double> wholeCurve(const PolicyComparison& options, const SessionConfig& config) {
  std::vector<double> curve = bestAfterTrials(options.database, config);
  if (static_cast<std::int64_t>(curve.size()) < options.trials || !std::isfinite(curve.back()))
    curve.clear();
  return curve;
}

json comparison(const GpuBench& bench, const PolicyComparison& options, const std::string& task) {
  json seeds = json::array();
  std::vector<double> until;
  double logarithms = 0;
  for (const std::uint64_t seed : options.seeds) {
    const auto curveOf = [&](const char* policy) {
      return wholeCurve(options, sessionOf(bench, options, task, seed, policy));
    };
    const std::vector<double> random = curveOf(kRandom), learning = curveOf(kLearning);
    if (random.empty() || learning.empty()) continue;
    const double ratio = random.back() / learning.back();
    const auto reached =
        std::ranges::find_if(learning, [&](double best) { return best <= random.back(); });
    until.push_back(static_cast<double>(reached - learning.begin()) + 1);
    logarithms += std::log(ratio);
    seeds.push_back({{"seed", seed},
                     {"random_seconds", random.back()},
                     {"evolutionary_seconds", learning.back()},
                     {"throughput_ratio", ratio},
                     {"trials_until_randoms_best", until.back()}});
  }
  json result = {{"task", task}, {"trials", options.trials}, {"seeds", seeds}};
  if (until.empty()) return result;
  std::ranges::sort(until);
  result["throughput_ratio"] = std::exp(logarithms / static_cast<double>(until.size()));
  result["median_trials_until_randoms_best"] = until[until.size() / 2];
  return result;
}

} // namespace

json comparePolicies(const GpuBench& bench, const PolicyComparison& options) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::uint64_t seed : options.seeds)
    for (const std::string& task : options.tasks)
      for (const char* policy : {kRandom, kLearning}) {
        SessionConfig config = sessionOf(bench, options, task, seed, policy);
        if (options.seconds > 0) {
          config.maxSeconds = options.seconds - secondsSince(start);
          if (config.maxSeconds <= 1) continue;
        }
        (void)tune(options.database, config, bench.launch, &bench.target);
      }
  json tasks = json::array();
  for (const std::string& task : options.tasks)
    tasks.push_back(comparison(bench, options, task));
  return {{"device", bench.target.gpu->name}, {"rules", options.rules}, {"tasks", tasks}};
}

std::vector<std::string> policyLines(const json& comparison) {
  std::vector<std::string> lines;
  for (const json& task : comparison.at("tasks")) {
    const std::size_t seeds = task.at("seeds").size();
    std::string line = fmt::format("{}, {} trials: ", task.at("task").get<std::string>(),
                                   task.at("trials").get<std::int64_t>());
    if (seeds == 0) {
      lines.push_back(line + "not complete for any seed yet; the same command goes on");
      continue;
    }
    std::vector<std::string> ratios;
    for (const json& seed : task.at("seeds"))
      ratios.push_back(fmt::format("{:.2f}", seed.at("throughput_ratio").get<double>()));
    line +=
        fmt::format("evolutionary gets {:.2f} times random's best throughput ({}), and random's "
                    "best after {:.0f} trials",
                    task.at("throughput_ratio").get<double>(), fmt::join(ratios, ", "),
                    task.at("median_trials_until_randoms_best").get<double>());
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace nestwright::bench
