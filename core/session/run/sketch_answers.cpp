#include "core/session/run/sketch_answers.h"

#include "core/space/sketch_of.h"
#include "core/support/hash.h"
#include "core/support/random.h"

#include <algorithm>

namespace nestwright {

namespace {

bool isDrawn(const std::string& program, std::uint64_t seed, double share) {
  return Random::stream(seed, "compared answers", hash64(program)).unit() < share;
}

} // namespace

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
