#pragma once
/// \file Numbers of things, in words.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright {

/// "1 line", "2 lines": of a thing whose plural ends with s.
inline std::string quantity(std::int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

} // namespace nestwright
