#pragma once
/// \file How far a figure of many tasks would be another had the tasks been others: the percentile
/// bootstrap (Efron 1979). Tasks are drawn with replacement and not programs, since a new network
/// brings new tasks; of several models that are one but for their seeds, models are drawn, too.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace nestwright {

struct BootstrapOptions {
  std::size_t resamples = 10000; // 0: no intervals
  std::uint64_t seed = 0;
};

/// A confidence interval of 95 %.
struct Bounds95 {
  double low = 0, high = 0;
  friend bool operator==(const Bounds95&, const Bounds95&) = default;
};

/// Between the values at 2.5 % and 97.5 %; not a number without values. O(n).
Bounds95 bounds95(std::vector<double> values);

/// Calls `f` once for each resample with how often each of `tasks` was drawn, as many in all as
/// there are tasks. The draws depend on the options alone: figures of two models that are computed
/// in one call are of the same tasks, and so are those of two calls.
void forEachResample(std::size_t tasks, const BootstrapOptions& options,
                     const std::function<void(std::span<const double> counts)>& f);

/// How often each of `seeds` was drawn in resample number `resample`, as many in all as there are.
/// The draws depend on the options, the number and the resample alone: the seeds of groups of one
/// size are drawn in pairs.
std::vector<double> drawnSeeds(std::size_t seeds, const BootstrapOptions& options,
                               std::size_t resample);

} // namespace nestwright
