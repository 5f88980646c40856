#pragma once
/// \file A slow interpreter of the loop IR that trusts nothing.

#include "core/lower/loop_ir.h"

#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// Runs the function on the inputs (by buffer name, as the DAG has them) in double precision; the
/// outputs by name. What is read before it was written is NaN. Throws std::runtime_error on an
/// index out of bounds, on an iteration of a parallel loop that touches what another one wrote, and
/// where the IR breaks the rules of loop_ir.h (register tiles, vector widths, loop kinds).
/// `multiplications` gets how often floating-point numbers were multiplied.
std::map<std::string, std::vector<double>>
interpret(const LoopFunction& function, const std::map<std::string, std::vector<double>>& inputs,
          std::int64_t* multiplications = nullptr);

} // namespace nestwright
