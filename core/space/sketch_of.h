#pragma once
/// \file Which sketch a program was made from.

#include "core/space/sketch.h"

#include <span>

namespace nestwright {

/// The sketch that the program's steps begin with, tile sizes apart: its index, the longest where
/// several fit; -1 for a program of none, as people write them.
int sketchOf(std::span<const Sketch> sketches, const Steps& steps);

} // namespace nestwright
