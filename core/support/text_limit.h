#pragma once
/// \file Bounded texts: an error text is kept in full, but never without a limit (C2).

#include <cstddef>
#include <string>

namespace nestwright {

inline constexpr std::size_t kMaxErrorBytes = 64 << 10;

/// Valid UTF-8 (foreign bytes replaced by U+FFFD) of at most `limit` bytes; what is cut off at the
/// end is said.
std::string boundedText(const std::string& text, std::size_t limit = kMaxErrorBytes);

} // namespace nestwright
