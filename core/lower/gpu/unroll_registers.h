#pragma once
/// \file Pass: loops that index registers, which have no addresses, are unrolled, and those around
/// tensor instructions, so that the next tiles are loaded while these are multiplied.

#include "core/lower/loop_ir.h"

namespace nestwright {

Stmt unrollRegisterLoops(const Stmt& s);

} // namespace nestwright
