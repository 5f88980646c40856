#pragma once
/// \file Unrolled loops that are more than their iterations one after the other: each of these
/// writes a loop as a whole where it can, and otherwise returns false and has written nothing.

#include "plugins/llvm/expr_codegen.h"

namespace nestwright::llvm_backend {

/// A loop that copies what a vector gathers from neighbouring rows: blocks of rows in whole
/// vectors, turned in registers, instead of gathers that take one element at a time.
bool emitTransposed(ExprCodegen& code, const StmtNode& loop);
/// A loop that adds neighbouring products in each lane, by the instructions that there are for
/// them.
bool emitDotProduct(ExprCodegen& code, const StmtNode& loop);
/// A loop that copies what a dot product takes in each lane, as whole vectors.
bool emitDotCopy(ExprCodegen& code, const StmtNode& loop);

} // namespace nestwright::llvm_backend
