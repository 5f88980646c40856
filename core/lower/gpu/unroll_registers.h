#pragma once
/// \file Pass: loops that index registers, which have no addresses, are unrolled.

#include "core/lower/loop_ir.h"

namespace nestwright {

Stmt unrollRegisterLoops(const Stmt& s);

} // namespace nestwright
