#include "core/feature/nest_features.h"

#include "core/feature/intensity.h"

#include <algorithm>
#include <functional>
#include <map>

namespace nestwright {

namespace {

/// That a statement touched a buffer inside of a loop.
struct Touch {
  int buffer = 0;
  double elements = 0;
  int elementBytes = 0;
};

/// How the loops of a stage stand around its statements.
struct LoopOrder {
  std::vector<std::size_t> iterators; // outermost first
  std::size_t firstReduction = 0;     // how many stand before the neutral element is stored
  bool acrossThreads = false;         // threads combine what each has reduced alone
  bool hasShares = false;             // which is more than one element
};

/// Where threads reduce together, all loops but those of a thread's own share go around both its
/// share and the store of the result.
LoopOrder loopOrder(const Stage& stage) {
  LoopOrder order;
  const auto isReduction = [&](std::size_t i) { return stage.iterators[i].isReduction(); };
  for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
    order.iterators.push_back(i);
    order.acrossThreads |= stage.iterators[i].kind == IteratorKind::Reduction &&
                           threadAxis(stage.iterators[i].annotation);
  }
  const auto isOwn = [&](std::size_t i) {
    return isReduction(i) && !(order.acrossThreads && threadAxis(stage.iterators[i].annotation));
  };
  if (order.acrossThreads)
    std::stable_partition(order.iterators.begin(), order.iterators.end(), std::not_fn(isOwn));
  const auto first = std::ranges::find_if(order.iterators, isOwn);
  order.firstReduction = static_cast<std::size_t>(first - order.iterators.begin());
  order.hasShares = order.acrossThreads && first != order.iterators.end();
  return order;
}

/// What one statement's accesses to a buffer are in one run of a loop, beside its Touch.
struct Accesses {
  int buffer = 0;
  double iterationBytes = 0, accessedBytes = 0;
};

struct Loop {
  std::int64_t extent = 1;
  Annotation annotation = Annotation::None;
  std::vector<Touch> touches;     // of all statements so far, in their order
  std::vector<Accesses> accesses; // the same, where they are counted
  int stage = 0, iterator = 0;
  double runs = 1;
  bool initial = false; // gives a reduction its neutral element
};

class NestWalk {
 public:
  enum class Wanted : std::uint8_t { Features, Traffic };

  NestWalk(const State& state, const Bounds& bounds, std::int64_t cacheLineBytes, Wanted wanted)
      : state_(state), bounds_(bounds), cacheLineBytes_(static_cast<double>(cacheLineBytes)),
        countsAccesses_(wanted == Wanted::Traffic) {}

  std::vector<NestFeatures> run() {
    for (int id = 0; id < state_.stageCount(); ++id)
      if (!state_.stage(id).isPlaceholder() && state_.stage(id).location == ComputeLocation::Root)
        stage(id);
    return std::move(result_);
  }

  /// After run(), where it is wanted: the memory of each loop.
  std::vector<LoopTraffic> traffic() const {
    std::vector<LoopTraffic> result;
    for (const Loop& loop : loops_)
      if (!loop.initial && loop.extent > 1) result.push_back(trafficOf(loop));
    return result;
  }

 private:
  LoopTraffic trafficOf(const Loop& loop) const {
    LoopTraffic traffic;
    traffic.stage = loop.stage;
    traffic.iterator = loop.iterator;
    traffic.runs = loop.runs;
    std::map<int, LoopTraffic::Buffer> buffers;
    for (const Touch& touch : loop.touches) {
      double& bytes = buffers[touch.buffer].bytes;
      bytes = std::max(bytes, touch.elements * touch.elementBytes);
    }
    for (const Accesses& accesses : loop.accesses) {
      LoopTraffic::Buffer& buffer = buffers[accesses.buffer];
      buffer.iterationBytes = std::max(buffer.iterationBytes, accesses.iterationBytes);
      buffer.accessedBytes += accesses.accessedBytes;
    }
    for (auto& [id, buffer] : buffers) {
      if (stageOfReductionValue(state_, id)) continue; // in registers
      buffer.name = state_.stage(id).name();
      traffic.footprintBytes += buffer.bytes;
      traffic.buffers.push_back(std::move(buffer));
    }
    if (const auto found = recomputation_.find(loop.stage); found != recomputation_.end())
      traffic.recomputation = found->second;
    std::ranges::stable_sort(traffic.buffers, std::greater(), &LoopTraffic::Buffer::bytes);
    return traffic;
  }

