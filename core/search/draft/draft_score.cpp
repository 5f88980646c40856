#include "core/search/draft/draft_score.h"

#include "core/schedule/bounds.h"
#include "core/schedule/stage_reads.h"
#include "core/search/draft/gpu_draft.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace nestwright {

double DraftedStage::cycles() const {
  // Parts overlap, but never wholly.
  constexpr double kOverlap = 0.3;
  const double parts[] = {arithmetic, loads, l2, l3, memory};
  double slowest = 0, sum = 0;
  for (const double part : parts) {
    slowest = std::max(slowest, part);
    sum += part;
  }
  return (slowest + kOverlap * (sum - slowest) + overhead) / parallel;
}

namespace {

// Of processors of the last ten years, for one core: what matters are their ratios.
constexpr double kFmaPorts = 2, kFmaLatency = 4, kLoadPorts = 2;
constexpr double kL2BytesPerCycle = 32, kL3BytesPerCycle = 12, kMemoryBytesPerCycle = 4;
constexpr double kCacheShare = 0.7;      // of a cache that a tile can count on
constexpr double kLoopCycles = 1.5;      // of an iteration that is not unrolled
constexpr double kParallelCycles = 8000; // to start and end a parallel loop
/// Statements that become straight code whatever the pragma says: of the usual lowering, which
/// tiles registers itself, and of LLVM alone, which unrolls short loops.
constexpr double kRegisterTile = 64, kShortLoops = 16;

/// Values that index arithmetic takes when one variable runs: how far from where all are 0.
class Evaluator {
 public:
  void set(const VarNode* var, std::int64_t value) { values_[var] = value; }
  void clear() { values_.clear(); }

  std::int64_t of(const ExprNode& e) const {
    switch (e.kind) {
    case ExprKind::IntImm:
      return e.integer;
    case ExprKind::Var: {
      const auto found = values_.find(e.var.get());
      return found == values_.end() ? 0 : found->second;
    }
    case ExprKind::Add:
      return of(*e[0]) + of(*e[1]);
    case ExprKind::Sub:
      return of(*e[0]) - of(*e[1]);
    case ExprKind::Mul:
      return of(*e[0]) * of(*e[1]);
    case ExprKind::FloorDiv:
    case ExprKind::Div:
    case ExprKind::FloorMod: {
      const std::int64_t a = of(*e[0]), b = of(*e[1]);
      if (b == 0) return 0;
      std::int64_t quotient = a / b;
      if (quotient * b != a && (a < 0) != (b < 0)) --quotient;
      return e.kind == ExprKind::FloorMod ? a - quotient * b : quotient;
    }
    case ExprKind::Min:
      return std::min(of(*e[0]), of(*e[1]));
    case ExprKind::Max:
      return std::max(of(*e[0]), of(*e[1]));
    case ExprKind::Cast:
      return of(*e[0]);
    default:
      return 0; // nothing that an index is usually made of
    }
  }

