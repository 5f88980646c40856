#pragma once
/// \file The launches of a GPU's kernel in a frame.

#include "core/backend/kernel_artifact.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace nestwright {

nlohmann::json launchesJson(const std::vector<KernelLaunch>& launches);
/// Of an artifact whose other members are known. Throws BadFrame for launches that it cannot have:
/// arguments outside of its parameters and its workspace, extents that no GPU has.
std::vector<KernelLaunch> launchesIn(const nlohmann::json& list, const KernelArtifact& artifact);

} // namespace nestwright
