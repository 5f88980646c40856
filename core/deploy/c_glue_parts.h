#pragma once
/// \file Parts of the C code around the kernels, each in the room's own file.

#include "core/deploy/library.h"
#include "core/deploy/weights.h"

#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// "a, b, c": what an initialiser, or a list of parameters, has between its brackets.
inline std::string cList(const std::vector<std::string>& items) {
  return fmt::format("{}", fmt::join(items, ", "));
}

/// Which variant runs here: variant_here(), NAME_check() and NAME_processor(). `values` has NAME.
std::string processorGlue(const Library& library, std::map<std::string, std::string> values);

/// A network's functions. Likewise.
std::string networkGlue(const Library& library, const WeightsSums& sums,
                        std::map<std::string, std::string> values);

} // namespace nestwright
