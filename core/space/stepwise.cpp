#include "core/space/stepwise.h"

#include "core/space/annotate.h"
#include "core/space/legality.h"
#include "core/support/divisors.h"
#include "core/support/error.h"

#include <algorithm>
#include <utility>

namespace nestwright {

namespace {

bool isOpen(const SplitStep& split) {
  return std::ranges::any_of(split.factors, [](const TileSize& size) { return !size; });
}

/// Place of the first split with an undecided factor; the number of steps where there is none.
std::size_t firstOpen(const Steps& steps) {
  std::size_t place = 0;
  for (; place < steps.size(); ++place)
    if (const auto* split = std::get_if<SplitStep>(&steps[place]); split && isOpen(*split)) break;
  return place;
}

using Factors = decltype(SplitStep::factors);

/// All ways to give the undecided factors from the place `at` on divisors of what is left.
void decide(Factors& factors, std::size_t at, std::int64_t left, std::int64_t limit,
            std::vector<Factors>& ways) {
  while (at < factors.size() && factors[at])
    ++at;
  if (at == factors.size()) {
    ways.push_back(factors);
    return;
  }
  const bool innermost = at + 1 == factors.size();
  for (const std::int64_t factor : divisors(left)) {
    if (innermost && factor > limit) break;
    factors[at] = factor;
    decide(factors, at + 1, left / factor, limit, ways);
  }
  factors[at].reset();
}

} // namespace

bool hasOpenSplit(const Steps& steps) {
  return firstOpen(steps) < steps.size();
}

std::vector<Steps> decideFirstSplit(const Steps& steps, const SpaceOptions& options,
                                    std::size_t most, Random& random) {
  const std::size_t place = firstOpen(steps);
  NW_ASSERT(place < steps.size(), "there is no split to decide");
  const auto& split = std::get<SplitStep>(steps[place]);
  std::int64_t left = split.extent.value_or(0);
  for (const TileSize& size : split.factors)
    if (size) left = *size > 0 && left % *size == 0 ? left / *size : 0;
  std::vector<Factors> ways;
  Factors factors = split.factors;
  if (left >= 1) decide(factors, 0, left, options.maxInnermostFactor, ways);
  std::vector<Steps> decided;
  for (std::size_t i = 0; i < ways.size() && decided.size() < most; ++i) {
    std::swap(ways[i], ways[i + random.below(ways.size() - i)]);
    decided.push_back(steps);
    std::get<SplitStep>(decided.back()[place]).factors = std::move(ways[i]);
  }
  return decided;
}

std::optional<State> completeByDefaults(const Sketch& sketch, const Steps& steps,
                                        const SpaceOptions& options, std::int64_t unroll) {
  Steps complete = steps;
  for (Step& step : complete)
    if (auto* split = std::get_if<SplitStep>(&step))
      for (TileSize& size : split->factors)
        if (!size) size = 1;
  SpaceOptions decided = options;
  decided.unrollSteps = {unroll}; // the only one to draw
  Random random(0);
  try {
    State state = withBounds(State::replay(sketch.state.originalDag(), complete));
    annotateParallel(state, decided);
    annotateUnroll(state, decided, random);
    annotateVectorize(state, decided, random);
    if (illegality(state, options)) return std::nullopt;
    return withBounds(state);
  } catch (const IllegalSchedule&) {
    return std::nullopt;
  }
}

} // namespace nestwright
