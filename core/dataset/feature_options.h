#pragma once
/// \file Which numbers of the machine features are computed with.

#include "core/feature/program_features.h"
#include "core/target/target.h"

namespace nestwright {

/// How the chosen features of programs for this target are computed; the kind of machine is the
/// target's, whatever the choice says.
ProgramFeatureOptions programFeatureOptions(FeatureChoice choice, const TargetFacts& target);

} // namespace nestwright
