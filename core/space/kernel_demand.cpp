#include "core/space/kernel_demand.h"

#include "core/schedule/pipeline.h"
#include "core/schedule/tensor_instruction.h"
#include "core/schedule/thread_exchange.h"
#include "core/space/state_facts.h"
#include "core/target/kernel_limits.h"
#include "core/target/occupancy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace nestwright {

namespace {

/// The product, or the largest number: limits are far below.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

/// Elements of the region that one execution of the stage computes, and what rows are longer for.
std::int64_t storedElements(const Stage& stage, const StageBounds& bounds) {
  std::int64_t stride = 1;
  for (auto axis = static_cast<int>(stage.op->axes.size()) - 1; axis >= 0; --axis) {
    for (const StorageAlignment& alignment : stage.alignments)
      if (alignment.axis == axis && stride < std::numeric_limits<std::int64_t>::max() / 2)
        stride = alignment.strideFrom(stride);
    stride = product(stride, bounds.axes[static_cast<std::size_t>(axis)].extent);
  }
  return stride;
}

/// A place along some dimension is that of an element plus that of the reduction, as in a
/// convolution: neighbours read the same.
bool readsOverlap(const OpNode& op) {
  const auto hasAxis = [](const std::vector<Axis>& axes, const Expr& e) {
    return std::ranges::any_of(axes, [&](const Axis& axis) { return axis.var == e->var; });
  };
  bool found = false;
  visit(op.body, [&](const Expr& e) {
    if (e->kind != ExprKind::Load) return !found;
    for (const Expr& index : e->operands) {
      bool spatial = false, reduced = false;
      visit(index, [&](const Expr& node) {
        spatial |= node->kind == ExprKind::Var && hasAxis(op.axes, node);
        reduced |= node->kind == ExprKind::Var && hasAxis(op.reduceAxes, node);
        return true;
      });
      found |= spatial && reduced;
    }
    return false;
  });
  return found;
}

class KernelWalk {
 public:
  KernelWalk(const State& state, const Bounds& bounds, const GpuFacts& gpu)
      : state_(state), bounds_(bounds), gpu_(gpu) {}

  KernelDemand run(int root) {
    kernel_.root = root;
    kernel_.minBlocks = state_.stage(root).minBlocks;
    kernel_.statements = visit(root, {}).statements;
    for (const Reduction& reduction : reductions_)
      addShared(exchangedValues(reduction.axis, kernel_.threads[reduction.axis],
                                kernel_.threadsPerBlock()),
                reduction.type);
    if (kernel_.registerElements == 0) countReads(root);
    kernel_.registerLimit = registerLimit(kernel_.threadsPerBlock(), gpu_);
    kernel_.freeRegisters = registersAt(
        gpu_, occupancyOf(gpu_, {kernel_.threadsPerBlock(), 0, kernel_.sharedBytes}).warps);
    return kernel_;
  }

 private:
  /// What the loops around a stage say of it.
  struct Place {
    bool inThread = false; // inside a loop of threads or virtual threads
    std::int64_t virtualThreads = 1;
    std::int64_t unrollLimit = 0;
  };
  /// Across the threads of an axis.
  struct Reduction {
    std::size_t axis = 0;
    DataType type;
  };
  struct Code {
    std::int64_t statements = 1;
    bool hasLoops = false; // that stay loops
  };

  /// What each thread has for itself.
  bool isPerThread(int id, const Place& place) const {
    const Stage& stage = state_.stage(id);
    if (id == kernel_.root || stage.scope == StorageScope::Shared) return false;
    return place.inThread || stage.scope == StorageScope::Local;
  }

  /// Tiles of a stage in shared memory at once.
  std::int64_t copies(int id) const {
    const std::optional<AttachPoint> point = state_.attachPoint(id);
    const bool isFetch = point && state_.stage(id).scope == StorageScope::Shared &&
                         point->iterator == innermostFetchLoop(state_, point->stage);
    return isFetch ? tilesAtOnce(state_, bounds_, point->stage) : 1;
  }

  /// What a thread takes of shared memory for itself. The compiler loads each element when it is
  /// wanted, and holds few of them at once.
  static bool isOwnCopy(const Stage& stage) {
    return stage.scope == StorageScope::Local && !stage.op->reducer;
  }

  void store(int id, const Place& place) {
    const Stage& stage = state_.stage(id);
    if (id == kernel_.root) return;
    std::int64_t elements = product(storedElements(stage, bounds_.stages[id]), copies(id));
    if (isPerThread(id, place)) {
      if (stage.tensorInstruction) elements /= kLanes; // that share the tile
      kernel_.largestRegisterTile = std::max(kernel_.largestRegisterTile, elements);
      if (!isOwnCopy(stage))
        kernel_.registerElements =
            sum(kernel_.registerElements, product(elements, place.virtualThreads));
    } else {
      addShared(elements, stage.op->output->type);
    }
  }

