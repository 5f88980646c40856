#pragma once
/// \file Lists that may be long, in a sentence.

#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>

namespace nestwright {

/// "a, b and 3 more": all of the names where there are no more than `most`.
inline std::string firstNames(std::span<const std::string> names, std::size_t most,
                              const char* separator = ", ") {
  std::string text =
      fmt::format("{}", fmt::join(names.first(std::min(names.size(), most)), separator));
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

} // namespace nestwright
