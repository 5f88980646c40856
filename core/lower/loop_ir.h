#pragma once
/// \file The loop IR: what a program executes. Statements are immutable; passes return the same
/// node when nothing changed.

#include "core/schedule/tensor_instruction.h"
#include "core/tensor/compute_dag.h"
#include "core/tensor/packed_layout.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// How a loop is executed. After lowering no Vectorized loop is left (Ramp and Broadcast replaced
/// them), parallel loops do not nest, and an Unrolled loop has a literal minimum: a backend emits
/// its body `extent` times with the variable replaced by a literal.
///
/// Block, Thread and VirtualThread are loops of a GPU program, each along one axis. None of them is
/// left after lowering: a Launch has the variables of blocks and threads, and virtual threads have
/// become unrolled loops.
enum class ForKind : std::uint8_t {
  Serial,
  Parallel,
  Vectorized,
  Unrolled,
  Block,
  Thread,
  VirtualThread,
  Tensorized // of a GPU: that an instruction takes the place of; only until tensorize
};

/// A direction of a grid of blocks, and of the threads in a block.
enum class Axis3 : std::uint8_t { X, Y, Z };

enum class StmtKind : std::uint8_t {
  For,
  Store,
  Sequence,
  Allocate,
  If,
  Prefetch, // only in programs for a CPU: buffer[indices] will be needed, if there is such an
            // element
  // only in GPU programs
  Launch,        // one kernel: the body runs for every thread of every block
  Barrier,       // all threads of the block have come here, and see what the others wrote before
  ReduceThreads, // only until reduce_across_threads: combines what the threads hold
  Shuffle,       // a thread of the same warp tells a value
  CopyAsync,     // Global memory into that of the block, not there before a Wait
  Commit,        // the thread's copies since its last Commit are a group from here on
  Wait,          // the thread's groups are there, but for the latest ones
  LoadFragment,  // the lanes of a warp load their shares of a tile
  Mma,           // the lanes of a warp multiply two tiles and add to a third
};

/// What a prefetched element is needed for. One that will be written is made this processor's own.
enum class PrefetchFor : std::uint8_t { Reading, Writing };

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

/// Where an allocation lives.
enum class MemoryScope : std::uint8_t {
  Global,    // once per call, seen by all threads
  Block,     // shared memory of a GPU: one per block, seen by its threads
  PerThread, // inside a parallel loop, or in the threads of a launch: one per thread
  Register,  // a handful of values, indexed by literals and by variables of unrolled loops only
};

/// Blocks of a grid, or threads of a block, along one axis.
struct LaunchAxis {
  Var var; // null where the extent is 1
  std::int64_t extent = 1;
};

/// How a kernel is launched.
struct Launch {
  std::string kernel;                // a name that no other launch of the function has
  std::array<LaunchAxis, 3> grid;    // by Axis3: "blockIdx.x", ...
  std::array<LaunchAxis, 3> threads; // of one block: "threadIdx.x", ...
  double flops = 0;                  // of this kernel
  int minBlocks = 1;                 // that a multiprocessor is to hold at once, at least

  std::int64_t blocks() const { return product(grid); }
  std::int64_t threadsPerBlock() const { return product(threads); }

 private:
  static std::int64_t product(const std::array<LaunchAxis, 3>& axes) {
    return axes[0].extent * axes[1].extent * axes[2].extent;
  }
};

/// How the threads of a warp, cut into segments of `width` neighbours, tell one another a value:
/// __shfl_down_sync(mask, value, lane, width) or __shfl_sync(mask, value, lane, width).
struct ShuffleLanes {
  enum class Kind : std::uint8_t {
    Down, // from the thread that is `lane` further in the segment; behind its end: the own value
    From, // from the thread number `lane` of the segment
  };
  Kind kind = Kind::Down;
  int lane = 0;
  int width = 32;                   // a power of two
  std::uint32_t mask = 0xffff'ffff; // the threads of a warp that exist
};

/// How a tile of an operand lies in memory, in elements.
struct FragmentLoad {
  TensorOperand operand = TensorOperand::A;
  std::int64_t rowStride = 1, columnStride = 1;
  /// Eight neighbours along the axis whose stride is 1 are 16 aligned bytes of shared memory, so
  /// that one instruction loads them all (ldmatrix).
  bool whole = false;
};

