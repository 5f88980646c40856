#pragma once
/// \file Small helpers for texts.

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// The text's lines, without their line feeds; a line feed at the end begins no further line.
std::vector<std::string> splitLines(std::string_view text);
/// The line without the blanks and tabs that it begins with; nothing of one that has no others.
std::string_view withoutIndent(std::string_view line);
/// The first line of the file; empty when it cannot be read.
std::string firstLineOf(const std::string& path);
/// The text with the letters of ASCII in lower case.
std::string lowerCase(std::string_view text);

/// The text as a shell takes it for one word (POSIX 2.2.2).
std::string shellWord(const std::string& text);

} // namespace nestwright
