#pragma once
/// \file Long lines of generated code, broken where people would.

#include <string>

namespace nestwright {

/// A statement in lines of at most 100 characters where it has places to break, the further ones
/// four blanks deeper than the first; with a line feed at the end.
std::string brokenLines(const std::string& indent, const std::string& statement);

} // namespace nestwright
