#pragma once
/// \file Bounded texts: an error text is kept in full, but never without a limit (C2).

#include <cstddef>
#include <string>
#include <string_view>

namespace nestwright {

inline constexpr std::size_t kMaxErrorBytes = 64 << 10;

/// Valid UTF-8 (foreign bytes replaced by U+FFFD) of at most `limit` bytes; what is cut off at the
/// end is said.
std::string boundedText(const std::string& text, std::size_t limit = kMaxErrorBytes);

/// The beginning of valid UTF-8, of at most `bytes` bytes: never a part of a character.
std::string_view beginning(std::string_view text, std::size_t bytes);

} // namespace nestwright