  void addShared(std::int64_t elements, DataType type) {
    // Far beyond every limit; rounded up it still is a number.
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
    const std::int64_t bytes = std::min(product(elements, type.elementBytes()), kMost);
    kernel_.sharedBytes = sum(kernel_.sharedBytes, sharedBytesOf(bytes));
  }

  /// Takes note of one loop, and of what it means for what is inside.
  void enter(const Stage& stage, const Iterator& loop, std::int64_t extent, Place& place) {
    const Annotation annotation = loop.annotation;
    if (const auto axis = blockAxis(annotation)) bind(kernel_.grid[*axis], *axis, loop, extent);
    if (const auto axis = threadAxis(annotation)) {
      bind(kernel_.threads[*axis], 3 + *axis, loop, extent);
      place.inThread = true;
      if (loop.isReduction() && loop.kind != IteratorKind::Special) {
        kernel_.reducesAcrossThreads = true;
        if (extent > 1) reductions_.push_back({*axis, stage.op->output->type});
      }
    }
    if (annotation == Annotation::VThread) {
      place.inThread = true;
      place.virtualThreads = product(place.virtualThreads, extent);
      kernel_.isTiled = true;
      kernel_.virtualThreads = std::max(kernel_.virtualThreads, place.virtualThreads);
    }
    if (annotation == Annotation::Vectorize)
      kernel_.vectorBytes =
          std::max(kernel_.vectorBytes, product(extent, stage.op->output->type.elementBytes()));
  }

  void bind(std::int64_t& known, std::size_t axis, const Iterator& loop, std::int64_t extent) {
    if (isBound_[axis] && known != extent && !kernel_.unequal)
      kernel_.unequal = {loop.annotation, known, extent};
    known = isBound_[axis] ? std::max(known, extent) : extent;
    isBound_[axis] = true;
  }

  /// Loops of the stage from this one on have to be written out, since they say which element of a
  /// thread's tile is meant, and registers have no addresses.
  std::size_t firstOverRegisters(int id, const Place& place, const std::vector<Place>& inside) {
    if (isPerThread(id, place)) return 0;
    for (std::size_t i = 0; i < inside.size(); ++i)
      for (const int attached : state_.attachedAt({id, static_cast<int>(i)}))
        if (isPerThread(attached, inside[i])) return i + 1;
    return inside.size();
  }

  Code visit(int id, Place place) {
    const Stage& stage = state_.stage(id);
    const std::vector<std::int64_t>& extents = bounds_.stages[id].extents;
    store(id, place);
    kernel_.hasFragments |= stage.tensorInstruction != nullptr;
    const Place around = place;
    place.unrollLimit = stage.autoUnrollMaxStep.value_or(place.unrollLimit);
    std::vector<Place> inside;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      enter(stage, stage.iterators[i], extents[i], place);
      inside.push_back(place);
    }
    const std::size_t overRegisters = firstOverRegisters(id, around, inside);
    if (stage.scope == StorageScope::Shared)
      kernel_.fetchedElements = std::max(kernel_.fetchedElements, ownIterations(id));

