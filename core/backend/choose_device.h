#pragma once
/// \file Which of a machine's GPUs somebody means.

#include "core/target/gpu_facts.h"

#include <string>
#include <vector>

namespace nestwright {

/// Whether a time of one is a time of each other. True of none.
bool areOfOneKind(const std::vector<GpuFacts>& devices);

/// The number of the device that `wanted` names: a number, or a part of the name that only one kind
/// has. Nothing wanted takes the first, if all are of one kind. Throws DeviceError (Absent) when
/// there is none, UsageError that lists them when `wanted` does not choose one.
int chooseDevice(const std::vector<GpuFacts>& devices, const std::string& wanted);

} // namespace nestwright