  /// The loops of a stage, with the memory that it writes allocated around them.
  void stage(int id) {
    const double outside = iterations_;
    const std::int64_t outerUnroll = unrollMaxStep_;
    unrollMaxStep_ = state_.stage(id).autoUnrollMaxStep.value_or(unrollMaxStep_);
    const LoopOrder order = loopOrder(state_.stage(id));
    const AxisValues axes = axisValues(state_, bounds_, id, withOwnLoops(id, order));
    level(id, 0, order, axes);
    unrollMaxStep_ = outerUnroll;
    NestFeatures& row = result_.back();
    double elements = 1;
    for (std::size_t axis = 0; axis < state_.stage(id).op->axes.size(); ++axis)
      elements *=
          static_cast<double>(bounds_.stages[static_cast<std::size_t>(id)].axes[axis].extent);
    row.allocatedElements = elements;
    row.allocatedBytes = elements * state_.stage(id).op->output->type.elementBytes();
    row.iterationsOutsideAllocation = outside;
    row.iterationsInsideAllocation = row.iterations / outside;
    if (countsAccesses_)
      recomputation_[id] =
          outside * elements / static_cast<double>(state_.stage(id).op->output->elements());
  }

  /// The loops around the stage and, right inside of them, its own.
  std::vector<EnclosingLoop> withOwnLoops(int id, const LoopOrder& order) const {
    const StageBounds& bounds = bounds_.stages[static_cast<std::size_t>(id)];
    std::vector<EnclosingLoop> loops = enclosing_;
    for (const std::size_t i : order.iterators)
      if (counts(id, i)) loops.push_back({bounds.loopVars[i].get(), bounds.extents[i]});
    return loops;
  }

  void level(int id, std::size_t depth, const LoopOrder& order, const AxisValues& axes) {
    const Stage& stage = state_.stage(id);
    if (stage.op->reducer && depth == order.firstReduction) initialise(id, order, axes);
    if (depth == stage.iterators.size()) {
      if (order.hasShares)
        compute(id, addToShare(state_, id, axes, enclosing_)).isShare = true;
      else if (!order.acrossThreads)
        compute(id, readStatement(state_, id, axes, enclosing_));
    } else {
      const std::size_t iterator = order.iterators[depth];
      open(id, iterator);
      std::vector<int> attached = state_.attachedAt({id, static_cast<int>(iterator)});
      std::sort(attached.begin(), attached.end()); // producers before consumers
      for (const int producer : attached)
        this->stage(producer);
      level(id, depth + 1, order, axes);
      close(id, iterator);
    }
    if (order.acrossThreads && depth == order.firstReduction)
      compute(id, storeCombined(state_, id, axes, enclosing_));
  }

  /// What stores a reduction's neutral element.
  void initialise(int id, const LoopOrder& order, const AxisValues& axes) {
    if (order.acrossThreads) {
      if (order.hasShares) touch(initialShare(state_, id, enclosing_));
      return;
    }
    const Stage& stage = state_.stage(id);
    const auto repeats = [&](std::size_t i) {
      return stage.iterators[i].kind != IteratorKind::Reduction;
    };
    for (std::size_t i = order.firstReduction; i < stage.iterators.size(); ++i)
      if (repeats(i)) open(id, i, true);
    touch(initialStatement(state_, id, axes, enclosing_));
    for (std::size_t i = stage.iterators.size(); i-- > order.firstReduction;)
      if (repeats(i)) close(id, i);
  }

  /// Loops of extent 1 are none, unless they bind something: the public implementation emits those
  /// whatever their extent.
  bool counts(int id, std::size_t iterator) const {
    return bounds_.stages[static_cast<std::size_t>(id)].extents[iterator] > 1 ||
           isThreadLoop(state_.stage(id).iterators[iterator].annotation);
  }