/// One statement.
///
/// Indices of a Store and of a Load expression are either one per dimension of the buffer (none for
/// a scalar), or a single row-major index into the flattened buffer. After vectorisation the last
/// or only index may be a vector: a Ramp, or any vector expression (gather, scatter); a stored
/// value then has as many lanes. The condition of an If and of an IfThenElse is always a scalar;
/// that of a Select may be a vector. On a CPU any lane count may occur. On a GPU a vector has at
/// most 16 bytes, every vector index is a Ramp of stride 1, and one into Global or Block memory is
/// a multiple of the lanes: one aligned access.
///
/// In a lowered GPU program variables and indices are 32 bits wide where their values are proven to
/// fit, else 64; a FloorDiv or FloorMod of type uint32 has operands that are proven not to be
/// negative, so that it is the plain unsigned division.
///
/// A CopyAsync copies what its value loads, or zeros where the condition of an if_then_else around
/// the load does not hold. Until its thread has waited for it nobody may touch the elements; others
/// see them behind a barrier behind this Wait.
///
/// In a GPU program every barrier, ReduceThreads, Shuffle, LoadFragment and Mma is reached by all
/// threads of a block or by none: never inside an If or a loop that depends on the thread.
///
/// Of a LoadFragment the value is the load of the tile's first element, and of an Mma the product
/// of two loads; these, and buffer[indices], are the first elements of fragments: further ones, as
/// many as the instruction has, follow in the same buffer. All lanes of a warp name the same ones.
struct StmtNode {
  StmtKind kind;
  ForKind forKind = ForKind::Serial;              // For
  Axis3 axis = Axis3::X;                          // For: of a block, thread or virtual thread loop
  bool reduction = false;                         // For: iterates a reduction axis
  MemoryScope scope = MemoryScope::Global;        // Allocate
  Reducer reducer = Reducer::Sum;                 // ReduceThreads
  ShuffleLanes shuffle;                           // Shuffle
  const TensorInstruction* instruction = nullptr; // For of a tile, LoadFragment, Mma
  FragmentLoad fragment;                          // LoadFragment
  // For: `var` runs from `min` (any expression) over `extent` values. ReduceThreads: over all
  // values of `var`, a thread loop's variable
  Var var;
  Expr min;
  std::int64_t extent = 0;
  std::int64_t unrollMaxStep = 0; // For: the auto_unroll_max_step pragma in force here
  /// For: tiles that are fetched or computed with at once. Above 1 for the reduction loops around
  /// what threads fetch together, from pipeline_shared on for the one loop over all tiles.
  int pipelineStages = 1;
  PrefetchFor prefetchFor = PrefetchFor::Reading; // Prefetch
  int pending = 0; // Wait: the latest groups of copies, which need not be there
  // Prefetch: buffer[indices].
  // Store, CopyAsync, ReduceThreads, Shuffle, LoadFragment, Mma: buffer[indices] = value, which a
  // Shuffle takes from another thread, and a ReduceThreads from all of them; an Mma adds it.
  // Allocate: buffer
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  // If: the body runs when it holds. ReduceThreads: the result is stored when it holds; may be null
  Expr condition;
  std::shared_ptr<const Launch> launch; // Launch
  // For, Allocate, If, Launch: one child. Sequence: any number.
  std::vector<Stmt> body;
};

/// A loop; a literal extent of at least 1.
Stmt makeFor(Var var, Expr min, std::int64_t extent, ForKind kind, Stmt body);
Stmt makeStore(Buffer buffer, std::vector<Expr> indices, Expr value);
/// Statements one after another. One statement is itself; nested sequences are flattened.
Stmt makeSequence(std::vector<Stmt> statements);
Stmt makeAllocate(Buffer buffer, MemoryScope scope, Stmt body);
Stmt makeIf(Expr condition, Stmt then);
/// A hint, which changes nothing: the element at this flat index, which may lie behind the buffer's
/// end, will be read or written.
Stmt makePrefetch(Buffer buffer, Expr index, PrefetchFor use = PrefetchFor::Reading);
Stmt makeLaunch(Launch launch, Stmt body);
Stmt makeBarrier();
/// buffer[indices] = what `reducer` makes of the `value` of all threads along `thread`, where
/// `condition` holds; null for everywhere.
Stmt makeReduceThreads(Buffer buffer, std::vector<Expr> indices, Reducer reducer, Expr value,
                       Var thread, Expr condition = {});
/// buffer[indices] = the `value` of another thread.
Stmt makeShuffle(Buffer buffer, std::vector<Expr> indices, Expr value, ShuffleLanes lanes);
/// buffer[indices] = what `value` loads, in a while.
Stmt makeCopyAsync(Buffer buffer, std::vector<Expr> indices, Expr value);
Stmt makeCommit();
/// All groups of copies are there but for the latest `pending`.
Stmt makeWait(int pending);
/// buffer[indices ...] = the lane's share of the tile that begins with the element `first`.
Stmt makeLoadFragment(const TensorInstruction& instruction, Buffer buffer,
                      std::vector<Expr> indices, Expr first, FragmentLoad fragment);
/// buffer[indices ...] += the lane's share of the product of the tiles whose fragments begin with
/// the elements `a` and `b`.
Stmt makeMma(const TensorInstruction& instruction, Buffer buffer, std::vector<Expr> indices, Expr a,
             Expr b);

/// Whether a loop's iterations are blocks or threads of a GPU, virtual ones among them.
bool isThreadLoop(ForKind kind);

/// Whether a statement of this kind computes or moves elements itself: one that a compiler has to
/// translate.
bool storesElements(StmtKind kind);
/// Lanes of the widest index: so many elements are read or stored at once.
int lanesOf(const std::vector<Expr>& indices);
/// How many of them there are once all unrolled loops are; the largest number where there are more.
std::int64_t statementsAfterUnrolling(const Stmt& s);

/// A copy of a For, Allocate, If or Launch around another body; `s` itself when it is the same.
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

/// Readable text, two blanks per level: "parallel i.fused in [0, 64)", "C[i, j] = ...", "launch C
/// with blockIdx.x in [0, 8)", "barrier".
/// Vectors are "ramp(base, stride, lanes)" and "x16(value)".
std::string print(const LoopFunction& function);
std::string print(const Stmt& stmt);

} // namespace nestwright
