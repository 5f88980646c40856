#pragma once
/// \file The loop IR: what a program executes. Statements are immutable; passes return the same
/// node when nothing changed.

#include "core/tensor/expr.h"
#include "core/tensor/packed_layout.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// How a loop is executed. After lowering no Vectorized loop is left (Ramp and Broadcast replaced
/// them), parallel loops do not nest, and an Unrolled loop has a literal minimum: a backend emits
/// its body `extent` times with the variable replaced by a literal.
enum class ForKind : std::uint8_t { Serial, Parallel, Vectorized, Unrolled };

enum class StmtKind : std::uint8_t { For, Store, Block, Allocate, If };

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

/// Where an allocation lives.
enum class MemoryScope : std::uint8_t {
  Shared,    // once per kernel call, seen by all threads
  PerThread, // inside a parallel loop: one per thread
  Register,  // a handful of vectors, indexed by literals and by variables of unrolled loops only
};

/// One statement.
///
/// Indices of a Store and of a Load expression are either one per dimension of the buffer (none for
/// a scalar), or a single row-major index into the flattened buffer. After vectorisation the last
/// or only index may be a vector: a Ramp, or any vector expression (gather, scatter); a stored
/// value then has as many lanes. The condition of an If and of an IfThenElse is always a scalar;
/// that of a Select may be a vector. Any lane count may occur.
struct StmtNode {
  StmtKind kind;
  // For: `var` runs from `min` (any expression) over `extent` values
  Var var;
  Expr min;
  std::int64_t extent = 0;
  ForKind forKind = ForKind::Serial;
  std::int64_t unrollMaxStep = 0; // the auto_unroll_max_step pragma in force here
  bool reduction = false;         // For: iterates a reduction axis
  // Store: buffer[indices] = value. Allocate: buffer
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  MemoryScope scope = MemoryScope::Shared;
  Expr condition; // If: the body runs when it holds
  // For, Allocate, If: one child. Block: any number.
  std::vector<Stmt> body;
};

/// A loop; a literal extent of at least 1.
Stmt makeFor(Var var, Expr min, std::int64_t extent, ForKind kind, Stmt body);
Stmt makeStore(Buffer buffer, std::vector<Expr> indices, Expr value);
/// Statements one after another. One statement is itself; nested blocks are flattened.
Stmt makeBlock(std::vector<Stmt> statements);
Stmt makeAllocate(Buffer buffer, MemoryScope scope, Stmt body);
Stmt makeIf(Expr condition, Stmt then);

/// A copy of a For, Allocate or If around another body; `s` itself when it is the same.
Stmt withBody(const Stmt& s, Stmt body);

/// Rebuilds `s` with `f` applied to its children and `g` to its expressions; `s` itself when
/// nothing changed.
Stmt mapChildren(const Stmt& s, const std::function<Stmt(const Stmt&)>& f,
                 const std::function<Expr(const Expr&)>& g);
/// Rebuilds `s` with `g` applied to all of its expressions, those of inner statements, too; `s`
/// itself when nothing changed.
Stmt mapExprs(const Stmt& s, const std::function<Expr(const Expr&)>& g);

/// Calls `f` on every statement, parents before children.
void visit(const Stmt& s, const std::function<void(const Stmt&)>& f);

/// A lowered program: parameters are the DAG's inputs, then its outputs, in DAG order.
struct LoopFunction {
  std::string name = "kernel";
  std::vector<Buffer> parameters;
  int inputCount = 0;
  /// Per input: how it has to be packed before a run, where it is not taken as the DAG has it; such
  /// a parameter has the packed shape. Empty means none is packed.
  std::vector<std::optional<PackedLayout>> layouts;
  std::vector<std::pair<Buffer, std::vector<double>>> constants; // read-only tables
  Stmt body;
  double flops = 0;
};

/// Readable text, two blanks per level: "parallel i.fused in [0, 64)", "C[i, j] = ...".
/// Vectors are "ramp(base, stride, lanes)" and "x16(value)".
std::string print(const LoopFunction& function);
std::string print(const Stmt& stmt);

} // namespace nestwright
