#include "core/story/kernel_picture.h"

#include "core/schedule/index_interval.h"
#include "core/space/state_facts.h"
#include "core/tensor/scalar_arithmetic.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nestwright {
namespace {

constexpr std::int64_t kMostCells = 1 << 16;    // of a drawing
constexpr std::int64_t kMostElements = 1 << 18; // that are gone through for one

using Column = ElementMap::Column;
using LoopValues = std::vector<std::pair<const VarNode*, Column>>;

Column combined(ExprKind kind, const Column& a, const Column& b, std::size_t count) {
  if (a.isOne() && b.isOne()) return Column(applyBinary(kind, a[0], b[0]));
  std::vector<std::int64_t> each(count);
  const auto fill = [&](const auto& operation) {
    for (std::size_t i = 0; i < count; ++i)
      each[i] = operation(a[i], b[i]);
  };
  // What almost all of an index is.
  if (kind == ExprKind::Add)
    fill([](std::int64_t x, std::int64_t y) { return x + y; });
  else if (kind == ExprKind::Mul)
    fill([](std::int64_t x, std::int64_t y) { return x * y; });
  else
    fill([kind](std::int64_t x, std::int64_t y) { return applyBinary(kind, x, y); });
  return Column(std::move(each));
}

/// Of an index expression of loops, or a condition on them; other variables are 0.
Column valueOf(const Expr& e, const LoopValues& loops, std::size_t count) {
  const auto operand = [&](std::size_t i) { return valueOf(e[i], loops, count); };
  switch (e->kind) {
  case ExprKind::IntImm:
    return Column(e->integer);
  case ExprKind::Var: {
    const auto found = std::ranges::find(loops, e->var.get(), &LoopValues::value_type::first);
    return found == loops.end() ? Column() : found->second;
  }
  case ExprKind::Not:
    return combined(ExprKind::Eq, operand(0), Column(0), count);
  case ExprKind::Select:
  case ExprKind::IfThenElse: {
    const Column condition = operand(0), yes = operand(1), no = operand(2);
    std::vector<std::int64_t> each(count);
    for (std::size_t i = 0; i < count; ++i)
      each[i] = condition[i] != 0 ? yes[i] : no[i];
    return Column(std::move(each));
  }
  case ExprKind::Cast:
    return operand(0);
  default:
    return combined(e->kind, operand(0), operand(1), count);
  }
}

/// How many positions an axis has while the loops of some levels run.
std::int64_t positions(const Expr& value, const Stage& stage, const StageBounds& bounds,
                       const auto& runs) {
  Environment environment;
  for (std::size_t i = 0; i < bounds.loopVars.size(); ++i)
    environment.emplace_back(
        bounds.loopVars[i].get(),
        Interval{0, runs(stage.iterators[i].annotation) ? bounds.extents[i] : 1});
  return evaluate(value, environment).extent;
}

std::vector<AxisShare> sharesOf(const Stage& stage, const StageBounds& bounds) {
  const auto inBlock = [](Annotation a) { return !blockAxis(a); };
  const auto inThread = [](Annotation a) { return !blockAxis(a) && !threadAxis(a); };
  const auto inPiece = [&](Annotation a) { return inThread(a) && a != Annotation::VThread; };
  std::vector<AxisShare> shares;
  for (std::size_t i = 0; i < stage.op->axes.size(); ++i) {
    AxisShare share{stage.op->axes[i].name(), bounds.axes[i].extent};
    const auto of = [&](const auto& runs) {
      return std::min(positions(bounds.axisValues[i], stage, bounds, runs), share.whole);
    };
    share.block = of(inBlock), share.thread = of(inThread), share.piece = of(inPiece);
    shares.push_back(std::move(share));
  }
  return shares;
}

/// The stages that are computed inside a kernel, with what the loops around each say of it.
class TileWalk {
 public:
  TileWalk(const State& state, const Bounds& bounds) : state_(state), bounds_(bounds) {}

  std::vector<HeldTile> run(int root) {
    visit(root, {}, true);
    return std::move(tiles_);
  }

 private:
  struct Place {
    bool inThread = false; // inside a loop of threads or virtual threads
    std::int64_t virtualThreads = 1, fills = 1;
  };

