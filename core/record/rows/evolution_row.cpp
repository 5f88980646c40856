#include "core/record/rows/evolution_row.h"

#include <algorithm>

namespace nestwright {

const EvolvedProgram* EvolutionRow::find(std::string_view program) const {
  const auto found = std::ranges::find(programs, program, &EvolvedProgram::program);
  return found == programs.end() ? nullptr : &*found;
}

} // namespace nestwright
