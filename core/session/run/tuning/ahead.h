#pragma once
/// \file Whether a round is proposed while the one before it is measured (rounds_ahead.h).

#include "core/support/name_table.h"

#include <cstdint>

namespace nestwright {

enum class Ahead : std::uint8_t { Off, On };
/// As options and files have them.
inline constexpr NameTable<Ahead, 2> kAheadNames = {{"off", "on"}};
constexpr const char* name(Ahead ahead) {
  return kAheadNames.of(ahead);
}

} // namespace nestwright
