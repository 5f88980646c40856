#pragma once
/// \file Which operand of a reduction is worth packing into panels. Private to this room.

#include "core/space/sketch.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// An operand and the axes of its reader, by their part in the reuse (numbers of spatial axes).
struct PackedPanel {
  int operand = 0;         // stage that is read
  std::vector<int> batch;  // axes of all operands: nothing is read again along them
  std::vector<int> panel;  // axes of the operand: a panel is a piece of them
  std::vector<int> reused; // the others: the panel is read again along them
  int laneIndex = 0;       // which index of the operand is the axis that becomes vectors
  int rowIndex = 0;        // which index is the axis along which its rows run
  bool transposed = false; // its rows run along the reduction
  /// Elements along the reduction that an instruction multiplies and adds in each lane, so that
  /// they lie side by side in the panel (handbook/ansor.md 11.9), and the index that is this axis;
  /// 1: there is none.
  int dotLength = 1, dotIndex = 0;
  bool cutReduction = false; // a panel over the whole reduction would not stay in the L2 cache
  std::string reason;        // why it is packed
};

/// The operand of the stage that should be read from packed panels. It is one that the vectors of
/// the result read, again and again, from rows too far apart for caches, TLB and prefetching, or
/// across its rows. Nothing when there is none. Constant operands are none: they are packed before
/// the program runs (core/lower/pack_constants).
std::optional<PackedPanel> packedPanel(const State& state, int stage, const SpaceOptions& options);

} // namespace nestwright