  void visit(int id, Place place, bool isRoot) {
    const Stage& stage = state_.stage(id);
    const StageBounds& bounds = bounds_.stages[static_cast<std::size_t>(id)];
    const std::size_t own = tiles_.size();
    if (!isRoot) tiles_.push_back(tile(stage, bounds, place));
    for (std::size_t i = 0; i < bounds.extents.size(); ++i) {
      const Annotation annotation = stage.iterators[i].annotation;
      place.inThread |= threadAxis(annotation) || annotation == Annotation::VThread;
      if (annotation == Annotation::VThread)
        place.virtualThreads *= bounds.extents[i];
      else if (!blockAxis(annotation) && !threadAxis(annotation))
        place.fills *= bounds.extents[i];
      std::vector<int> attached = state_.attachedAt({id, static_cast<int>(i)});
      std::ranges::sort(attached);
      for (const int inner : attached)
        visit(inner, place, false);
    }
    // What it is computed from is there before it.
    const auto first = tiles_.begin() + static_cast<std::ptrdiff_t>(own);
    if (!isRoot) std::rotate(first, first + 1, tiles_.end());
  }

  static HeldTile tile(const Stage& stage, const StageBounds& bounds, const Place& place) {
    const bool isOwn = stage.scope != StorageScope::Shared &&
                       (place.inThread || stage.scope == StorageScope::Local);
    HeldTile held;
    held.stage = stage.name();
    held.holder = isOwn ? HeldTile::Holder::Thread : HeldTile::Holder::Block;
    for (std::size_t i = 0; i < stage.op->axes.size(); ++i)
      held.shape.push_back(bounds.axes[i].extent);
    held.copies = isOwn ? place.virtualThreads : 1;
    held.fills = place.fills;
    held.elementBytes = stage.op->output->type.elementBytes();
    return held;
  }

  const State& state_;
  const Bounds& bounds_;
  std::vector<HeldTile> tiles_;
};

} // namespace

std::int64_t HeldTile::elements() const {
  std::int64_t product = copies;
  for (const std::int64_t extent : shape)
    product *= extent;
  return product;
}

ElementMap::ElementMap(const Stage& root, const StageBounds& bounds, const KernelDemand& demand)
    : values_(bounds.axisValues.begin(),
              bounds.axisValues.begin() + static_cast<std::ptrdiff_t>(root.op->axes.size())),
      guards_(bounds.guards) {
  for (std::size_t i = 0; i < root.op->axes.size(); ++i)
    whole_.push_back(bounds.axes[i].extent);
  const auto strideOf = [](const std::array<std::int64_t, 3>& extents, std::size_t axis) {
    return axis == 0 ? 1 : axis == 1 ? extents[0] : extents[0] * extents[1];
  };
  for (std::size_t i = 0; i < bounds.loopVars.size(); ++i) {
    const Iterator& iterator = root.iterators[i];
    Loop loop{bounds.loopVars[i], bounds.extents[i]};
    if (const auto block = blockAxis(iterator.annotation)) {
      loop.level = Level::Block;
      loop.stride = strideOf(demand.grid, *block);
    } else if (const auto thread = threadAxis(iterator.annotation)) {
      loop.level = Level::Thread;
      loop.stride = strideOf(demand.threads, *thread);
    } else if (iterator.kind == IteratorKind::Reduction) {
      continue; // adds up into the same element
    } else if (iterator.annotation == Annotation::VThread) {
      loop.level = Level::VirtualThread;
    }
    loops_.push_back(std::move(loop));
  }
  std::int64_t pieces = 1;
  for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
    if (loop->level != Level::VirtualThread && loop->level != Level::Inner) continue;
    loop->stride = std::exchange(elements_, elements_ * loop->extent);
    if (loop->level == Level::VirtualThread)
      loop->pieceStride = std::exchange(pieces, pieces * loop->extent);
  }
}

ElementMap::ThreadElements ElementMap::elementsAt(const Values& loops, Column pieces,
                                                  std::size_t count) const {
  std::vector<std::int64_t> inside(count, 1);
  for (const Expr& guard : guards_) {
    const Column holds = valueOf(guard, loops, count);
    for (std::size_t i = 0; i < count; ++i)
      inside[i] &= holds[i] != 0;
  }
  ThreadElements elements;
  for (std::size_t axis = 0; axis < values_.size(); ++axis) {
    Column position = valueOf(values_[axis], loops, count);
    for (std::size_t i = 0; i < count; ++i)
      inside[i] &= position[i] >= 0 && position[i] < whole_[axis];
    elements.positions.push_back(std::move(position));
  }
  elements.pieces = std::move(pieces);
  elements.isInside = Column(std::move(inside));
  return elements;
}

