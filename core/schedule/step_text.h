#pragma once
/// \file The JSON text of steps without the tree of values in between, which takes most of the time
/// where millions of programs are written or given their programId.

#include "core/schedule/step.h"

#include <string>
#include <string_view>

namespace nestwright {

/// toJson(steps).dump().
std::string compactText(const Steps& steps);
/// Compact JSON text with the separators of public records; recordText() of what it is the text of.
std::string spacedText(std::string_view compact);

} // namespace nestwright