  void open(int id, std::size_t iterator, bool initial = false) {
    const StageBounds& bounds = bounds_.stages[static_cast<std::size_t>(id)];
    if (!counts(id, iterator)) return;
    const std::int64_t extent = bounds.extents[iterator];
    isGpu_ = isGpu_ || isThreadLoop(state_.stage(id).iterators[iterator].annotation);
    stack_.push_back(static_cast<int>(loops_.size()));
    loops_.push_back({extent,
                      state_.stage(id).iterators[iterator].annotation,
                      {},
                      {},
                      id,
                      static_cast<int>(iterator),
                      iterations_,
                      initial});
    enclosing_.push_back({bounds.loopVars[iterator].get(), extent});
    iterations_ *= static_cast<double>(extent);
  }

  void close(int id, std::size_t iterator) {
    if (!counts(id, iterator)) return;
    iterations_ /= static_cast<double>(loops_[static_cast<std::size_t>(stack_.back())].extent);
    stack_.pop_back();
    enclosing_.pop_back();
  }

  NestFeatures& compute(int id, Statement statement) {
    NestFeatures row;
    row.stage = id;
    row.statement = std::move(statement);
    row.iterations = iterations_;
    row.loops = static_cast<double>(stack_.size());
    row.unrollMaxStep = static_cast<double>(unrollMaxStep_);
    row.vectorized = annotatedLoops(Annotation::Vectorize);
    row.unrolled = annotatedLoops(Annotation::Unroll);
    row.parallel = annotatedLoops(Annotation::Parallel);
    row.isGpu = isGpu_;
    row.threads = threadExtents();
    const std::vector<double> memory = touch(row.statement);
    row.intensity = intensityCurve(row.statement.floats.total(), enclosing_, memory);
    // Buffers met last come first where lines and bytes are the same.
    for (auto access = row.statement.accesses.rbegin(); access != row.statement.accesses.rend();
         ++access)
      row.buffers.push_back(bufferFeatures(row.statement, *access));
    std::stable_sort(row.buffers.begin(), row.buffers.end(),
                     [](const BufferFeatures& a, const BufferFeatures& b) {
                       return a.lines != b.lines ? a.lines > b.lines : a.bytes > b.bytes;
                     });
    return result_.emplace_back(std::move(row));
  }

  AnnotatedLoops annotatedLoops(Annotation annotation) const {
    AnnotatedLoops loops;
    for (const int id : stack_) {
      const Loop& loop = loops_[static_cast<std::size_t>(id)];
      if (loop.annotation != annotation) continue;
      loops.innermost = static_cast<double>(loop.extent);
      loops.product = (loops.count > 0 ? loops.product : 1) * loops.innermost;
      loops.count += 1;
    }
    return loops;
  }

  ThreadExtents threadExtents() const {
    ThreadExtents in;
    for (const int id : stack_) {
      const Loop& loop = loops_[static_cast<std::size_t>(id)];
      const auto extent = static_cast<double>(loop.extent);
      if (const auto axis = blockAxis(loop.annotation)) in.blocks[*axis] = extent;
      if (const auto axis = threadAxis(loop.annotation)) in.threads[*axis] = extent;
      if (loop.annotation == Annotation::VThread) in.virtualThreads *= extent;
    }
    return in;
  }

  Loop& loopAt(std::size_t depth) { return loops_[static_cast<std::size_t>(stack_[depth])]; }

  DataType typeOf(const BufferAccess& access) const {
    const int stage = stageOfReductionValue(state_, access.buffer).value_or(access.buffer);
    return state_.stage(stage).op->output->type;
  }

  const std::vector<std::int64_t>& shapeOf(const BufferAccess& access) const {
    static const std::vector<std::int64_t> kScalar;
    if (stageOfReductionValue(state_, access.buffer)) return kScalar;
    return state_.stage(access.buffer).op->output->shape;
  }

