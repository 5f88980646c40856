#include "core/search/diversity.h"

#include "core/support/error.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nestwright {

std::vector<std::size_t> pickDiverse(const std::vector<std::vector<std::size_t>>& digits,
                                     std::span<const double> scores, std::size_t count,
                                     double weight) {
  NW_ASSERT(digits.size() == scores.size(), "each configuration has one score");
  std::vector<std::size_t> picked;
  std::vector<bool> isPicked(digits.size(), false);
  std::set<std::pair<std::size_t, std::size_t>> covered; // knob, value
  count = std::min(count, digits.size());
  while (picked.size() < count) {
    std::size_t best = digits.size();
    double bestSum = -kInfinity;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (isPicked[i]) continue;
      int fresh = 0;
      for (std::size_t knob = 0; knob < digits[i].size(); ++knob)
        fresh += covered.contains({knob, digits[i][knob]}) ? 0 : 1;
      const double sum = scores[i] + weight * fresh;
      if (best < digits.size() && !(sum > bestSum)) continue;
      best = i;
      bestSum = sum;
    }
    picked.push_back(best);
    isPicked[best] = true;
    for (std::size_t knob = 0; knob < digits[best].size(); ++knob)
      covered.emplace(knob, digits[best][knob]);
  }
  return picked;
}

} // namespace nestwright
