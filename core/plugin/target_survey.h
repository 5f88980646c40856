#pragma once
/// \file What the programs of a target can be used for on this machine, told before somebody begins
/// with them.

#include "core/backend/backend_survey.h"
#include "core/target/gpu_facts.h"

#include <string>
#include <vector>

namespace nestwright {

/// A GPU of this machine.
struct SurveyedDevice {
  GpuFacts facts;
  std::string problem; // why no program can be compiled for it, a sentence; empty when one can
};

struct TargetSurvey {
  bool canCompile = true, canMeasure = true;
  /// Sentences that say what is missing for either, how to get it, and what else is to be known of
  /// the devices; empty when nothing is.
  std::vector<std::string> missing;
  /// Of a GPU: its devices here, in the driver's order.
  std::vector<SurveyedDevice> devices;
};

/// Of a target as targetNamed() takes it. Loads its backend's plugin; devices are asked for by a
/// process of the backend's own, so this takes up to some seconds. Throws InputError for a name
/// that is none.
TargetSurvey surveyTarget(const std::string& name);

/// The same from what a GPU's backend found. `architecture` is that of a preset, "sm_90", or empty
/// for the device of this machine.
TargetSurvey surveyGpu(const BackendSurvey& found, const std::string& architecture);

} // namespace nestwright
