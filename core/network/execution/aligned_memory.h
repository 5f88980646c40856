#pragma once
/// \file Memory for buffers that kernels run on.

#include "core/network/execution/execution_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace nestwright {

struct AlignedDelete {
  void operator()(std::byte* memory) const {
    ::operator delete(memory, std::align_val_t(kBufferAlignment));
  }
};
/// Bytes at a multiple of kBufferAlignment.
using AlignedMemory = std::unique_ptr<std::byte, AlignedDelete>;

/// Throws std::bad_alloc.
inline AlignedMemory allocateAligned(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  return AlignedMemory(
      static_cast<std::byte*>(::operator new(size, std::align_val_t(kBufferAlignment))));
}

/// Zeroed, so that a run before the inputs are set is at least defined.
inline AlignedMemory allocateZeroed(std::int64_t bytes) {
  AlignedMemory memory = allocateAligned(bytes);
  std::memset(memory.get(), 0, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0)));
  return memory;
}

} // namespace nestwright
