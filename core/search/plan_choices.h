#pragma once
/// \file What people choose of a policy that plans by the improvement it expects
/// (handbook/cost-models.md 4.4).

#include "core/support/name_table.h"

#include <cstdint>

namespace nestwright {

/// In what the improvement is counted.
enum class ImprovementScale : std::uint8_t {
  Relative, // as a share of the best
  Raw,      // in FLOP/s, as it was published for AdaTune
};
/// As options and files have them.
inline constexpr NameTable<ImprovementScale, 2> kImprovementScaleNames = {{"relative", "raw"}};
constexpr const char* name(ImprovementScale scale) {
  return kImprovementScaleNames.of(scale);
}

/// What share of a plan is drawn at random.
enum class Exploration : std::uint8_t {
  Contextual, // by how unsure the cost model is
  Fixed,      // as it was chosen
};
inline constexpr NameTable<Exploration, 2> kExplorationNames = {{"contextual", "fixed"}};
constexpr const char* name(Exploration exploration) {
  return kExplorationNames.of(exploration);
}

} // namespace nestwright
