#pragma once
/// \file A program that finds the elements of an array at other places.

#include "core/lower/loop_ir.h"
#include "core/tensor/packed_layout.h"

namespace nestwright {

/// The statement with every load from and store to `given` turned into one of `packed`, whose shape
/// is the layout's packed shape. Null when one of these accesses would become dearer than it is:
/// more terms or divisions in its address, or lanes that are no longer neighbours. Of a product
/// that one instruction makes, the lanes may be as far apart as it adds up in each.
Stmt relaid(const Stmt& root, const Buffer& given, const PackedLayout& layout,
            const Buffer& packed);

} // namespace nestwright
