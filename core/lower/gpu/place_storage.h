#pragma once
/// \file Pass: where the buffers of a kernel live.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Buffers of a thread that only literals and loop variables index become registers; one of more
/// than kMostRegisterElements lies in the thread's own memory, which is as far away as any. Those
/// of a block are allocated once, at the start of the kernel; two that are never alive together
/// share their memory.
Stmt placeStorage(const Stmt& s);

} // namespace nestwright
