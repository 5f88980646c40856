#pragma once
/// \file Stable hashes (XXH3): the same text gives the same hash on every machine and release.

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright {

/// 64-bit hash of a text.
std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0);

/// 128-bit hash of a text as 32 lower-case hexadecimal digits.
std::string hashHex(std::string_view text);

} // namespace nestwright
