#pragma once
/// \file A smaller part of a data set that still says what matters.

#include "core/model/data_set.h"

#include <cstddef>
#include <vector>

namespace nestwright {

/// What thinning keeps.
struct ThinOptions {
  std::size_t maxRows = 16384; // feature rows in all
  std::size_t newest = 128;    // programs that are kept for being new, if they did not fail
};

/// The programs to learn from when there are more than a round has time for (C13): no failed ones,
/// the newest, and of each task, which all get the same room, half of it the fastest and half
/// spread evenly over the ranks of the others. Indices into the set, ascending. A pure function of
/// the set.
std::vector<std::size_t> thin(const DataSet& set, const ThinOptions& options);

} // namespace nestwright
