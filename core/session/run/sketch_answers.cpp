#include "core/session/run/sketch_answers.h"

#include "core/support/hash.h"
#include "core/support/random.h"

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

bool isDrawn(const std::string& program, std::uint64_t seed, double share) {
  return Random::stream(seed, "compared answers", hash64(program)).unit() < share;
}

} // namespace

int sketchOf(const std::vector<Sketch>& sketches, const Steps& steps) {
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

std::vector<bool> answersToCompare(const std::vector<Candidate>& candidates,
                                   const std::vector<Sketch>& sketches, const SketchAnswers& known,
                                   std::uint64_t seed, double share) {
  std::vector<bool> compare(candidates.size(), false);
  if (share <= 0) return compare;
  std::set<int> seen = known.right;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const int sketch = sketchOf(sketches, candidates[i].steps);
    const bool first = seen.insert(sketch).second;
    compare[i] = first || known.doubts(sketch) || isDrawn(candidates[i].programId, seed, share);
  }
  return compare;
}

} // namespace nestwright
