#pragma once
/// \file The loop IR: what a program executes. Statements are immutable; passes return the same node
/// when nothing changed.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/expr.h"

namespace nestwright {

enum class ForKind : std::uint8_t { Serial, Parallel, Vectorized, Unrolled };

enum class StmtKind : std::uint8_t { For, Store, Block, Allocate, If };

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

/// Where an allocation lives.
enum class MemoryScope : std::uint8_t {
  Shared,    // once per kernel call, seen by all threads
  PerThread, // inside a parallel loop: one per thread
  Register,  // a handful of vectors, indexed by literals only
};

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
  // If
  Expr condition;
  // For, Allocate, If: one child. Block: any number.
  std::vector<Stmt> body;
};

Stmt makeFor(Var var, Expr min, std::int64_t extent, ForKind kind, Stmt body);
Stmt makeStore(Buffer buffer, std::vector<Expr> indices, Expr value);
Stmt makeBlock(std::vector<Stmt> statements); // one statement: itself; nested blocks are flattened
Stmt makeAllocate(Buffer buffer, MemoryScope scope, Stmt body);
Stmt makeIf(Expr condition, Stmt then);

/// Rebuilds `s` with `f` applied to its children and `g` to its expressions; `s` itself when nothing
/// changed.
Stmt mapChildren(const Stmt& s, const std::function<Stmt(const Stmt&)>& f,
                 const std::function<Expr(const Expr&)>& g);

/// A lowered program: parameters are the DAG's inputs, then its outputs, in DAG order.
struct LoopFunction {
  std::string name = "kernel";
  std::vector<Buffer> parameters;
  int inputCount = 0;
  std::vector<std::pair<Buffer, std::vector<double>>> constants; // read-only tables
  Stmt body;
  double flops = 0;
};

/// Readable text, two blanks per level: "parallel i.fused in [0, 64)", "C[i, j] = ...".
std::string print(const LoopFunction& function);
std::string print(const Stmt& stmt);

} // namespace nestwright
