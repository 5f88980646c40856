#include "core/session/race/race_turns.h"

#include <algorithm>
#include <limits>

namespace nestwright {

int nextTurn(std::span<const TurnTaker> takers) {
  double least = std::numeric_limits<double>::infinity();
  int lap = std::numeric_limits<int>::max();
  for (const TurnTaker& taker : takers) {
    if (taker.ended) continue;
    least = std::min(least, taker.used);
    lap = std::min(lap, taker.rounds);
  }
  int next = -1;
  for (int i = 0; i < static_cast<int>(takers.size()); ++i) {
    const TurnTaker& taker = takers[static_cast<std::size_t>(i)];
    if (taker.ended) continue;
    if (taker.hasOpenRound) return i;
    if (taker.used == least && (next < 0 || lap % 2 == 1)) next = i;
  }
  return next;
}

} // namespace nestwright
