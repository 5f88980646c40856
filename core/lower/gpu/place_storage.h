#pragma once
/// \file Pass: where the buffers of a kernel live.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Elements that a thread can keep in registers; a larger buffer lies in its own memory, which is
/// as far away as any.
inline constexpr std::int64_t kMaxRegisterElements = 256;

/// Buffers of a thread that only literals and loop variables index become registers. Those of a
/// block are allocated once, at the start of the kernel; two that are never alive together share
/// their memory.
Stmt placeStorage(const Stmt& s);

} // namespace nestwright
