#pragma once
/// \file What cost models are judged beside: one that knows nothing and one that knows all.

#include "core/support/name_table.h"

#include <cstdint>

namespace nestwright {

enum class Yardstick : std::uint8_t { Random, Oracle };
/// What they are called among the models of an evaluation.
inline constexpr NameTable<Yardstick, 2> kYardstickNames = {{"random", "oracle"}};
constexpr const char* name(Yardstick yardstick) {
  return kYardstickNames.of(yardstick);
}
constexpr bool isYardstick(std::string_view model) {
  return kYardstickNames.find(model).has_value();
}

} // namespace nestwright
