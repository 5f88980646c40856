#pragma once
/// \file Words that no name in generated text may be.

#include <string_view>

namespace nestwright {

/// Whether it is a keyword of C11 or C++20, or a macro that compilers or the C library have of it.
bool isCWord(std::string_view text);

} // namespace nestwright
