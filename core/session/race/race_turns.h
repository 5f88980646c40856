#pragma once
/// \file Whose turn it is in a heat (race.h): a turn is a round, and whoever has used least of its
/// budget has the next one, so that a drift of the machine hits all alike. Of those that are level
/// the first begins in one lap and the last in the next, A B B A: what changes steadily then
/// favours nobody.

#include <span>

namespace nestwright {

struct TurnTaker {
  bool ended = false;
  bool hasOpenRound = false; // which an interruption left
  double used = 0;           // of the budget, a share
  int rounds = 0;            // begun
};

/// The number of the one whose turn it is; -1 when all have ended. A function of what the file
/// knows, so that a race that was interrupted goes on in the order of one that was not.
int nextTurn(std::span<const TurnTaker> takers);

} // namespace nestwright
