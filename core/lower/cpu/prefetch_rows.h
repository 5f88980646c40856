#pragma once
/// \file Pass: rows are fetched before their turn, where memory would be idle or surprised.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// A softmax goes through a row for its maximum, for its sum, and to divide by that; only the first
/// of these phases reads what is in no cache, and only the last writes it. Memory would be idle
/// during the others, since a processor looks no further ahead than a few hundred instructions. So
/// the heaviest phase after the first that reads an input's row gets hints for the next row, and
/// the heaviest before the first that stores to an output's row gets hints for that row.
///
/// A depthwise convolution's window moves on by a row, or by a few positions of one, and reads
/// parts of several rows at a time, an order that no processor foresees. So the innermost loop that
/// moves a window over a large input gets hints for what the next window has and this one has not,
/// and for where the next results go.
///
/// Each step names its share (handbook/ansor.md 11.4), half a line at least: a step of a scalar is
/// one that a compiler is to vectorise, which it does with no loop that has a hint. Only rows from
/// half a KiB to 64 KiB, of arrays too large for a first-level cache, or for a second-level one
/// where windows move over them.
Stmt prefetchRows(const LoopFunction& function);

} // namespace nestwright
