#pragma once
/// \file What the programs of a target can be used for on this machine, told before somebody begins
/// with them.

#include "core/backend/backend_survey.h"

#include <string>
#include <vector>

namespace nestwright {

struct TargetSurvey {
  bool canCompile = true, canMeasure = true;
  /// Sentences that say what is missing for either, and how to get it; empty when nothing is.
  std::vector<std::string> missing;
  /// Of a GPU: its devices here by name, in the driver's order.
  std::vector<std::string> devices;
};

/// Of a target as targetNamed() takes it. Loads its backend's plugin; devices are asked for by a
/// process of the backend's own, so this takes up to some seconds. Throws InputError for a name
/// that is none.
TargetSurvey surveyTarget(const std::string& name);

/// The same from what a GPU's backend found. `architecture` is that of a preset, "sm_90", or empty
/// for the device of this machine.
TargetSurvey surveyGpu(const BackendSurvey& found, const std::string& architecture);

} // namespace nestwright