 private:
  std::map<const VarNode*, std::int64_t> values_;
};

/// How far the value goes while the variable runs over its extent, others being 0.
std::int64_t reach(const ExprNode& e, const VarNode* var, std::int64_t extent) {
  Evaluator at;
  const std::int64_t from = at.of(e);
  std::int64_t far = 0;
  for (std::int64_t v = 1; v < extent; v *= 2) {
    at.set(var, v);
    far = std::max(far, std::abs(at.of(e) - from));
  }
  at.set(var, extent - 1);
  return std::max(far, std::abs(at.of(e) - from));
}

struct Loop {
  std::int64_t extent = 1;
  Annotation annotation = Annotation::None;
  bool isOwn = false; // or of a stage around it
  bool isReduction = false;
  std::vector<std::int64_t> reach; // of each axis of the stage
};

/// A buffer that a statement reads or writes.
struct Access {
  int stage = 0;                          // that makes it
  std::vector<std::vector<double>> index; // for each dimension what one step of each axis adds
  std::vector<std::int64_t> shape;
  int bytes = 4;
  bool isWritten = false;
};

using Box = std::vector<double>; // extent of each axis

double along(const std::vector<double>& steps, const Box& box) {
  double extent = 1;
  for (std::size_t axis = 0; axis < steps.size(); ++axis)
    extent += std::abs(steps[axis]) * (box[axis] - 1);
  return extent;
}

double elementsOf(const Access& access, const Box& box) {
  double elements = 1;
  for (std::size_t d = 0; d < access.index.size(); ++d)
    elements *= std::min(along(access.index[d], box), double(access.shape[d]));
  return elements;
}

/// In whole cache lines of the last dimension.
double bytesOf(const Access& access, const Box& box, double line) {
  if (access.index.empty()) return access.bytes;
  double rows = 1;
  for (std::size_t d = 0; d + 1 < access.index.size(); ++d)
    rows *= std::min(along(access.index[d], box), double(access.shape[d]));
  const double row = std::min(along(access.index.back(), box), double(access.shape.back()));
  // Rows that are read whole follow one another.
  if (row >= double(access.shape.back())) return std::max(line, rows * row * access.bytes);
  return rows * std::ceil(row * access.bytes / line) * line;
}

/// Additions, products and the like of one element.
int operationsOf(const ExprNode& e) {
  int count = 0;
  switch (e.kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
  case ExprKind::Div:
  case ExprKind::Min:
  case ExprKind::Max:
    count = e.type.isFloat() ? 1 : 0;
    break;
  case ExprKind::Call:
    count = 8;
    break;
  case ExprKind::Load:
    return 0;
  default:
    break;
  }
  for (const Expr& operand : e.operands)
    count += operationsOf(*operand);
  return count;
}

class Drafter {
 public:
  Drafter(const State& program, const TargetFacts& target)
      : program_(program), target_(target), bounds_(inferBounds(program)), reads_(program) {}

  std::vector<DraftedStage> all() {
    std::vector<DraftedStage> stages;
    for (int i = 0; i < program_.stageCount(); ++i) {
      const Stage& stage = program_.stage(i);
      if (!stage.isPlaceholder() && stage.location != ComputeLocation::Inlined)
        stages.push_back(drafted(i));
    }
    return stages;
  }

 private:
  void addLoops(int stage, int upTo, int of, std::vector<Loop>& loops) const {
    const StageBounds& own = bounds_.stages[std::size_t(of)];
    const StageBounds& around = bounds_.stages[std::size_t(stage)];
    for (int i = 0; i < upTo; ++i) {
      const Iterator& iterator = program_.stage(stage).iterators[std::size_t(i)];
      Loop loop{around.extents[std::size_t(i)],
                iterator.annotation,
                stage == of,
                iterator.isReduction(),
                {}};
      if (loop.extent <= 1 && loop.annotation != Annotation::Parallel) continue;
      for (const Expr& axis : own.axisValues)
        loop.reach.push_back(reach(*axis, around.loopVars[std::size_t(i)].get(), loop.extent));
      loops.push_back(std::move(loop));
    }
  }

  /// All loops around its statement, outermost first.
  std::vector<Loop> loopsOf(int stage) const {
    std::vector<std::pair<int, int>> nest; // stage, loops of it
    nest.emplace_back(stage, int(program_.stage(stage).iterators.size()));
    for (auto point = program_.attachPoint(stage); point;
         point = program_.attachPoint(point->stage))
      nest.emplace_back(point->stage, point->iterator + 1);
    std::vector<Loop> loops;
    for (auto part = nest.rbegin(); part != nest.rend(); ++part)
      addLoops(part->first, part->second, stage, loops);
    return loops;
  }

  static std::vector<const VarNode*> axesOf(const OpNode& op) {
    std::vector<const VarNode*> axes;
    for (const Axis& axis : op.axes)
      axes.push_back(axis.var.get());
    for (const Axis& axis : op.reduceAxes)
      axes.push_back(axis.var.get());
    return axes;
  }

  /// What one step of each of `axes` adds to the expression.
  static std::vector<double> stepsOf(const ExprNode& e, const std::vector<const VarNode*>& axes,
                                     const std::vector<std::int64_t>& extents) {
    std::vector<double> steps;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t extent = std::max<std::int64_t>(2, extents[i]);
      steps.push_back(double(reach(e, axes[i], extent)) / double(extent - 1));
    }
    return steps;
  }