std::optional<ElementMap::Element> ElementMap::at(std::int64_t block, std::int64_t thread,
                                                  std::int64_t element) const {
  Element result;
  Values loops;
  for (const Loop& loop : loops_) {
    const std::int64_t number = loop.level == Level::Block    ? block
                                : loop.level == Level::Thread ? thread
                                                              : element;
    const std::int64_t index = number / loop.stride % loop.extent;
    loops.emplace_back(loop.variable.get(), Column(index));
    result.piece += static_cast<int>(index * loop.pieceStride);
  }
  const ThreadElements one = elementsAt(loops, {}, 1);
  if (one.isInside[0] == 0) return std::nullopt;
  for (const Column& position : one.positions)
    result.position.push_back(position[0]);
  return result;
}

ElementMap::ThreadElements ElementMap::ofThread(std::int64_t block, std::int64_t thread) const {
  const auto count = static_cast<std::size_t>(elements_);
  Values loops;
  std::vector<std::int64_t> pieces(count);
  for (const Loop& loop : loops_) {
    if (loop.level == Level::Block || loop.level == Level::Thread) {
      const std::int64_t number = loop.level == Level::Block ? block : thread;
      loops.emplace_back(loop.variable.get(), Column(number / loop.stride % loop.extent));
      continue;
    }
    std::vector<std::int64_t> indices(count);
    for (std::size_t i = 0; i < count; ++i) {
      indices[i] = static_cast<std::int64_t>(i) / loop.stride % loop.extent;
      pieces[i] += indices[i] * loop.pieceStride;
    }
    loops.emplace_back(loop.variable.get(), Column(std::move(indices)));
  }
  return elementsAt(loops, Column(std::move(pieces)), count);
}

double wavesOf(std::int64_t blocks, const Occupancy& occupancy, int multiprocessors) {
  const double held = double(multiprocessors) * occupancy.blocks;
  return held > 0 ? static_cast<double>(blocks) / held : 0;
}

std::vector<KernelPicture> kernelPictures(const State& state, const Bounds& bounds,
                                          const GpuFacts& gpu) {
  std::vector<KernelPicture> pictures;
  for (const KernelDemand& demand : kernelDemands(state, bounds, gpu)) {
    const Stage& root = state.stage(demand.root);
    const StageBounds& known = bounds.stages[static_cast<std::size_t>(demand.root)];
    KernelPicture picture;
    picture.name = root.name();
    const int registers = std::min(static_cast<int>(demand.registers()),
                                   registerLimit(demand.threadsPerBlock(), gpu));
    picture.occupancy = occupancyOf(gpu, {demand.threadsPerBlock(), registers, demand.sharedBytes});
    picture.isBound = std::ranges::any_of(root.iterators, [](const Iterator& iterator) {
      return blockAxis(iterator.annotation) || threadAxis(iterator.annotation);
    });
    picture.axes = sharesOf(root, known);
    picture.tiles = TileWalk(state, bounds).run(demand.root);
    picture.elements = std::make_shared<ElementMap>(root, known, demand);
    picture.demand = demand;
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

TilePlane planeOf(const KernelPicture& kernel) {
  std::vector<int> axes;
  for (int i = 0; i < std::ssize(kernel.axes); ++i)
    axes.push_back(i);
  // Of equal ones those that lie nearer together in memory.
  std::ranges::stable_sort(axes, [&](int a, int b) {
    const AxisShare& left = kernel.axes[static_cast<std::size_t>(a)];
    const AxisShare& right = kernel.axes[static_cast<std::size_t>(b)];
    return std::tuple(left.block, left.whole, a) > std::tuple(right.block, right.whole, b);
  });
  TilePlane plane;
  if (!axes.empty()) plane.columns = axes[0];
  if (axes.size() > 1) {
    plane.rows = std::min(axes[0], axes[1]);
    plane.columns = std::max(axes[0], axes[1]);
  }
  return plane;
}

BlockTile blockTile(const KernelPicture& kernel, std::int64_t block) {
  const TilePlane plane = planeOf(kernel);
  BlockTile tile;
  const auto on = [](int axis, const ElementMap::Element& element) {
    return axis < 0 ? std::int64_t(0) : element.position[static_cast<std::size_t>(axis)];
  };
  const auto shareOf = [&](int axis) {
    return axis < 0 ? std::int64_t(1) : kernel.axes[static_cast<std::size_t>(axis)].block;
  };
  const auto first = kernel.elements->at(block, 0, 0);
  if (!first) return tile; // wholly beyond the edge
  tile.row = on(plane.rows, *first);
  tile.column = on(plane.columns, *first);
  tile.rows = shareOf(plane.rows);
  tile.columns = shareOf(plane.columns);
  const std::int64_t threads = kernel.demand.threadsPerBlock();
  const std::int64_t elements = kernel.elements->elementsOfThread();
  if (tile.rows > kMostCells || tile.columns > kMostCells / tile.rows ||
      elements > kMostElements / std::max<std::int64_t>(threads, 1))
    return tile;
  tile.cells.resize(static_cast<std::size_t>(tile.rows * tile.columns));
  const auto isOnPlane = [&](const ElementMap::ThreadElements& own, std::size_t i) {
    for (int axis = 0; axis < std::ssize(own.positions); ++axis)
      if (axis != plane.rows && axis != plane.columns &&
          own.positions[static_cast<std::size_t>(axis)][i] != on(axis, *first))
        return false;
    return true;
  };
  const auto placeOn = [](int axis, const ElementMap::ThreadElements& own, std::size_t i) {
    return axis < 0 ? std::int64_t(0) : own.positions[static_cast<std::size_t>(axis)][i];
  };
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    const ElementMap::ThreadElements own = kernel.elements->ofThread(block, thread);
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
      if (own.isInside[i] == 0 || !isOnPlane(own, i)) continue;
      const std::int64_t row = placeOn(plane.rows, own, i) - tile.row;
      const std::int64_t column = placeOn(plane.columns, own, i) - tile.column;
      if (row < 0 || row >= tile.rows || column < 0 || column >= tile.columns) continue;
      BlockTile::Cell& cell = tile.cells[static_cast<std::size_t>(row * tile.columns + column)];
      if (cell.thread < 0) cell = {static_cast<int>(thread), static_cast<int>(own.pieces[i])};
    }
  }
  return tile;
}

