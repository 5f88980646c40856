#pragma once
/// \file Where buffers that several kernels use lie in the workspace.

#include "core/lower/loop_ir.h"

#include <cstdint>
#include <map>

namespace nestwright::cuda {

struct Workspace {
  std::map<const BufferNode*, std::int64_t> offsets;
  std::int64_t bytes = 0;
};

/// Allocations that do not enclose one another share their memory. Offsets are multiples of 256.
Workspace planWorkspace(const Stmt& body);

} // namespace nestwright::cuda