  /// The buffers that a stage's body reads, inlined stages seen through: `axisSteps` says what one
  /// step of each axis of the stage that is executed adds to each axis of this one.
  void addReads(int stage, const std::vector<std::vector<double>>& axisSteps,
                std::vector<Access>& accesses, int depth) const {
    const OpNode& op = *program_.stage(stage).op;
    const std::vector<const VarNode*> axes = axesOf(op);
    std::vector<std::int64_t> extents;
    for (const std::vector<Axis>* list : {&op.axes, &op.reduceAxes})
      for (const Axis& axis : *list)
        extents.push_back(axis.extent);
    for (const StageRead& read : reads_.of(stage)) {
      std::vector<std::vector<double>> index;
      for (const Expr& operand : read.load->operands) {
        const std::vector<double> own = stepsOf(*operand, axes, extents);
        std::vector<double> steps(axisSteps.empty() ? own.size() : axisSteps.front().size(), 0);
        for (std::size_t a = 0; a < own.size() && a < axisSteps.size(); ++a)
          for (std::size_t i = 0; i < steps.size(); ++i)
            steps[i] += own[a] * axisSteps[a][i];
        index.push_back(std::move(steps));
      }
      const Stage& producer = program_.stage(read.producer);
      if (producer.location == ComputeLocation::Inlined && depth < kMostInlined) {
        addReads(read.producer, index, accesses, depth + 1);
        continue;
      }
      accesses.push_back({read.producer, std::move(index), read.load->buffer->shape,
                          read.load->type.elementBytes(), false});
    }
  }

  std::vector<Access> accessesOf(int stage) const {
    const OpNode& op = *program_.stage(stage).op;
    const std::size_t axes = op.axes.size() + op.reduceAxes.size();
    std::vector<std::vector<double>> same(axes, std::vector<double>(axes, 0));
    for (std::size_t i = 0; i < axes; ++i)
      same[i][i] = 1;
    std::vector<Access> accesses;
    Access written{stage,
                   {same.begin(), same.begin() + std::ptrdiff_t(op.axes.size())},
                   op.output->shape,
                   op.output->type.elementBytes(),
                   true};
    accesses.push_back(std::move(written));
    addReads(stage, same, accesses, 0);
    return accesses;
  }

  /// What the loops from `first` on run over.
  static Box boxOf(const std::vector<Loop>& loops, std::size_t first, std::size_t axes) {
    Box box(axes, 1);
    for (std::size_t i = first; i < loops.size(); ++i)
      for (std::size_t a = 0; a < axes; ++a)
        box[a] += double(loops[i].reach[a]);
    return box;
  }

  static bool moves(const Access& access, const Loop& loop) {
    for (const std::vector<double>& steps : access.index)
      for (std::size_t a = 0; a < steps.size(); ++a)
        if (steps[a] != 0 && loop.reach[a] != 0) return true;
    return false;
  }

  /// How often what is inside loop `first` is brought anew: loops around that do not move it, right
  /// outside, find it where it was.
  static double times(const Access& access, const std::vector<Loop>& loops, std::size_t first) {
    double count = 1;
    bool still = true;
    for (std::size_t i = first; i-- > 0;) {
      still = still && !moves(access, loops[i]);
      if (!still) count *= double(loops[i].extent);
    }
    return count;
  }

  /// Bytes that all executions bring into a cache of this size.
  double traffic(const std::vector<Access>& accesses, const std::vector<Loop>& loops,
                 std::size_t axes, double cache) const {
    const auto line = double(target_.cacheLineBytes);
    std::size_t first = 0;
    for (; first < loops.size(); ++first) {
      const Box box = boxOf(loops, first, axes);
      double bytes = 0;
      for (const Access& access : accesses)
        bytes += bytesOf(access, box, line);
      if (bytes <= kCacheShare * cache) break;
    }
    if (first == 0) return 0; // it is there since the stage before, or the run before
    const Box box = boxOf(loops, first, axes);
    double sum = 0;
    for (const Access& access : accesses)
      sum += bytesOf(access, box, line) * times(access, loops, first) * (access.isWritten ? 2 : 1);
    return sum;
  }

