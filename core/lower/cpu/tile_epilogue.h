#pragma once
/// \file What is made of each result of a reduction and of nothing else of it, as a bias and an
/// activation are: it can be done while the result is in a register.

#include "core/lower/loop_ir.h"

#include <optional>

namespace nestwright {

struct TileEpilogue {
  Buffer results;      // the reduction's, which then take no memory
  std::vector<Var> at; // per dimension of the results: the variable that is the index; null for 0
  Stmt store;          // to another buffer, for one element of the results
};

/// Of `allocate results: producers; loops over each of the results once: store`, where nothing but
/// an update reads the results besides: that store. Nothing when `allocate` is anything else, or
/// the store reads what no near cache holds, as a residual.
std::optional<TileEpilogue> epilogueOf(const StmtNode& allocate);

/// The store for the result at these indices, whose value is `value`.
Stmt finishedStore(const TileEpilogue& epilogue, const std::vector<Expr>& indices,
                   const Expr& value);

} // namespace nestwright
