#include "core/emulate/thread_expr.h"

#include "core/support/error.h"
#include "core/tensor/half.h"
#include "core/tensor/scalar_arithmetic.h"

#include <cmath>
#include <limits>

namespace nestwright {

namespace {

const ThreadSet& one() {
  static const ThreadSet first{{0}, true};
  return first;
}

/// The element of a vector expression that belongs to the lane; a scalar one is itself.
Expr laneOf(const Expr& e, int lane) {
  if (e->type.isScalar()) return e;
  if (e->kind == ExprKind::Broadcast) return (*e)[0];
  if (e->kind == ExprKind::Ramp) return (*e)[0] + (*e)[1] * intImm(lane, (*e)[1]->type);
  ExprNode node = *e;
  node.type = e->type.element();
  for (Expr& operand : node.operands)
    operand = laneOf(operand, lane);
  return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

double converted(double value, DataType type) {
  if (type.isFloat()) return value;
  return type.isBool() ? value != 0 : std::trunc(value);
}

/// Calls `f(thread)` for each of them.
template <class F>
void forEach(const ThreadSet& threads, F&& f) {
  if (threads.all) {
    const int count = static_cast<int>(threads.size());
    for (int thread = 0; thread < count; ++thread)
      f(thread);
  } else {
    for (const int thread : threads.ids)
      f(thread);
  }
}

} // namespace

Variable& ProgramNames::variable(const VarNode* var) {
  std::unique_ptr<Variable>& found = variables[var];
  if (!found) found = std::make_unique<Variable>();
  return *found;
}

ThreadMemory& ProgramNames::memory(const BufferNode* buffer) {
  const auto found = memories.find(buffer);
  if (found == memories.end())
    throw Error(fmt::format("{} is used but not allocated", buffer->name));
  return *found->second;
}

ThreadAddress::ThreadAddress(const Buffer& buffer, const std::vector<Expr>& indices, int lane,
                             ProgramNames& names, const EmulationPoint& moment)
    : memory_(&names.memory(buffer.get())) {
  const bool vector = !indices.empty() && !indices.back()->type.isScalar();
  if (vector && !memory_->isPerThread() && lane == 0) alignment_ = indices.back()->type.lanes;
  for (const Expr& index : indices)
    indices_.emplace_back(laneOf(index, lane), 0, names, moment);
  extents_ = indices.size() == buffer->shape.size() ? buffer->shape
                                                    : std::vector<std::int64_t>{buffer->elements()};
}

ThreadAddress::ThreadAddress(ThreadAddress&&) noexcept = default;
ThreadAddress::~ThreadAddress() = default;

bool ThreadAddress::isUniform() const {
  return std::all_of(indices_.begin(), indices_.end(),
                     [](const ThreadExpr& index) { return index.isUniform(); });
}

const std::vector<std::int64_t>& ThreadAddress::positions(const ThreadSet& threads) {
  const ThreadSet& taking = isUniform() ? one() : threads;
  positions_.assign(static_cast<std::size_t>(taking.ids.back()) + 1, 0);
  for (std::size_t dimension = 0; dimension < indices_.size(); ++dimension) {
    const std::int64_t extent = extents_[dimension];
    const Values index = indices_[dimension].values(threads);
    forEach(taking, [&](int thread) {
      const auto at = static_cast<std::int64_t>(index[thread]);
      if (at < 0 || at >= extent)
        throw Fault{EmulationFault::OutOfBounds,
                    fmt::format("index {} of {} is {}, outside of [0, {})", dimension,
                                memory_->buffer().name, at, extent)};
      std::int64_t& position = positions_[static_cast<std::size_t>(thread)];
      position = position * extent + at;
    });
  }
  if (alignment_ > 1)
    forEach(taking, [&](int thread) {
      const std::int64_t position = positions_[static_cast<std::size_t>(thread)];
      if (position % alignment_ != 0)
        throw Fault{EmulationFault::Misaligned,
                    fmt::format("{} elements of {} are accessed at {}, which is no multiple",
                                alignment_, memory_->buffer().name, position)};
    });
  return positions_;
}

ThreadExpr::ThreadExpr(const Expr& vector, int lane, ProgramNames& names,
                       const EmulationPoint& moment)
    : expr_(laneOf(vector, lane)), moment_(&moment) {
  const Expr& e = vector->kind == ExprKind::Broadcast ? (*vector)[0] : vector;
  if (expr_->kind == ExprKind::Load) {
    // The lane's address knows of its neighbours.
    address_ = std::make_unique<ThreadAddress>(e->buffer, e->operands, lane, names, moment);
    // Every thread that reads what is watched is to be seen.
    byThread_ = !address_->isUniform() || address_->memory().isPerThread() ||
                address_->memory().isWatched();
    lasting_ = false;
    return;
  }
  if (expr_->kind == ExprKind::Var) {
    variable_ = &names.variable(expr_->var.get());
    byThread_ = !variable_->each.empty();
    lasting_ = !variable_->changesInBlock;
    return;
  }
  rounds_ = expr_->type.isHalf() && (isBinary(expr_->kind) || expr_->kind == ExprKind::Call ||
                                     expr_->kind == ExprKind::Cast);
  // Lanes of operands are made from the vector, so that their loads know them, too.
  const bool isLaneOfRamp = e->kind == ExprKind::Ramp;
  for (const Expr& operand : isLaneOfRamp ? expr_->operands : e->operands)
    operands_.emplace_back(operand, isLaneOfRamp ? 0 : lane, names, moment);
  for (const ThreadExpr& operand : operands_) {
    byThread_ |= operand.byThread_;
    lasting_ &= operand.lasting_;
  }
}

Values ThreadExpr::values(const ThreadSet& threads) {
  if (variable_ != nullptr)
    return byThread_ ? Values{variable_->each.data(), 1} : Values{&variable_->value, 0};
  const int stride = byThread_ ? 1 : 0;
  if (!lasting_ || block_ != moment_->block) {
    const auto size = static_cast<std::size_t>(byThread_ ? moment_->threads() : 1);
    if (values_.size() != size) values_.resize(size);
    // For everyone where it lasts: those that take part may be others next time.
    const ThreadSet& taking = !byThread_ ? one() : lasting_ ? moment_->everyone : threads;
    evaluate(taking);
    if (rounds_) round(taking);
    block_ = moment_->block;
  }
  return {values_.data(), stride};
}

void ThreadExpr::evaluate(const ThreadSet& threads) {
  double* const out = values_.data();
  switch (expr_->kind) {
  case ExprKind::IntImm:
    out[0] = static_cast<double>(expr_->integer);
    return;
  case ExprKind::FloatImm:
    out[0] = expr_->real;
    return;
  case ExprKind::Load:
    return evaluateLoad(threads);
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return evaluateChoice(threads);
  default:
    break;
  }
  const Values a = operands_[0].values(threads);
  switch (expr_->kind) {
  case ExprKind::Not:
    forEach(threads, [&](int t) { out[t] = a[t] == 0; });
    return;
  case ExprKind::Cast: {
    const DataType type = expr_->type;
    forEach(threads, [&](int t) { out[t] = converted(a[t], type); });
    return checkRange(threads);
  }
  case ExprKind::Call: {
    const Values b = operands_.back().values(threads);
    forEach(threads, [&](int t) { out[t] = applyIntrinsic(expr_->intrinsic, a[t], b[t]); });
    return;
  }
  default:
    return evaluateBinary(threads);
  }
}

void ThreadExpr::evaluateBinary(const ThreadSet& threads) {
  const Values a = operands_[0].values(threads), b = operands_[1].values(threads);
  double* const out = values_.data();
  const auto each = [&](auto&& combine) {
    forEach(threads, [&](int t) { out[t] = combine(a[t], b[t]); });
  };
  switch (expr_->kind) {
  case ExprKind::Add:
    each([](double x, double y) { return x + y; });
    return checkRange(threads);
  case ExprKind::Sub:
    each([](double x, double y) { return x - y; });
    return checkRange(threads);
  case ExprKind::Mul:
    each([](double x, double y) { return x * y; });
    return checkRange(threads);
  default:
    return each([kind = expr_->kind, type = expr_->type.element()](double x, double y) {
      return applyBinary(kind, type, x, y);
    });
  }
}

/// Both sides of a select are evaluated; of an if_then_else only the one that is chosen.
void ThreadExpr::evaluateChoice(const ThreadSet& threads) {
  double* const out = values_.data();
  const Values condition = operands_[0].values(threads);
  if (expr_->kind == ExprKind::Select) {
    const Values then = operands_[1].values(threads), otherwise = operands_[2].values(threads);
    forEach(threads, [&](int t) { out[t] = condition[t] != 0 ? then[t] : otherwise[t]; });
    return;
  }
  ThreadSet sides[2] = {{{}, false}, {{}, false}};
  forEach(threads, [&](int t) { sides[condition[t] != 0 ? 0 : 1].ids.push_back(t); });
  for (int side : {0, 1}) {
    if (sides[side].ids.empty()) continue;
    const ThreadSet& taking = sides[1 - side].ids.empty() ? threads : sides[side];
    const Values chosen = operands_[static_cast<std::size_t>(side) + 1].values(taking);
    forEach(taking, [&](int t) { out[t] = chosen[t]; });
  }
}

void ThreadExpr::evaluateLoad(const ThreadSet& threads) {
  double* const out = values_.data();
  const std::vector<std::int64_t>& positions = address_->positions(threads);
  ThreadMemory& memory = address_->memory();
  if (address_->isUniform())
    forEach(threads, [&](int t) { out[t] = memory.read(positions[0], t); });
  else
    forEach(threads,
            [&](int t) { out[t] = memory.read(positions[static_cast<std::size_t>(t)], t); });
}

void ThreadExpr::round(const ThreadSet& threads) {
  forEach(threads, [&](int t) {
    double& value = values_[static_cast<std::size_t>(t)];
    value = roundedTo(value, expr_->type);
  });
}

/// Integers of 32 bits are those of indices; no tensor's are so large.
void ThreadExpr::checkRange(const ThreadSet& threads) const {
  const DataType type = expr_->type;
  if (type != kInt32 && type != kUInt32) return;
  const double low = type == kInt32 ? std::numeric_limits<std::int32_t>::min() : 0.0;
  const double high = type == kInt32 ? std::numeric_limits<std::int32_t>::max()
                                     : std::numeric_limits<std::uint32_t>::max();
  forEach(threads, [&](int t) {
    if (values_[static_cast<std::size_t>(t)] < low || values_[static_cast<std::size_t>(t)] > high)
      throw Fault{EmulationFault::IndexOverflow,
                  fmt::format("{} does not fit in {}", values_[static_cast<std::size_t>(t)],
                              toString(type))};
  });
}

} // namespace nestwright
