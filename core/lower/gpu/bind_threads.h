#pragma once
/// \file Pass: loops over blocks and threads become the axes of their launch.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// All loops of a kernel on one axis share the launch's variable and vanish; a kernel without any
/// runs on one thread. A store that the loops on an axis do not share out is left to the first
/// thread, or block, of that axis. Throws IllegalSchedule when two loops on one axis differ in
/// extent.
Stmt bindThreads(const Stmt& s);

} // namespace nestwright
