#pragma once
/// \file The names of an enumeration's values, said once.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace nestwright {

/// The names in the order of the values, which count from 0. To be written with the number of
/// values, so that a name cannot be forgotten when one is added.
template <class Enum, std::size_t count>
struct NameTable {
  std::array<const char*, count> names;

  constexpr const char* of(Enum value) const { return names[static_cast<std::size_t>(value)]; }
  /// Nothing when no value has this name.
  constexpr std::optional<Enum> find(std::string_view text) const {
    for (std::size_t i = 0; i < count; ++i)
      if (text == names[i]) return static_cast<Enum>(i);
    return std::nullopt;
  }
};

} // namespace nestwright
