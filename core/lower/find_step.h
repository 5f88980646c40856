#pragma once
/// \file Which step is to blame for a program that cannot be lowered (C3).

#include "core/schedule/state.h"

namespace nestwright {

/// Index of the last step that annotated a loop of the stage of this name so, or -1.
int findAnnotation(const State& state, const std::string& stage, Annotation annotation);

/// Index of the last step that placed the stage of this name (compute-at or compute-inline), or -1.
int findPlacement(const State& state, const std::string& stage);

} // namespace nestwright
