#include "core/space/sketch_of.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Whether the step is the sketch's one with its sizes decided.
bool decides(const Step& step, const Step& undecided) {
  const auto* split = std::get_if<SplitStep>(&step);
  const auto* open = std::get_if<SplitStep>(&undecided);
  if (!split || !open) return step == undecided;
  const auto fits = [](const TileSize& size, const TileSize& wanted) {
    return !wanted || size == wanted;
  };
  return split->stage == open->stage && split->iterator == open->iterator &&
         split->innerToOuter == open->innerToOuter && fits(split->extent, open->extent) &&
         std::ranges::equal(split->factors, open->factors, fits);
}

} // namespace

int sketchOf(std::span<const Sketch> sketches, const Steps& steps) {
  int found = -1;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sketches.size(); ++i) {
    const Steps& begin = sketches[i].state.steps();
    if (begin.size() > steps.size() || (found >= 0 && begin.size() <= longest)) continue;
    if (!std::equal(begin.begin(), begin.end(), steps.begin(),
                    [](const Step& open, const Step& step) { return decides(step, open); }))
      continue;
    found = static_cast<int>(i);
    longest = begin.size();
  }
  return found;
}

} // namespace nestwright
