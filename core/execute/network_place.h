#pragma once
/// \file Where a network runs: on this machine's processor, or on its GPU.

#include "core/backend/backend.h"

#include <memory>
#include <string>

namespace nestwright {

/// What compiles a network's kernels and what runs them.
struct NetworkPlace {
  const Backend& backend;
  TargetFacts target; // that they are compiled for, and whose records they are taken from (C28)
  std::shared_ptr<Device> device;

  bool isGpu() const { return target.gpu.has_value(); }
};

/// The backend of the target "llvm", which may have an instruction set, or "cuda". Throws
/// UsageError for a target without a device, such as "cuda:sm_90", and as backend() does.
const Backend& backendToRunOn(const std::string& target);

/// Opens the device. `threads` are those of kernels on a processor (0: all cores), of which they
/// use this instruction set. Throws SystemError (DeviceError on a GPU) that says what is missing.
NetworkPlace openPlace(const Backend& backend, int threads, const DeviceOptions& device = {},
                       InstructionSet set = InstructionSet::Native);

} // namespace nestwright
