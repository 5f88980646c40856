#pragma once
/// \file The policy that learns beside random search on a GPU: sessions of the same tasks, seeds
/// and budgets. It takes longer than a call may, so the file of records goes on where it was left.

#include "tests/bench/gpu_bench.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace nestwright::bench {

struct PolicyComparison {
  std::string database, rules;
  std::vector<std::string> tasks;
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  std::int64_t trials = 500; // of each session
  double seconds = 0;        // for all that is still to do; 0: as long as it takes
};

/// Tunes what is not tuned yet, seed by seed, and compares what is complete: for each task the
/// ratio of the best throughputs by seed and their geometric mean, and the trials until random
/// search's best was reached (`trials` + 1 where it never was).
nlohmann::json comparePolicies(const GpuBench& bench, const PolicyComparison& options);

/// A line for each task.
std::vector<std::string> policyLines(const nlohmann::json& comparison);

} // namespace nestwright::bench
