#pragma once
/// \file Index expressions as flat lists of nodes: what the features ask of an index (which values
/// it takes, which loops move it and how far) is asked many times for each program.

#include "core/schedule/affine.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nestwright {

/// Literals and loops are leaves; the others name their operands by position in the same list.
struct IndexNode {
  enum class Kind : std::uint8_t {
    Literal,
    Loop,
    Add,
    Sub,
    Mul,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    Any
  };

  Kind kind = Kind::Literal;
  std::int32_t a = 0, b = 0;
  std::int64_t value = 0; // the literal, or the number of the loop, 0 for the outermost
};

/// One index: nodes, operands before users, the last one being the result. `Any` stands for a value
/// of which nothing is known.
using IndexCode = std::span<const IndexNode>;

/// The values that the index takes while each loop runs over its range (`loops`, outermost first);
/// an interval analysis, node by node. `scratch` is working memory.
IntRange rangeOf(IndexCode index, std::span<const IntRange> loops, std::vector<IntRange>& scratch);

bool usesLoop(IndexCode index, std::int64_t loop);

/// How far one step of the loop moves the index, guessed from the form of the expression as the
/// public implementation guesses it (handbook/ansor.md 6.4); 0 when the loop does not occur.
std::int64_t coefficientOf(IndexCode index, std::int64_t loop);

} // namespace nestwright
