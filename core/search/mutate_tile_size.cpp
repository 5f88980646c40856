#include "core/search/mutation.h"

#include <algorithm>
#include <numeric>

namespace nestwright {

namespace {

std::vector<std::int64_t> divisorsAboveOne(std::int64_t n) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 2; d * d <= n; ++d) {
    if (n % d != 0) continue;
    divisors.push_back(d);
    if (d != n / d) divisors.push_back(n / d);
  }
  if (n > 1) divisors.push_back(n);
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

/// Sizes of all parts, outermost first; empty when some size is undecided or the loop is trivial.
/// The public implementation leaves out splits whose innermost part is over the limit already; such
/// come with a seed or with a hand-edited program, and no divisor is ever moved to it.
std::vector<std::int64_t> partSizes(const SplitStep& split) {
  if (!split.extent || *split.extent <= 1 || !split.innerToOuter) return {};
  std::vector<std::int64_t> sizes{*split.extent};
  for (const TileSize& factor : split.factors) {
    if (!factor) return {};
    sizes.front() /= *factor;
    sizes.push_back(*factor);
  }
  return sizes;
}

/// Moves one divisor from a part to another, both drawn; false when no pair of parts allows it.
bool moveDivisor(std::vector<std::int64_t>& sizes, std::int64_t innermostLimit, Random& random) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random.engine());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::int64_t& from = sizes[order[i]];
    const std::size_t target = order[(i + 1) % order.size()];
    if (from <= 1 || order[i] == target) continue;
    std::vector<std::int64_t> divisors = divisorsAboveOne(from);
    if (target + 1 == sizes.size())
      std::erase_if(divisors, [&](std::int64_t d) { return d * sizes[target] > innermostLimit; });
    if (divisors.empty()) continue;
    const std::int64_t divisor = random.pick(divisors);
    from /= divisor;
    sizes[target] *= divisor;
    return true;
  }
  return false;
}

} // namespace

std::optional<State> mutateTileSize(const State& parent, const SpaceOptions& options,
                                    Random& random) {
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < parent.steps().size(); ++i)
    if (const auto* split = std::get_if<SplitStep>(&parent.steps()[i]))
      if (!partSizes(*split).empty()) eligible.push_back(i);
  if (eligible.empty()) return std::nullopt;
  Steps steps = parent.steps();
  auto& split = std::get<SplitStep>(steps[random.pick(eligible)]);
  std::vector<std::int64_t> sizes = partSizes(split);
  if (!moveDivisor(sizes, options.maxInnermostFactor, random)) return std::nullopt;
  std::copy(sizes.begin() + 1, sizes.end(), split.factors.begin());
  return legalProgram(parent.originalDag(), steps, options);
}

} // namespace nestwright
