#include "core/space/annotate.h"

#include <algorithm>

namespace nestwright {

namespace {

struct PrimePower {
  std::int64_t prime;
  int exponent;
};

std::vector<PrimePower> factorize(std::int64_t n) {
  std::vector<PrimePower> result;
  for (std::int64_t p = 2; p * p <= n; ++p) {
    int exponent = 0;
    for (; n % p == 0; n /= p)
      ++exponent;
    if (exponent > 0) result.push_back({p, exponent});
  }
  if (n > 1) result.push_back({n, 1});
  return result;
}

/// Deals `exponent` factors `prime` out to `sizes` and to the rest, every way equally likely: the
/// bars of a random arrangement of stars and bars.
void deal(const PrimePower& power, std::vector<std::int64_t>& sizes, Random& random) {
  auto bars = static_cast<std::uint64_t>(sizes.size());
  auto places = bars + static_cast<std::uint64_t>(power.exponent);
  std::size_t part = 0;
  for (; bars > 0; --places) {
    if (random.below(places) < bars) {
      --bars;
      ++part;
    } else {
      sizes[part] *= power.prime;
    }
  }
}

/// A uniform choice among the tuples of `count` factors whose product divides `extent` and whose
/// last is at most `limit`. Drawn without the limit and again until it holds, which is quick: the
/// last factor is rarely large.
std::vector<std::int64_t> drawFactors(std::int64_t extent, std::size_t count, std::int64_t limit,
                                      Random& random) {
  const std::vector<PrimePower> powers = factorize(extent);
  std::vector<std::int64_t> sizes;
  do {
    sizes.assign(count, 1);
    for (const PrimePower& power : powers)
      deal(power, sizes, random);
  } while (sizes.back() > limit);
  return sizes;
}

/// A split whose factors are to be drawn: how many, of what, and within what limit of the last.
struct OpenFactors {
  std::size_t count = 0;
  std::int64_t extent = 0; // 0 when the decided factors leave no whole number
  std::int64_t limit = 0;
};

OpenFactors openFactors(const SplitStep& split, std::int64_t maxInnermost) {
  OpenFactors open{0, split.extent.value_or(0), maxInnermost};
  std::int64_t decided = 1;
  for (const TileSize& size : split.factors) {
    if (size)
      decided *= *size;
    else
      ++open.count;
  }
  // The limit is one of innermost loops: where that one is decided, none of the others is.
  if (!split.factors.empty() && split.factors.back()) open.limit = open.extent;
  open.extent = decided > 0 && open.extent % decided == 0 ? open.extent / decided : 0;
  return open;
}

} // namespace

std::optional<Steps> fillTileSizes(const Steps& steps, const SpaceOptions& options, Random& random,
                                   std::string& failure) {
  Steps result = steps;
  for (Step& step : result) {
    auto* split = std::get_if<SplitStep>(&step);
    if (split == nullptr) continue;
    const OpenFactors open = openFactors(*split, options.maxInnermostFactor);
    if (open.count == 0) continue;
    if (open.extent < 1) {
      failure = split->extent
                    ? fmt::format("the decided tile sizes of a loop of {} do not divide it",
                                  *split->extent)
                    : "a loop of unknown extent cannot be tiled";
      return std::nullopt;
    }
    if (open.limit < 1) {
      failure = fmt::format("no tile size fits the limit of {} for innermost factors",
                            options.maxInnermostFactor);
      return std::nullopt;
    }
    const std::vector<std::int64_t> sizes =
        drawFactors(open.extent, open.count, open.limit, random);
    auto size = sizes.begin();
    for (TileSize& factor : split->factors)
      if (!factor) factor = *size++;
  }
  return result;
}

} // namespace nestwright