  /// The loops that become straight code, from the inside: the first of them.
  std::size_t unrolledFrom(const std::vector<Loop>& loops, double limit) const {
    double statements = 1;
    std::size_t first = loops.size();
    while (first > 0 && loops[first - 1].isOwn) {
      const Loop& loop = loops[first - 1];
      if (loop.annotation != Annotation::Vectorize) {
        if (loop.annotation != Annotation::Unroll &&
            statements * double(loop.extent) > std::max(limit, 1.0))
          break;
        statements *= double(loop.extent);
      }
      --first;
    }
    return first;
  }

  double unrollLimit(int stage) const {
    double limit = 0;
    for (int at = stage;;) {
      if (const auto own = program_.stage(at).autoUnrollMaxStep) {
        limit = double(*own);
        break;
      }
      const auto point = program_.attachPoint(at);
      if (!point) break;
      at = point->stage;
    }
    return std::max(limit, target_.lowering == Lowering::Full ? kRegisterTile : kShortLoops);
  }

  DraftedStage drafted(int id) const {
    const Stage& stage = program_.stage(id);
    const OpNode& op = *stage.op;
    const std::size_t axes = op.axes.size() + op.reduceAxes.size();
    const std::vector<Loop> loops = loopsOf(id);
    const std::vector<Access> accesses = accessesOf(id);
    DraftedStage draft;
    draft.stage = stage.name();
    draft.points = 1;
    for (const Loop& loop : loops)
      draft.points *= double(loop.extent);
    const std::size_t tile = unrolledFrom(loops, unrollLimit(id));
    addVector(draft, op, accesses.front(), loops, axes, tile);
    addRegisters(draft, op, accesses, loops, axes, tile);
    draft.l2 = traffic(accesses, loops, axes, double(target_.l1Bytes)) / kL2BytesPerCycle;
    draft.l3 = traffic(accesses, loops, axes, double(target_.l2Bytes)) / kL3BytesPerCycle;
    if (target_.l3Bytes > 0)
      draft.memory = traffic(accesses, loops, axes, double(target_.l3Bytes)) / kMemoryBytesPerCycle;
    addParallel(draft, loops);
    return draft;
  }

  /// Useful lanes of the vectors that compute it.
  void addVector(DraftedStage& draft, const OpNode& op, const Access& written,
                 const std::vector<Loop>& loops, std::size_t axes, std::size_t tile) const {
    const double width =
        std::max(1.0, double(target_.vectorBytes) / double(op.output->type.elementBytes()));
    double elements = 1;
    bool isAnnotated = false;
    for (const Loop& loop : loops)
      if (loop.annotation == Annotation::Vectorize) {
        elements *= double(loop.extent);
        isAnnotated = true;
      }
    // A compiler finds the innermost loop by itself where it is no sum and rows are read in order.
    if (!isAnnotated && !loops.empty() && loops.back().isOwn && !loops.back().isReduction)
      elements = double(loops.back().extent);
    draft.lanes = elements / std::ceil(elements / width);
    // Of straight code it joins what lies side by side, whichever loop it came from.
    if (written.index.empty() || tile >= loops.size()) return;
    const double run = along(written.index.back(), boxOf(loops, tile, axes));
    draft.lanes = std::max(draft.lanes, run / std::ceil(run / width));
  }

  /// Lanes of a vector that one load brings: those along the buffer's rows in the tile, or in the
  /// innermost loop where there is no tile. 1 for elements that the innermost loop takes from rows
  /// apart.
  static double lanesOf(const Access& access, const std::vector<Loop>& loops, const Box& box,
                        bool hasTile, double lanes) {
    if (access.index.empty() || loops.empty()) return 1;
    const Loop& inner = loops.back();
    double inLoop = 0;
    const std::vector<double>& steps = access.index.back();
    for (std::size_t a = 0; a < steps.size(); ++a)
      inLoop += std::abs(steps[a]) * double(inner.reach[a]);
    if (inLoop > 1.5 * double(inner.extent - 1)) return 1;
    return std::clamp(hasTile ? along(steps, box) : inLoop + 1, 1.0, std::max(1.0, lanes));
  }

