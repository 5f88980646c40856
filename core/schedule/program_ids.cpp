#include "core/schedule/program_ids.h"

#include "core/schedule/state.h"
#include "core/support/hash.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

namespace nestwright {

ProgramIds::ProgramIds(const ComputeDag& dag) : dag_(print(dag) + '\n') {}

// By the steps, not by the printed nest as in the public implementation: records keep the steps, so
// that anyone can tell a program's identity without replaying it. Hardly a nest has two: among 1500
// random programs of each of seven tasks, one at most.
std::string ProgramIds::of(const Steps& steps) const {
  return hashHex(dag_ +
                 toJson(steps).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string programId(const ComputeDag& dag, const Steps& steps) {
  return ProgramIds(dag).of(steps);
}

} // namespace nestwright
