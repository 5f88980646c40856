#pragma once
/// \file Why a program was picked to be measured: what is stored with it, and shown beside it.

#include <cstdint>
#include <string_view>

namespace nestwright {

/// Why a candidate was picked to be measured.
enum class PickReason : std::uint8_t {
  None,          // nobody chose among candidates
  BestPredicted, // by the cost model
  EpsilonGreedy, // at random, to explore
  Random,        // at random, for lack of better ones
  CrossingLab,   // by a person, from the crossing lab
  Diversity,     // by the cost model, for values of knobs that the others do not have
  Drafted        // by the draft score, before there is a cost model
};
/// "", "best predicted", "epsilon-greedy", "random", "crossing lab", "diversity", "drafted": as it
/// is stored and shown.
const char* name(PickReason reason);
/// The inverse; None for a name that this version does not know.
PickReason pickReasonFromName(std::string_view text);

} // namespace nestwright
