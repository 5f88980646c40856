#pragma once
/// \file Linking object files into this process.

#include "core/backend/backend.h"

#include <memory>

namespace nestwright::llvm_backend {

/// Links the artifact; its memory is freed with the kernel. Throws Error when it cannot be linked.
std::unique_ptr<Kernel> loadKernel(const KernelArtifact& artifact);

/// Adds a checksum to an object file. Linkers ignore what follows the last section.
void seal(std::vector<std::uint8_t>& object);

} // namespace nestwright::llvm_backend