    Code code;
    std::int64_t unrolledReduction = 1, initialisation = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
      for (const int attached : state_.attachedAt({id, static_cast<int>(i)})) {
        const Code other = visit(attached, inside[i]);
        // The first tiles of a pipeline are fetched before its loop.
        const std::int64_t times = copies(attached) > 1 ? 2 : 1;
        code.statements = sum(code.statements, product(times, other.statements));
        code.hasLoops |= other.hasLoops;
      }
      const Iterator& loop = stage.iterators[i];
      if (extents[i] == 1 || blockAxis(loop.annotation) || threadAxis(loop.annotation) ||
          loop.annotation == Annotation::Vectorize || loop.annotation == Annotation::Tensorize)
        continue;
      const bool isWritten = loop.annotation == Annotation::VThread ||
                             loop.annotation == Annotation::Unroll ||
                             (i >= overRegisters && !loop.isReduction());
      const std::int64_t unrolled = product(extents[i], code.statements);
      if (!isWritten && (code.hasLoops || unrolled > inside[i].unrollLimit)) {
        code.hasLoops = true;
        continue;
      }
      code.statements = unrolled;
      std::int64_t& ofKind = loop.isReduction() ? unrolledReduction : initialisation;
      ofKind = product(ofKind, extents[i]);
    }
    // Only what adds to a tile keeps rows and columns of its operands in registers.
    if (isPerThread(id, around) && unrolledReduction > 1) {
      kernel_.unrolledReduction = std::max(kernel_.unrolledReduction, unrolledReduction);
      kernel_.readsWindows |= readsOverlap(*stage.op);
    }
    if (stage.op->reducer) code.statements = sum(code.statements, initialisation);
    return code;
  }

  /// Of a stage and of all that are computed inside it.
  void countReads(int id) {
    const Stage& stage = state_.stage(id);
    std::unordered_set<const BufferNode*> buffers, seen;
    findReads(stage.op->body, buffers, seen);
    const auto reads = static_cast<std::int64_t>(buffers.size());
    kernel_.tensorsRead = sum(kernel_.tensorsRead, reads);
    const std::int64_t iterations = ownIterations(id);
    if (iterations > 1)
      kernel_.loadsInLoops = sum(kernel_.loadsInLoops, product(iterations, reads));
    for (std::size_t i = 0; i < stage.iterators.size(); ++i)
      for (const int attached : state_.attachedAt({id, static_cast<int>(i)}))
        countReads(attached);
  }

  /// Inlined operators are seen through; constants become part of the code.
  /// Those that were `seen` are not looked at again: a chain of operators that each read the one
  /// before twice would double with each of them.
  void findReads(const Expr& body, std::unordered_set<const BufferNode*>& buffers,
                 std::unordered_set<const BufferNode*>& seen) const {
    nestwright::visit(body, [&](const Expr& e) {
      if (e->kind != ExprKind::Load || !seen.insert(e->buffer.get()).second) return true;
      const Stage& producer = state_.stage(state_.dag().indexOf(e->buffer));
      if (producer.location == ComputeLocation::Inlined)
        findReads(producer.op->body, buffers, seen);
      else if (producer.op->kind != OpNode::Kind::Constant)
        buffers.insert(e->buffer.get());
      return true;
    });
  }

  /// Of the stage's loops that each thread runs itself.
  std::int64_t ownIterations(int id) const {
    const Stage& stage = state_.stage(id);
    std::int64_t iterations = 1;
    for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
      const Annotation annotation = stage.iterators[i].annotation;
      if (!isThreadLoop(annotation))
        iterations = product(iterations, bounds_.stages[id].extents[i]);
    }
    return iterations;
  }

  const State& state_;
  const Bounds& bounds_;
  const GpuFacts& gpu_;
  KernelDemand kernel_;
  std::array<bool, 6> isBound_ = {}; // axes of the grid, then of the block
  std::vector<Reduction> reductions_;
};

} // namespace

std::int64_t KernelDemand::blocks() const {
  return product(product(grid[0], grid[1]), grid[2]);
}

std::int64_t KernelDemand::threadsPerBlock() const {
  return product(product(threads[0], threads[1]), threads[2]);
}

// The figures are fitted to what NVRTC makes of sampled programs (handbook/cuda.md 2.4).

double KernelDemand::neededRegisters() const {
  constexpr double kPlain = 7, kPerTensor = 3;
  if (registerElements == 0) return kPlain + kPerTensor * static_cast<double>(tensorsRead);
  return registerEstimate(registerElements, unrolledReduction, readsWindows);
}

double KernelDemand::registers() const {
  // A load under way holds its value and a part of its address or condition.
  constexpr double kPerLoad = 1.25, kPerFetched = 2;
  const double needed = neededRegisters();
  const double loads = registerElements == 0 ? kPerLoad * static_cast<double>(loadsInLoops)
                                             : kPerFetched * static_cast<double>(fetchedElements);
  const double wanted = std::min<double>(needed + loads, freeRegisters);
  return std::min<double>(std::max(needed, wanted), registerLimit);
}

double registerEstimate(std::int64_t elements, std::int64_t unrolledReduction, bool readsWindows) {
  constexpr double kTiled = 36, kPerElement = 1.3, kPerDoubling = 2, kOfWindows = 5;
  return kTiled + kPerElement * static_cast<double>(elements) +
         (readsWindows ? kOfWindows : kPerDoubling) *
             std::log2(static_cast<double>(unrolledReduction));
}

std::vector<double> registersOf(const std::vector<KernelDemand>& kernels) {
  std::vector<double> registers;
  for (const KernelDemand& kernel : kernels)
    registers.push_back(std::max(kernel.registers(), kernel.neededRegisters()));
  return registers;
}

int registerLimit(std::int64_t threadsPerBlock, const GpuFacts& gpu) {
  return static_cast<int>(std::min<std::int64_t>(gpu.registersPerThread,
                                                 gpu.registersPerMultiprocessor /
                                                     std::max<std::int64_t>(threadsPerBlock, 1)));
}

std::vector<KernelDemand> kernelDemands(const State& state, const Bounds& bounds,
                                        const GpuFacts& gpu) {
  std::vector<KernelDemand> kernels;
  for (int id = 0; id < state.stageCount(); ++id)
    if (hasLoops(state.stage(id)) && state.stage(id).location == ComputeLocation::Root)
      kernels.push_back(KernelWalk(state, bounds, gpu).run(id));
  return kernels;
}

} // namespace nestwright
