#pragma once
/// \file A compiled program in the header of a frame; its code is the frame's payload.

#include "core/backend/kernel_artifact.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace nestwright {

nlohmann::json toJson(const KernelArtifact& artifact);
/// The inverse, for what another process says. Throws BadFrame when it is no artifact.
KernelArtifact kernelArtifact(const nlohmann::json& fields, std::vector<std::uint8_t> code);

/// {"shape": [...], "axes": [...], "parts": [[dimension, extent, size], ...]}
nlohmann::json toJson(const PackedLayout& layout);

} // namespace nestwright
