#pragma once
/// \file Pass: what virtual threads compute, one after another in a real thread.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// A loop over virtual threads becomes unrolled loops right around the smallest statements that
/// depend on it; what does not, such as what all of them fetch together, is there once. A buffer
/// whose elements depend on the virtual thread gets it as its first dimension.
Stmt expandVirtualThreads(const Stmt& s);

} // namespace nestwright