  void addRegisters(DraftedStage& draft, const OpNode& op, const std::vector<Access>& accesses,
                    const std::vector<Loop>& loops, std::size_t axes, std::size_t tile) const {
    const double registers = target_.vectorBytes >= 64 ? 32 : 16;
    // The tile in registers: straight code, as far as what it sums fits.
    std::size_t first = tile;
    const auto vectorsOf = [&](const Access& access, const Box& box) {
      return std::ceil(elementsOf(access, box) /
                       lanesOf(access, loops, box, first < loops.size(), draft.lanes));
    };
    for (; first < loops.size(); ++first) {
      const Box box = boxOf(loops, first, axes);
      if (vectorsOf(accesses.front(), box) <= registers - 3) break;
    }
    const Box box = boxOf(loops, first, axes);
    draft.accumulators = std::max(1.0, vectorsOf(accesses.front(), box));
    draft.registers = draft.accumulators + 2;
    const double operations = std::max(
        1, operationsOf(*op.body) / (op.reducer == Reducer::Sum ? 2 : 1) + (op.reducer ? 1 : 0));
    const double vectors = draft.points / draft.lanes;
    const bool isSum = op.reducer.has_value();
    const double chain = isSum ? std::max(1.0, kFmaPorts * kFmaLatency / draft.accumulators) : 1.0;
    draft.arithmetic = vectors * operations * chain / kFmaPorts;
    double moved = 0;
    for (const Access& access : accesses) {
      double each = access.isWritten && isSum ? 2 : 1;
      // The innermost loop is the vectors' and no part of the tile: as many of its iterations at
      // once.
      if (first == loops.size() && draft.lanes > 1)
        each /= moves(access, loops.back()) ? lanesOf(access, loops, box, false, draft.lanes)
                                            : draft.lanes;
      moved += each * vectorsOf(access, box) * times(access, loops, first);
    }
    draft.loads = moved / kLoadPorts;
    double iterations = 1;
    for (std::size_t i = 0; i < tile; ++i)
      iterations *= double(loops[i].extent);
    if (tile == loops.size()) iterations /= draft.lanes;
    draft.overhead = kLoopCycles * iterations;
  }

  void addParallel(DraftedStage& draft, const std::vector<Loop>& loops) const {
    double iterations = 1, starts = 1;
    bool isParallel = false;
    for (const Loop& loop : loops) {
      if (loop.annotation == Annotation::Parallel) {
        iterations *= double(loop.extent);
        isParallel = true;
      } else if (!isParallel) {
        starts *= double(loop.extent);
      }
    }
    const double cores = std::max(1, target_.cores);
    if (!isParallel || cores == 1) return;
    draft.parallel = iterations / std::ceil(iterations / cores);
    draft.overhead += starts * kParallelCycles * draft.parallel;
  }

  static constexpr int kMostInlined = 8;

  const State& program_;
  const TargetFacts& target_;
  const Bounds bounds_;
  const StageReads reads_;
};

} // namespace

std::vector<DraftedStage> draftedStages(const State& program, const TargetFacts& target) {
  return Drafter(program, target).all();
}

double draftScore(const State& program, const TargetFacts& target) {
  try {
    double cycles = 0;
    if (target.gpu)
      for (const KernelTime& kernel : draftedKernels(program, target))
        cycles += draftedClocks(kernel);
    else
      for (const DraftedStage& stage : draftedStages(program, target))
        cycles += stage.cycles();
    return -std::log2(std::max(cycles, 1.0));
  } catch (const IllegalSchedule&) {
    return -kInfinity;
  }
}

ProgramDraft draftOf(const TargetFacts& target) {
  ProgramDraft draft{[target](const State& program) { return draftScore(program, target); }};
  // A GPU's comes near the seconds themselves, and there are more kinds of programs.
  if (target.gpu) draft.drawsForEach = 64, draft.breeds = draft.isCoarse = true;
  return draft;
}

} // namespace nestwright
