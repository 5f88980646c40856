#include "core/search/refit.h"

#include "core/search/mutation.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nestwright {

namespace {

/// Ratios are products of a few quotients of whole numbers: equal ones differ by roundings alone.
constexpr double kEqualRatios = 1e-9;

double ratioOf(std::int64_t a, std::int64_t b) {
  return a > b ? double(a) / double(b) : double(b) / double(a);
}

std::vector<std::int64_t> divisorsOf(std::int64_t n) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    divisors.push_back(d);
    if (d != n / d) divisors.push_back(n / d);
  }
  return divisors;
}

/// All tuples of factors from the last to the first, nearest divisors first, as long as they can
/// still be nearer than the best.
class NearestFactors {
 public:
  NearestFactors(std::int64_t extent, const std::vector<std::int64_t>& wanted,
                 const std::vector<std::int64_t>& limits)
      : divisors_(divisorsOf(extent)), wanted_(wanted), limits_(limits), factors_(wanted.size()) {
    search(wanted.size(), extent, 1);
  }
  std::vector<std::int64_t> take() { return std::move(best_); }

 private:
  void search(std::size_t left, std::int64_t rest, double ratio) {
    if (left == 0) return offer(ratio);
    const std::size_t at = left - 1;
    std::vector<std::pair<double, std::int64_t>> choices;
    for (const std::int64_t divisor : divisors_)
      if (rest % divisor == 0 && divisor <= limits_[at])
        choices.emplace_back(ratio * ratioOf(divisor, wanted_[at]), divisor);
    std::ranges::sort(choices);
    for (const auto& [with, divisor] : choices) {
      if (!best_.empty() && with > bestRatio_ * (1 + kEqualRatios)) break;
      factors_[at] = divisor;
      search(at, rest / divisor, with);
    }
  }

  void offer(double ratio) {
    const bool isEqual = !best_.empty() && ratio >= bestRatio_ * (1 - kEqualRatios);
    if (isEqual && !std::lexicographical_compare(best_.rbegin(), best_.rend(), factors_.rbegin(),
                                                 factors_.rend()))
      return;
    bestRatio_ = isEqual ? bestRatio_ : ratio;
    best_ = factors_;
  }

  const std::vector<std::int64_t> divisors_;
  const std::vector<std::int64_t>&wanted_, &limits_;
  std::vector<std::int64_t> factors_, best_;
  double bestRatio_ = std::numeric_limits<double>::infinity();
};

/// The numbers of the split's factors; empty when one is undecided.
std::vector<std::int64_t> decidedFactors(const SplitStep& split) {
  std::vector<std::int64_t> factors;
  for (const TileSize& factor : split.factors) {
    if (!factor || *factor < 1) return {};
    factors.push_back(*factor);
  }
  return factors;
}

bool divides(const std::vector<std::int64_t>& factors, std::int64_t extent) {
  for (const std::int64_t factor : factors) {
    if (extent % factor != 0) return false;
    extent /= factor;
  }
  return true;
}

/// Innermost tiles have a limit, which a program from elsewhere may be above already.
std::vector<std::int64_t> limitsOf(const SplitStep& split, const std::vector<std::int64_t>& factors,
                                   const SpaceOptions& options) {
  std::vector<std::int64_t> limits(factors.size(), std::numeric_limits<std::int64_t>::max());
  if (split.innerToOuter) limits.back() = std::max(options.maxInnermostFactor, factors.back());
  return limits;
}

/// Gives the split factors for the loop that it has in the state before it; a split that does not
/// say how long its loop is has sizes that no search may draw.
void fitSplit(SplitStep& split, std::size_t at, const State& before, const SpaceOptions& options,
              std::vector<RefittedSplit>& moved) {
  if (!split.extent) return;
  if (split.stage < 0 || split.stage >= before.stageCount()) return; // replaying it says so
  const Stage& stage = before.stage(split.stage);
  if (split.iterator < 0 || std::cmp_greater_equal(split.iterator, stage.iterators.size())) return;
  const Iterator& loop = stage.iterators[static_cast<std::size_t>(split.iterator)];
  if (!loop.extent || *loop.extent < 1) return; // not known there, and so of no consequence
  const std::int64_t extent = *loop.extent, old = *split.extent;
  const std::vector<std::int64_t> factors = decidedFactors(split);
  if (factors.empty() || extent == old) return;
  RefittedSplit refitted{at, loop.name, stage.name(), old, extent, factors, factors};
  if (!divides(factors, extent))
    refitted.newFactors = nearestFactors(extent, factors, limitsOf(split, factors, options));
  split.extent = extent;
  std::ranges::copy(refitted.newFactors, split.factors.begin());
  moved.push_back(std::move(refitted));
}

} // namespace

std::string text(const RefittedSplit& split) {
  std::string text =
      fmt::format("{} of {}, {} to {}", split.loop, split.stage, split.oldExtent, split.newExtent);
  if (split.newFactors != split.oldFactors)
    text += fmt::format(": {} becomes {}", fmt::join(split.oldFactors, " · "),
                        fmt::join(split.newFactors, " · "));
  return text;
}

std::vector<std::int64_t> nearestFactors(std::int64_t extent,
                                         const std::vector<std::int64_t>& wanted,
                                         const std::vector<std::int64_t>& limits) {
  NW_ASSERT(extent > 0 && limits.size() == wanted.size(), "{} limits for {} factors of {}",
            limits.size(), wanted.size(), extent);
  return NearestFactors(extent, wanted, limits).take();
}

RefitResult refit(const ComputeDag& task, const Steps& steps, const SpaceOptions& options) {
  RefitResult result;
  Steps fitted = steps;
  try {
    State state(task);
    for (std::size_t i = 0; i < fitted.size(); ++i) {
      if (auto* split = std::get_if<SplitStep>(&fitted[i]))
        fitSplit(*split, i, state, options, result.splits);
      state.apply(fitted[i]);
    }
  } catch (const IllegalSchedule& error) {
    result.problem = error.what();
    return result;
  }
  result.program = legalProgram(task, fitted, options, &result.problem);
  return result;
}

} // namespace nestwright
