#include "core/search/draft/drafted_nest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nestwright {

namespace {

/// Inlined stages that are seen through, one behind the other.
constexpr int kMostInlined = 8;

/// Values that index arithmetic takes when one variable runs: how far from where all are 0.
class Evaluator {
 public:
  void set(const VarNode* var, std::int64_t value) { values_[var] = value; }

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

std::vector<const VarNode*> axesOf(const OpNode& op) {
  std::vector<const VarNode*> axes;
  for (const Axis& axis : op.axes)
    axes.push_back(axis.var.get());
  for (const Axis& axis : op.reduceAxes)
    axes.push_back(axis.var.get());
  return axes;
}

/// What one step of each of `axes` adds to the expression.
std::vector<double> stepsOf(const ExprNode& e, const std::vector<const VarNode*>& axes,
                            const std::vector<std::int64_t>& extents) {
  std::vector<double> steps;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t extent = std::max<std::int64_t>(2, extents[i]);
    steps.push_back(double(reach(e, axes[i], extent)) / double(extent - 1));
  }
  return steps;
}

} // namespace

NestReader::NestReader(const State& program)
    : program_(program), bounds_(inferBounds(program)), reads_(program) {}

DraftedNest NestReader::nestOf(int stage) const {
  const OpNode& op = *program_.stage(stage).op;
  DraftedNest nest{loopsOf(stage), accessesOf(stage), op.axes.size() + op.reduceAxes.size(),
                   unrollLimitOf(stage)};
  for (DraftedAccess& access : nest.accesses)
    access.around = loopsAround(access.stage, nest.loops);
  return nest;
}

void NestReader::addLoops(int stage, int upTo, int of, std::vector<DraftedLoop>& loops) const {
  const StageBounds& own = bounds_.stages[std::size_t(of)];
  const StageBounds& around = bounds_.stages[std::size_t(stage)];
  for (int i = 0; i < upTo; ++i) {
    const Iterator& iterator = program_.stage(stage).iterators[std::size_t(i)];
    DraftedLoop loop{stage,
                     i,
                     around.extents[std::size_t(i)],
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

std::vector<DraftedLoop> NestReader::loopsOf(int stage) const {
  std::vector<std::pair<int, int>> nest; // stage, loops of it
  nest.emplace_back(stage, int(program_.stage(stage).iterators.size()));
  for (auto point = program_.attachPoint(stage); point; point = program_.attachPoint(point->stage))
    nest.emplace_back(point->stage, point->iterator + 1);
  std::vector<DraftedLoop> loops;
  for (auto part = nest.rbegin(); part != nest.rend(); ++part)
    addLoops(part->first, part->second, stage, loops);
  return loops;
}

/// How many of the loops, from the outside, go on around the place where the stage is attached.
std::size_t NestReader::loopsAround(int stage, const std::vector<DraftedLoop>& loops) const {
  std::map<int, int> last; // iterator of each stage that it lies in
  for (auto point = program_.attachPoint(stage); point; point = program_.attachPoint(point->stage))
    last.emplace(point->stage, point->iterator);
  const auto inside = std::ranges::find_if(loops, [&](const DraftedLoop& loop) {
    const auto found = last.find(loop.stage);
    return found == last.end() || loop.iterator > found->second;
  });
  return std::size_t(inside - loops.begin());
}

/// The buffers that a stage's body reads, inlined stages seen through: `axisSteps` says what one
/// step of each axis of the stage that is executed adds to each axis of this one.
void NestReader::addReads(int stage, const std::vector<std::vector<double>>& axisSteps,
                          std::vector<DraftedAccess>& accesses, int depth) const {
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

std::vector<DraftedAccess> NestReader::accessesOf(int stage) const {
  const OpNode& op = *program_.stage(stage).op;
  const std::size_t axes = op.axes.size() + op.reduceAxes.size();
  std::vector<std::vector<double>> same(axes, std::vector<double>(axes, 0));
  for (std::size_t i = 0; i < axes; ++i)
    same[i][i] = 1;
  std::vector<DraftedAccess> accesses;
  DraftedAccess written{stage,
                        {same.begin(), same.begin() + std::ptrdiff_t(op.axes.size())},
                        op.output->shape,
                        op.output->type.elementBytes(),
                        true};
  accesses.push_back(std::move(written));
  addReads(stage, same, accesses, 0);
  return accesses;
}

/// Of the stage, or of the one that it is attached in.
double NestReader::unrollLimitOf(int stage) const {
  while (!program_.stage(stage).autoUnrollMaxStep) {
    const auto point = program_.attachPoint(stage);
    if (!point) return 0;
    stage = point->stage;
  }
  return double(*program_.stage(stage).autoUnrollMaxStep);
}

double DraftedNest::points() const {
  double points = 1;
  for (const DraftedLoop& loop : loops)
    points *= double(loop.extent);
  return points;
}

double along(const std::vector<double>& steps, const Box& box) {
  double extent = 1;
  for (std::size_t axis = 0; axis < steps.size(); ++axis)
    extent += std::abs(steps[axis]) * (box[axis] - 1);
  return extent;
}

double elementsOf(const DraftedAccess& access, const Box& box) {
  double elements = 1;
  for (std::size_t d = 0; d < access.index.size(); ++d)
    elements *= std::min(along(access.index[d], box), double(access.shape[d]));
  return elements;
}

double bytesOf(const DraftedAccess& access, const DraftedNest& nest, std::size_t first,
               double line) {
  if (access.index.empty()) return access.bytes;
  const Box box = boxOf(nest, std::max(first, access.around));
  double rows = 1;
  for (std::size_t d = 0; d + 1 < access.index.size(); ++d)
    rows *= std::min(along(access.index[d], box), double(access.shape[d]));
  const double row = std::min(along(access.index.back(), box), double(access.shape.back()));
  // Rows that are read whole follow one another.
  if (row >= double(access.shape.back())) return std::max(line, rows * row * access.bytes);
  return rows * std::ceil(row * access.bytes / line) * line;
}

Box boxOf(const DraftedNest& nest, std::size_t first) {
  Box box(nest.axes, 1);
  for (std::size_t i = first; i < nest.loops.size(); ++i)
    for (std::size_t a = 0; a < nest.axes; ++a)
      box[a] += double(nest.loops[i].reach[a]);
  return box;
}

bool moves(const DraftedAccess& access, const DraftedLoop& loop) {
  for (const std::vector<double>& steps : access.index)
    for (std::size_t a = 0; a < steps.size(); ++a)
      if (steps[a] != 0 && loop.reach[a] != 0) return true;
  return false;
}

double times(const DraftedAccess& access, const std::vector<DraftedLoop>& loops,
             std::size_t first) {
  double count = 1;
  bool still = true;
  for (std::size_t i = first; i-- > 0;) {
    still = still && !moves(access, loops[i]);
    if (!still) count *= double(loops[i].extent);
  }
  return count;
}

} // namespace nestwright
