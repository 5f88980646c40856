#include "core/lower/gpu/narrow_indices.h"

#include "core/lower/simplify_indices.h"
#include "core/support/error.h"
#include "core/support/floor_divide.h"

#include <limits>
#include <unordered_map>

namespace nestwright {
namespace {

constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();

bool isIndex(const Expr& e) {
  return e->type.element() == kInt64;
}

bool fits(ValueRange range) {
  return range.low >= kLow && range.high <= kHigh;
}

class Narrower {
 public:
  explicit Narrower(const Stmt& launch) : simplify_(simplifierFor(launch)) {
    visit(launch, [&](const Stmt& s) {
      if (s->kind == StmtKind::For) declare(s->var, 1);
    });
    for (const auto* part : {&launch->launch->grid, &launch->launch->threads})
      for (const LaunchAxis& axis : *part)
        if (axis.var) declare(axis.var, 0);
  }

  Stmt narrow(const Stmt& s) {
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return narrow(child); }, nullptr);
    auto node = std::make_shared<StmtNode>(*mapped);
    if (s->kind == StmtKind::Launch) {
      Launch launch = *s->launch;
      for (auto* part : {&launch.grid, &launch.threads})
        for (LaunchAxis& axis : *part)
          if (axis.var) axis.var = vars_.at(axis.var.get());
      node->launch = std::make_shared<const Launch>(std::move(launch));
    }
    if (s->kind == StmtKind::For) {
      node->var = vars_.at(s->var.get());
      node->min = node->var->type == kInt32 ? index(s->min) : wide(s->min);
    }
    for (Expr& e : node->indices)
      e = indexInto(*s->buffer, e);
    if (s->value) node->value = isIndex(s->value) ? wide(s->value) : value(s->value);
    if (s->condition) node->condition = value(s->condition);
    return node;
  }

 private:
  /// `beyond`: how far the variable of a loop goes when the loop ends.
  void declare(const Var& var, std::int64_t beyond) {
    ValueRange range = simplify_.range(Expr(var));
    range.high += beyond;
    const bool small = fits(range);
    vars_[var.get()] = small ? makeVar(var->name, kInt32) : var;
  }

  /// All values of an index, and of what it is computed from: unbounded when one of them may be.
  ValueRange range(const Expr& e) {
    const auto known = ranges_.find(e.get());
    if (known != ranges_.end()) return known->second;
    return ranges_[e.get()] = computedRange(e);
  }

  ValueRange computedRange(const Expr& e) {
    switch (e->kind) {
    case ExprKind::IntImm:
      return {e->integer, e->integer};
    case ExprKind::Var:
      return simplify_.range(e);
    case ExprKind::Load:
    case ExprKind::Cast:
    case ExprKind::Call:
      return {};
    case ExprKind::Broadcast:
      return range((*e)[0]);
    case ExprKind::Select:
    case ExprKind::IfThenElse:
      return joined(range((*e)[1]), range((*e)[2]));
    default:
      break;
    }
    const ValueRange a = range((*e)[0]), b = range((*e)[1]);
    if (!fits(a) || !fits(b)) return {};
    switch (e->kind) {
    case ExprKind::Add:
      return {a.low + b.low, a.high + b.high};
    case ExprKind::Sub:
      return {a.low - b.high, a.high - b.low};
    case ExprKind::Mul:
      return products(a, b);
    case ExprKind::Min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ExprKind::Max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ExprKind::Ramp: {
      const std::int64_t last = e->type.lanes - 1;
      const ValueRange end = products(b, {0, last});
      return {a.low + end.low, a.high + end.high};
    }
    case ExprKind::FloorDiv:
      if (b.low <= 0) return {};
      return {floorDivide(std::min<std::int64_t>(a.low, 0), b.low),
              std::max<std::int64_t>(a.high, 0) / b.low};
    case ExprKind::FloorMod:
      if (b.low <= 0) return {};
      return {0, b.high - 1};
    default:
      return {};
    }
  }

  static ValueRange joined(ValueRange a, ValueRange b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  static ValueRange products(ValueRange a, ValueRange b) {
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return {low, high};
  }

  /// Of 32 bits where it fits, else of 64.
  Expr index(const Expr& e) { return fits(range(e)) ? narrowed(e) : widened(e); }

  /// Of 64 bits. A ramp stays one: accesses to neighbours are known by it.
  Expr wide(const Expr& e) {
    if (e->kind == ExprKind::IntImm) return e;
    if (e->kind == ExprKind::Ramp) return ramp(wide(e[0]), wide(e[1]), e->type.lanes);
    return fits(range(e)) ? cast(e->type, narrowed(e)) : widened(e);
  }

  Expr indexInto(const BufferNode& buffer, const Expr& e) {
    if (!isIndex(e)) return value(e);
    return buffer.elements() > kHigh ? wide(e) : index(e);
  }

  /// An index that fits, as int32.
  Expr narrowed(const Expr& e) {
    const DataType type = kInt32.withLanes(e->type.lanes);
    switch (e->kind) {
    case ExprKind::IntImm:
      return intImm(e->integer, kInt32);
    case ExprKind::Var:
      return Expr(vars_.at(e->var.get()));
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
      return division(e);
    default:
      break;
    }
    ExprNode node = *e;
    node.type = type;
    for (Expr& operand : node.operands)
      operand = isIndex(operand) ? narrowed(operand) : value(operand);
    return Expr(std::make_shared<const ExprNode>(std::move(node)));
  }

  Expr division(const Expr& e) {
    const Expr a = narrowed((*e)[0]), b = narrowed((*e)[1]);
    const bool negative = range((*e)[0]).low < 0 && simplify_.range((*e)[0]).low < 0;
    if (negative || !e->type.isScalar()) return binary(e->kind, a, b);
    return cast(kInt32, binary(e->kind, cast(kUInt32, a), cast(kUInt32, b)));
  }

  /// An expression of 64 bits whose operands may fit.
  Expr widened(const Expr& e) {
    if (e->kind == ExprKind::Var) return Expr(vars_.at(e->var.get()));
    return mapped(e);
  }

  /// What is no index.
  Expr value(const Expr& e) { return mapped(e); }

  Expr mapped(const Expr& e) {
    if (e->kind == ExprKind::Load) {
      ExprNode node = *e;
      for (Expr& operand : node.operands)
        operand = indexInto(*e->buffer, operand);
      return Expr(std::make_shared<const ExprNode>(std::move(node)));
    }
    const bool compares = e->kind >= ExprKind::Eq && e->kind <= ExprKind::Ge;
    if (compares && isIndex((*e)[0]) && fits(range((*e)[0])) && fits(range((*e)[1])))
      return binary(e->kind, narrowed((*e)[0]), narrowed((*e)[1]));
    const bool converts = e->kind == ExprKind::Cast;
    return mapOperands(e, [&](const Expr& operand) {
      if (!isIndex(operand)) return value(operand);
      return converts ? index(operand) : wide(operand);
    });
  }

  IndexSimplifier simplify_;
  std::unordered_map<const VarNode*, Var> vars_;
  std::unordered_map<const ExprNode*, ValueRange> ranges_;
};

} // namespace

Stmt narrowIndices(const Stmt& s) {
  if (s->kind == StmtKind::Launch) return Narrower(s).narrow(s);
  return mapChildren(s, narrowIndices, nullptr);
}

} // namespace nestwright
