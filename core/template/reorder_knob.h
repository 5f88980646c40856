#pragma once
/// \file Knobs that say in which order loops stand. Loops are named by their positions.

#include "core/template/config_space.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// The order that they have.
Knob identityOrder(std::string name, int loops);
/// All orders, of the loops from `begin` to before `end` alone where that is said.
Knob allOrders(std::string name, int loops);
Knob allOrders(std::string name, int loops, int begin, int end);

/// Loops of some axes that were split, the outermost of each first.
using Chains = std::vector<std::vector<int>>;
/// The outer loops of the spatial axes taken in turn, then their innermost loops with those of the
/// reduction's axes. Of several chains that with most loops left comes next, so that there is one
/// such order.
Knob interleavedOrder(std::string name, const Chains& spatial, const Chains& reduction);
/// The same with the reduction between the outer loops and the innermost ones, as a GPU wants it.
Knob interleavedOrderForGpu(std::string name, const Chains& spatial, const Chains& reduction);

} // namespace nestwright
