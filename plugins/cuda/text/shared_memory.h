#pragma once
/// \file How a kernel's shared memory is declared.

#include "core/lower/loop_ir.h"

#include <cstdint>
#include <vector>

namespace nestwright::cuda {

struct SharedMemory {
  struct Array {
    Buffer buffer;
    std::int64_t offset = 0; // in the dynamic array
  };
  std::vector<Array> arrays; // in the order of the kernel
  /// 0: each is a static array. Otherwise all are in one array of this size that the launch asks
  /// for: static ones end at 48 KiB.
  std::int64_t dynamicBytes = 0;
};

SharedMemory planSharedMemory(const Stmt& kernel);

} // namespace nestwright::cuda
