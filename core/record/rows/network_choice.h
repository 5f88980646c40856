#pragma once
/// \file The records that a network runs with.

#include "core/support/row_id.h"

#include <cstdint>
#include <vector>

namespace nestwright {

/// The records that a network is to run with, kept from a recombination.
struct NetworkChoice {
  struct Program {
    RowId task = 0, record = 0;
  };
  RowId network = 0, target = 0, recombination = 0;
  std::int64_t keptAt = 0; // microseconds since the epoch
  double gain = 1;         // seconds of the per-task bests / seconds of the choice
  std::vector<Program> programs;
};

} // namespace nestwright
