#pragma once
/// \file Programs as the networks of schedule steps see them. Nothing of such a network knows the
/// place of a step or whether it is padding, so equal steps of a program have equal outputs, and
/// most steps of a batch stand in many programs: each different step is kept once, with how often a
/// program has it (handbook/cost-models.md 5.3).

#include "core/learn/table_file.h"

#include <cstdint>
#include <vector>

namespace nestwright::learner {

struct StepPrograms {
  std::vector<const float*> steps; // each different one, of the table's columns
  std::vector<float> padding;      // the step of zeros
  std::vector<std::size_t> first;  // entries of program p: [first[p], first[p + 1])
  std::vector<std::uint32_t> ids;  // of an entry: index into steps
  std::vector<float> counts;       // of an entry: how often the program has that step

  std::size_t programs() const { return first.size() - 1; }
  std::size_t stepsOf(std::size_t program) const { return first[program + 1] - first[program]; }
};

/// Of the programs [begin, end) of the table, cut and padded to `length` steps. Points into it.
StepPrograms stepPrograms(const MappedTable& table, std::size_t begin, std::size_t end,
                          std::size_t length);

} // namespace nestwright::learner
