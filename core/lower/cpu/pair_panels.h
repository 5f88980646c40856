#pragma once
/// \file Pass: copies of an operand that hold what an instruction multiplies and adds side by side.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Lays out each array that the program allocates, fills by copying and reads in dot products
/// (core/lower/dot_product.h) so that the elements that one instruction takes in a lane are
/// neighbours: k n becomes k/2 n 2. One keeps its layout when an access of it would become dearer.
Stmt pairPanels(const Stmt& root);

} // namespace nestwright
