#pragma once
/// \file A word that users put on records.

#include <cstdint>
#include <string>

namespace nestwright {

/// A word, and how many records carry it.
struct TagCount {
  std::string tag;
  std::int64_t records = 0;
};

} // namespace nestwright