namespace {

/// Blocks that lie in rows: how far in their numbering the next one along each axis is; 0 along an
/// axis with one block. They are numbered along one axis after the other.
std::vector<std::int64_t> strides(const KernelPicture& kernel, const ElementMap::Element& first) {
  std::vector<std::int64_t> strides(kernel.axes.size());
  for (std::int64_t stride = 1; stride < kernel.demand.blocks();) {
    const auto next = kernel.elements->at(stride, 0, 0);
    if (!next) break;
    const auto moved = std::ranges::mismatch(next->position, first.position);
    if (moved.in1 == next->position.end()) break;
    const auto axis = static_cast<std::size_t>(moved.in1 - next->position.begin());
    if (strides[axis] != 0) break;
    strides[axis] = stride;
    const AxisShare& share = kernel.axes[axis];
    stride *= (share.whole + share.block - 1) / share.block;
  }
  return strides;
}

} // namespace

std::optional<std::int64_t> blockAt(const KernelPicture& kernel, std::int64_t row,
                                    std::int64_t column) {
  const TilePlane plane = planeOf(kernel);
  const auto covers = [&](std::int64_t block) {
    const auto begin = kernel.elements->at(block, 0, 0);
    const auto isWithin = [&](int axis, std::int64_t wanted) {
      if (axis < 0) return true;
      const std::int64_t from = begin->position[static_cast<std::size_t>(axis)];
      return wanted >= from && wanted < from + kernel.axes[static_cast<std::size_t>(axis)].block;
    };
    return begin && isWithin(plane.rows, row) && isWithin(plane.columns, column);
  };
  const auto first = kernel.elements->at(0, 0, 0);
  if (!first) return std::nullopt;
  const std::vector<std::int64_t> stride = strides(kernel, *first);
  std::int64_t likely = 0;
  for (const auto& [axis, wanted] : {std::pair(plane.rows, row), std::pair(plane.columns, column)})
    if (axis >= 0) {
      const auto at = static_cast<std::size_t>(axis);
      likely += stride[at] * (wanted / kernel.axes[at].block);
    }
  if (likely < kernel.demand.blocks() && covers(likely)) return likely;
  // In any other order: of several the first.
  constexpr std::int64_t kMostBlocks = 1 << 16;
  const std::int64_t blocks = std::min(kernel.demand.blocks(), kMostBlocks);
  for (std::int64_t block = 0; block < blocks; ++block)
    if (covers(block)) return block;
  return std::nullopt;
}

} // namespace nestwright
