#pragma once
/// \file The words of a command that a person writes in one line.

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// The words of a command in one line: they are parted by blanks, and quotes and backslashes keep
/// blanks in them. No shell reads it: nothing is expanded. Throws UsageError, which begins with
/// "the `owner`'s command", when a quote is not closed.
std::vector<std::string> commandWords(std::string_view line, std::string_view owner);

} // namespace nestwright
