#pragma once
/// \file Random index expressions over a few loops, and their values.

#include "core/support/random.h"
#include "core/tensor/expr.h"

#include <QtGlobal>

namespace nestwright::test {

struct Loops {
  std::vector<Var> vars;
  std::vector<std::int64_t> extents;

  std::int64_t extentOf(const Var& var) const {
    for (std::size_t i = 0; i < vars.size(); ++i)
      if (vars[i] == var) return extents[i];
    return 0;
  }
};

inline Loops randomLoops(const std::vector<std::string>& names, std::uint64_t maxExtent,
                         Random& random) {
  Loops loops;
  for (const std::string& name : names) {
    loops.vars.push_back(makeVar(name));
    loops.extents.push_back(1 + static_cast<std::int64_t>(random.below(maxExtent)));
  }
  return loops;
}

/// Calls `f` with the values of the loop variables in every iteration.
template <class F>
void forEachPoint(const Loops& loops, const F& f) {
  std::vector<std::int64_t> at(loops.vars.size(), 0);
  for (std::size_t i = 0; i < at.size();) {
    f(at);
    for (i = 0; i < at.size() && ++at[i] == loops.extents[i]; ++i)
      at[i] = 0;
    if (i < at.size()) i = 0;
  }
}

inline std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

inline std::int64_t valueOf(const Expr& e, const Loops& loops,
                            const std::vector<std::int64_t>& at) {
  if (e->kind == ExprKind::IntImm) return e->integer;
  if (e->kind == ExprKind::Var) {
    for (std::size_t i = 0; i < loops.vars.size(); ++i)
      if (loops.vars[i] == e->var) return at[i];
    qFatal("unknown variable");
  }
  const auto operand = [&](std::size_t i) { return valueOf((*e)[i], loops, at); };
  switch (e->kind) {
  case ExprKind::Add:
    return operand(0) + operand(1);
  case ExprKind::Sub:
    return operand(0) - operand(1);
  case ExprKind::Mul:
    return operand(0) * operand(1);
  case ExprKind::FloorDiv:
    return floorDivide(operand(0), operand(1));
  case ExprKind::FloorMod:
    return operand(0) - floorDivide(operand(0), operand(1)) * operand(1);
  case ExprKind::Min:
    return std::min(operand(0), operand(1));
  case ExprKind::Max:
    return std::max(operand(0), operand(1));
  case ExprKind::Lt:
    return operand(0) < operand(1);
  case ExprKind::Le:
    return operand(0) <= operand(1);
  case ExprKind::Gt:
    return operand(0) > operand(1);
  case ExprKind::Ge:
    return operand(0) >= operand(1);
  case ExprKind::Eq:
    return operand(0) == operand(1);
  case ExprKind::Ne:
    return operand(0) != operand(1);
  case ExprKind::And:
    return operand(0) != 0 && operand(1) != 0;
  case ExprKind::Or:
    return operand(0) != 0 || operand(1) != 0;
  case ExprKind::Not:
    return operand(0) == 0;
  case ExprKind::Select:
    return operand(0) != 0 ? operand(1) : operand(2);
  default:
    qFatal("unexpected node");
  }
}

class RandomIndex {
 public:
  RandomIndex(const Loops& loops, Random& random) : loops_(loops), random_(random) {}

  Expr integer(int depth) {
    if (depth == 0) {
      if (random_.below(3) == 0) return intImm(number(-6, 6));
      return random_.pick(loops_.vars);
    }
    const Expr a = integer(depth - 1);
    switch (random_.below(9)) {
    case 0:
    case 1:
      return a + integer(depth - 1);
    case 2:
      return a - integer(depth - 1);
    case 3:
      return a * intImm(number(-4, 12));
    case 4:
    case 5:
      return floorDiv(a, intImm(number(1, 12)));
    case 6:
      return floorMod(a, intImm(number(1, 12)));
    case 7:
      return random_.below(2) == 0 ? min(a, integer(depth - 1)) : max(a, integer(depth - 1));
    default:
      return select(condition(depth - 1), a, integer(depth - 1));
    }
  }

  Expr condition(int depth) {
    const Expr a = integer(depth);
    const Expr b = integer(depth);
    switch (random_.below(9)) {
    case 0:
      return a < b;
    case 1:
      return a <= b;
    case 2:
      return a > b;
    case 3:
      return a >= b;
    case 4:
      return equal(a, b);
    case 5:
      return notEqual(a, b);
    case 6:
      return a < b && b >= intImm(0);
    case 7:
      return a < b || b < intImm(3);
    default:
      return logicalNot(a < b);
    }
  }

 private:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_.below(high - low + 1));
  }

  const Loops& loops_;
  Random& random_;
};

} // namespace nestwright::test
