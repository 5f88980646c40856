#pragma once
/// \file Where each buffer of a kernel lives.

#include "core/lower/loop_ir.h"

#include <cstdint>
#include <unordered_map>

namespace nestwright {

struct BufferPlace {
  enum class Kind : std::uint8_t { Parameter, Constant, Shared, PerThread, Stack };
  Kind kind = Kind::Parameter;
  /// Parameter, Constant: position. Shared, PerThread: offset in bytes in that workspace.
  std::int64_t position = 0;
  MemoryScope scope = MemoryScope::Global; // of the allocation
};

struct StoragePlan {
  std::unordered_map<const BufferNode*, BufferPlace> placements;
  std::int64_t sharedBytes = 0, threadBytes = 0;

  /// Throws Error naming the buffer when the function never declared it.
  const BufferPlace& at(const Buffer& buffer) const;
};

/// Gives each buffer of the function its own 64-byte aligned place: no two overlap, which is what
/// lets the generated code call all of them `noalias`.
StoragePlan planStorage(const LoopFunction& function);

} // namespace nestwright
