#pragma once
/// \file Files as logs are packed.

#include "core/support/random.h"

#include <string>

namespace nestwright::fuzz {

enum class Packing : std::uint8_t { None, Gzip, Xz };

/// None most often.
Packing anyPacking(Random& random);
/// What a file's name ends in: ".gz".
const char* ending(Packing packing);
std::string packed(std::string text, Packing packing);

} // namespace nestwright::fuzz
