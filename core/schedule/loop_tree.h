#pragma once
/// \file The loop nest of a program as data: what printLoopNest() writes, line by line, with what
/// is known of every loop. Views show it, and comparisons align two of them.

#include "core/schedule/state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// Where a loop stands among the parts that its axis was split into: 0 of 4 is the outermost tile.
struct TileLevel {
  int level = 0;
  int of = 1; // 1: its axis was not split
  friend bool operator==(const TileLevel&, const TileLevel&) = default;
};

/// One line of a loop nest.
struct LoopNode {
  enum class Kind : std::uint8_t {
    Pragma,   // what holds for the stage below: "auto_unroll: 64"
    Loop,     //
    Statement // an element of the stage is computed
  };
  Kind kind = Kind::Statement;
  int parent = -1;   // the loop around it, an index into LoopTree::nodes
  int depth = 0;     // loops around it
  int stage = 0;     // of the state
  std::string owner; // the stage's name
  std::string text;  // a pragma: "auto_unroll: 64"

  // Loops only:
  int iterator = -1; // of the stage
  std::string name;  // as in steps and in the loop IR: "i.0"
  std::string axes;  // of the operator that it runs over: "i", or "i, j" when fused
  TileSize extent;   // unknown when bounds are
  std::string min;   // where it begins, if that is not 0
  Annotation annotation = Annotation::None;
  IteratorKind iteratorKind = IteratorKind::Spatial;
  TileLevel tile;
  bool isReduction() const { return iteratorKind != IteratorKind::Spatial; }

  /// The line without indentation, as printLoopNest() writes it.
  std::string line() const;
  friend bool operator==(const LoopNode&, const LoopNode&) = default;
};

struct LoopTree {
  std::vector<LoopNode> nodes;      // in the order of execution, parents before children
  std::vector<std::string> inputs;  // names of the placeholders
  std::vector<std::string> inlined; // stages that are computed inside of their readers
  std::string problem;              // why extents are not known: bounds cannot be inferred
};

/// The loop nest, without loops of extent 1 unless `trivialLoops`. Bounds are inferred where they
/// can be; a state that has none (a sketch, an illegal place) is shown with the extents that it
/// has.
LoopTree loopTree(const State& state, bool trivialLoops = false);

} // namespace nestwright
