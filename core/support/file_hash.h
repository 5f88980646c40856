#pragma once
/// \file The stable hash of what a file has.

#include <string>

namespace nestwright {

/// As hashHex() of all its bytes. Throws InputError that names it where it cannot be read.
std::string hashHexOfFile(const std::string& path);

} // namespace nestwright
