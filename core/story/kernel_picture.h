#pragma once
/// \file How the kernels of a GPU program are laid out: what its blocks, virtual threads and
/// threads each compute of a kernel's output, and the tiles that they hold. Plain values, told from
/// the bounds of a state, so that every step of a derivation has one.

#include "core/space/kernel_demand.h"
#include "core/target/occupancy.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// How many positions of one axis of a kernel's output each level computes. Where they are apart,
/// those in between count too.
struct AxisShare {
  std::string axis; // of the operator: "i"
  std::int64_t whole = 1, block = 1, thread = 1;
  std::int64_t piece = 1; // of one virtual thread

  bool operator==(const AxisShare&) const = default;
};

/// What a kernel keeps of a stage that is computed inside it.
struct HeldTile {
  enum class Holder : std::uint8_t { Block, Thread }; // in shared memory, in registers
  std::string stage;
  Holder holder = Holder::Block;
  std::vector<std::int64_t> shape; // of one copy, without padding
  std::int64_t copies = 1;         // one for each virtual thread
  std::int64_t fills = 1;          // how often it is filled while its holder runs
  int elementBytes = 4;

  std::int64_t elements() const; // of all copies
  std::int64_t bytes() const { return elements() * elementBytes; }
};

/// Which elements of a kernel's output each thread computes.
class ElementMap {
 public:
  struct Element {
    std::vector<std::int64_t> position; // on each axis of the output
    int piece = 0;                      // the virtual thread that computes it
  };

  /// A number for each element of a thread.
  class Column {
   public:
    Column() = default;
    explicit Column(std::int64_t ofAll) : ofAll_(ofAll) {}
    explicit Column(std::vector<std::int64_t> each) : each_(std::move(each)) {}
    std::int64_t operator[](std::size_t element) const {
      return each_.empty() ? ofAll_ : each_[element];
    }
    bool isOne() const { return each_.empty(); }

   private:
    std::int64_t ofAll_ = 0;
    std::vector<std::int64_t> each_; // empty: the same for all
  };
  /// All elements of one thread.
  struct ThreadElements {
    std::vector<Column> positions; // on each axis of the output
    Column pieces;
    Column isInside; // 0 where an element lies beyond the output's edge
  };

  /// Of the stage at root; numbers of blocks and threads count x fastest.
  ElementMap(const Stage& root, const StageBounds& bounds, const KernelDemand& demand);
  std::int64_t elementsOfThread() const { return elements_; }
  /// Nothing where the thread's element lies beyond the output's edge.
  std::optional<Element> at(std::int64_t block, std::int64_t thread, std::int64_t element) const;
  /// What at() says of each of the thread's elements, at a fraction of its price.
  ThreadElements ofThread(std::int64_t block, std::int64_t thread) const;

 private:
  enum class Level : std::uint8_t { Block, Thread, VirtualThread, Inner };
  struct Loop {
    Var variable;
    std::int64_t extent = 1;
    Level level = Level::Inner;
    std::int64_t stride = 1; // of its index in the number of its block, thread or element
    std::int64_t pieceStride = 0;
  };
  using Values = std::vector<std::pair<const VarNode*, Column>>;
  ThreadElements elementsAt(const Values& loops, Column pieces, std::size_t count) const;

  std::vector<Loop> loops_;
  std::vector<Expr> values_, guards_;
  std::vector<std::int64_t> whole_;
  std::int64_t elements_ = 1;
};

/// One kernel: a stage at root with all that is computed inside it.
struct KernelPicture {
  std::string name;     // of the stage
  KernelDemand demand;  // its grid, its threads, what they take
  Occupancy occupancy;  // by the estimate of its registers
  bool isBound = false; // some loop of it is bound to blocks or threads
  std::vector<AxisShare> axes;
  std::vector<HeldTile> tiles; // in the order in which they are computed
  std::shared_ptr<const ElementMap> elements;
};

/// How often so many blocks of a kernel fill all multiprocessors of a GPU; 0 when that is not
/// known.
double wavesOf(std::int64_t blocks, const Occupancy& occupancy, int multiprocessors);

/// Of each stage at root, in the order of stages. `bounds` are those of the state.
std::vector<KernelPicture> kernelPictures(const State& state, const Bounds& bounds,
                                          const GpuFacts& gpu);

/// The two axes of a kernel's output that a drawing shows: those on which a block computes most.
struct TilePlane {
  int rows = -1, columns = -1; // -1: the output has no such axis
};
TilePlane planeOf(const KernelPicture& kernel);

/// What one block computes, on the plane through its first element.
struct BlockTile {
  struct Cell {
    int thread = -1; // that computes it; -1: none of this block
    int piece = 0;   // as its virtual thread of this number
    bool operator==(const Cell&) const = default;
  };
  std::int64_t row = 0, column = 0; // where it begins in the output
  std::int64_t rows = 1, columns = 1;
  std::vector<Cell> cells; // row by row; empty when there are more than a drawing can show

  const Cell& at(std::int64_t r, std::int64_t c) const {
    return cells[static_cast<std::size_t>(r * columns + c)];
  }
};
/// Where several threads compute an element together, the first of them has it.
BlockTile blockTile(const KernelPicture& kernel, std::int64_t block);

/// The first block that computes this position of the drawn plane. Nothing where none does, or
/// where blocks lie neither in rows nor among the first 65,536.
std::optional<std::int64_t> blockAt(const KernelPicture& kernel, std::int64_t row,
                                    std::int64_t column);

} // namespace nestwright