  /// Notes in every loop around it what the statement touches while that loop and those inside of
  /// it run. Gives the bytes touched in each, innermost first.
  std::vector<double> touch(const Statement& statement) {
    std::vector<double> memory;
    if (countsAccesses_) count(statement);
    ranges_.assign(stack_.size(), IntRange{0, 0});
    for (std::size_t depth = stack_.size(); depth-- > 0;) {
      Loop& loop = loopAt(depth);
      ranges_[depth].high = loop.extent - 1;
      double bytes = 0;
      for (auto access = statement.accesses.rbegin(); access != statement.accesses.rend();
           ++access) {
        const double elements = elementsOf(statement, *access);
        const int elementBytes = typeOf(*access).elementBytes();
        loop.touches.push_back({access->buffer, elements, elementBytes});
        bytes += elements * elementBytes;
      }
      memory.push_back(bytes);
    }
    return memory;
  }

  /// Notes for each loop around the statement what its accesses are in one run and one iteration.
  void count(const Statement& statement) {
    ranges_.assign(stack_.size(), IntRange{0, 0});
    std::vector<double> before; // elements of each access within one iteration
    for (const BufferAccess& access : statement.accesses)
      before.push_back(elementsOf(statement, access));
    double times = 1;
    for (std::size_t depth = stack_.size(); depth-- > 0;) {
      Loop& loop = loopAt(depth);
      ranges_[depth].high = loop.extent - 1;
      times *= static_cast<double>(loop.extent);
      for (std::size_t i = 0; i < statement.accesses.size(); ++i) {
        const BufferAccess& access = statement.accesses[i];
        const std::size_t rank = std::max<std::size_t>(1, shapeOf(access).size());
        const auto places =
            static_cast<double>(std::max<std::size_t>(1, access.indices.size() / rank));
        const double bytes = typeOf(access).elementBytes();
        loop.accesses.push_back({access.buffer, before[i] * bytes, times * places * bytes});
        before[i] = elementsOf(statement, access);
      }
    }
  }

  double elementsOf(const Statement& statement, const BufferAccess& access) {
    computeBox(statement, access);
    double elements = 1;
    for (const std::int64_t extent : box_)
      elements *= static_cast<double>(extent);
    return elements;
  }

  /// The bounding box of all accesses under the present ranges of the loops.
  void computeBox(const Statement& statement, const BufferAccess& access) {
    const std::vector<std::int64_t>& shape = shapeOf(access);
    box_.clear();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      IntRange hull{kUnbounded, -kUnbounded};
      for (std::size_t i = d; i < access.indices.size(); i += shape.size()) {
        const IntRange range = rangeOf(statement.index(access.indices[i]), ranges_, scratch_);
        hull.low = std::min(hull.low, range.low);
        hull.high = std::max(hull.high, range.high);
      }
      box_.push_back(hull.isBounded() ? hull.high - hull.low + 1 : shape[d]);
    }
  }

  static std::int64_t strideOf(const Statement& statement, const BufferAccess& access,
                               const std::vector<std::int64_t>& shape, std::size_t loop) {
    if (shape.empty()) return 0;
    const auto number = static_cast<std::int64_t>(loop);
    std::int64_t least = kUnbounded;
    for (std::size_t end = shape.size(); end <= access.indices.size(); end += shape.size()) {
      std::int64_t elements = 1;
      for (std::size_t d = shape.size(); d-- > 0;) {
        const IndexCode index = statement.index(access.indices[end - shape.size() + d]);
        if (usesLoop(index, number)) {
          least = std::min(least, std::abs(coefficientOf(index, number)) * elements);
          break;
        }
        elements *= shape[d];
      }
    }
    return least == kUnbounded ? 0 : least;
  }

