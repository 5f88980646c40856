#pragma once
/// \file What a session searches.

#include "core/support/name_table.h"

#include <cstdint>

namespace nestwright {

enum class SearchSpace : std::uint8_t {
  Sketches,  // which rules make of any task
  Templates, // configurations of AutoTVM's templates, of tasks that one fits
};
/// As options and files have them.
inline constexpr NameTable<SearchSpace, 2> kSearchSpaceNames = {{"sketches", "templates"}};
constexpr const char* name(SearchSpace space) {
  return kSearchSpaceNames.of(space);
}

} // namespace nestwright
