#pragma once
/// \file Steps out of simdjson's tree. It knows good steps only; what is wrong with others,
/// stepsFromJson() says.

#include "core/schedule/step.h"

#include <simdjson.h>

namespace nestwright {

/// False when the list cannot be read here; `steps` is then of no use.
bool readSteps(simdjson::dom::array list, Steps& steps);

} // namespace nestwright