  /// After `touch` of the statement: box_ is that of its target in the outermost loop.
  BufferFeatures bufferFeatures(const Statement& statement, const BufferAccess& access) {
    const std::vector<std::int64_t>& shape = shapeOf(access);
    const double elementBytes = typeOf(access).elementBytes();
    BufferFeatures f;
    f.type = access.type;
    f.bytes = iterations_ * elementBytes;
    if (stack_.empty()) {
      f.uniqueBytes = elementBytes;
      f.lines = f.uniqueLines = 1;
      return f;
    }
    const std::vector<Touch>& outermost = loopAt(0).touches;
    f.uniqueBytes = std::find_if(outermost.begin(), outermost.end(),
                                 [&](const Touch& t) { return t.buffer == access.buffer; })
                        ->elements *
                    elementBytes;
    std::int64_t stride = 0;
    double ratio = 1;
    std::size_t depth = stack_.size();
    while (depth > 0) {
      stride = strideOf(statement, access, shape, depth - 1);
      if (stride != 0) break;
      ratio *= static_cast<double>(loopAt(stack_.size() - 1).extent);
      --depth;
    }
    f.lines = iterations_ / ratio *
              std::min(1.0, static_cast<double>(stride) * elementBytes / cacheLineBytes_);
    f.lines = std::max(f.lines, 1.0);
    f.stride = depth == stack_.size() ? static_cast<double>(stride) : 0;
    double contiguous = elementBytes;
    for (std::size_t d = std::min(box_.size(), shape.size()); d-- > 0;) {
      if (box_[d] != shape[d]) continue;
      contiguous *= static_cast<double>(box_[d]);
      break;
    }
    f.uniqueLines = std::max(1.0, f.uniqueBytes / std::min(contiguous, cacheLineBytes_));
    addReuse(statement, access, f);
    return f;
  }

  static bool moves(const Statement& statement, const BufferAccess& access, std::size_t loop) {
    return std::any_of(access.indices.begin(), access.indices.end(), [&](IndexPlace place) {
      return usesLoop(statement.index(place), static_cast<std::int64_t>(loop));
    });
  }

  /// handbook/ansor.md 6.4: the innermost loop in which elements are used again.
  void addReuse(const Statement& statement, const BufferAccess& access, BufferFeatures& f) {
    double iterations = 1, bytes = 0;
    for (std::size_t depth = stack_.size(); depth-- > 0;) {
      const Loop& loop = loopAt(depth);
      const auto extent = static_cast<double>(loop.extent);
      if (!moves(statement, access, depth)) {
        if (depth + 1 == stack_.size())
          for (const Touch& t : loop.touches)
            bytes += t.elementBytes;
        f.reuse = ReuseType::LoopMultipleRead;
        f.reuseIterations = iterations;
        f.reuseBytes = bytes;
        f.reuseCount = extent;
        return;
      }
      iterations *= extent;
      bytes = 0;
      int times = 0;
      double least = 0;
      for (const Touch& t : loop.touches) {
        bytes += t.elements * t.elementBytes;
        if (t.buffer != access.buffer) continue;
        least = times == 0 ? t.elements : std::min(least, t.elements);
        ++times;
      }
      if (times < 2) continue;
      f.reuse = ReuseType::SerialMultipleReadWrite;
      f.reuseIterations = least / extent;
      f.reuseBytes = bytes / extent;
      f.reuseCount = times - 1;
      return;
    }
  }

  const State& state_;
  const Bounds& bounds_;
  double cacheLineBytes_;
  bool countsAccesses_;
  std::vector<Loop> loops_; // all, in the order of execution
  std::vector<int> stack_;  // those around the present place, outermost first
  std::vector<EnclosingLoop> enclosing_;
  double iterations_ = 1; // product of their extents
  bool isGpu_ = false;
  std::int64_t unrollMaxStep_ = 0;
  std::vector<IntRange> ranges_, scratch_;
  std::vector<std::int64_t> box_;
  std::vector<NestFeatures> result_;
  std::map<int, double> recomputation_; // of each stage with loops
};

} // namespace

std::vector<NestFeatures> nestFeatures(const State& state, const Bounds& bounds,
                                       std::int64_t cacheLineBytes) {
  return NestWalk(state, bounds, cacheLineBytes, NestWalk::Wanted::Features).run();
}

double LoopTraffic::reuse() const {
  double accessed = 0;
  for (const Buffer& buffer : buffers)
    accessed += buffer.accessedBytes;
  return footprintBytes > 0 ? accessed / footprintBytes : 1;
}

std::vector<LoopTraffic> loopTraffic(const State& state, const Bounds& bounds) {
  constexpr std::int64_t kAnyLine = 64; // footprints do not depend on it
  NestWalk walk(state, bounds, kAnyLine, NestWalk::Wanted::Traffic);
  walk.run();
  return walk.traffic();
}

} // namespace nestwright
