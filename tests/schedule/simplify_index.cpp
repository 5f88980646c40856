/// \file Index simplification: text, and values against direct evaluation.

#include "core/schedule/bounds.h"
#include "core/support/random.h"
#include "core/tensor/text.h"

#include <QtTest>

using namespace nestwright;

namespace {

constexpr std::uint64_t kSeed = 20261120;

struct Loops {
  std::vector<Var> vars;
  std::vector<std::int64_t> extents;

  std::int64_t extentOf(const Var& var) const {
    for (std::size_t i = 0; i < vars.size(); ++i)
      if (vars[i] == var) return extents[i];
    return 0;
  }
};

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::int64_t valueOf(const Expr& e, const Loops& loops, const std::vector<std::int64_t>& at) {
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

} // namespace

class SimplifyIndexTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsTheValue() {
    for (int round = 0; round < 4000; ++round) {
      Random random = Random::stream(kSeed, "simplify", round);
      Loops loops;
      for (const char* name : {"x", "y", "z"}) {
        loops.vars.push_back(makeVar(name));
        loops.extents.push_back(1 + static_cast<std::int64_t>(random.below(9)));
      }
      RandomIndex make(loops, random);
      const int depth = 1 + round % 4;
      const Expr e = random.below(3) == 0 ? make.condition(depth) : make.integer(depth);
      const bool known = random.below(4) != 0;
      const Expr simple =
          simplifyIndex(e, [&](const Var& var) { return known ? loops.extentOf(var) : 0; });
      QVERIFY(simple->type == e->type);
      std::vector<std::int64_t> at(3);
      for (at[0] = 0; at[0] < loops.extents[0]; ++at[0])
        for (at[1] = 0; at[1] < loops.extents[1]; ++at[1])
          for (at[2] = 0; at[2] < loops.extents[2]; ++at[2])
            QVERIFY2(valueOf(simple, loops, at) == valueOf(e, loops, at),
                     fmt::format("seed {} round {} at {} {} {}: {} became {}", kSeed, round, at[0],
                                 at[1], at[2], print(e), print(simple))
                         .c_str());
    }
  }

  void findsTheShortForm_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("simple");
    const auto row = [](const char* text, const char* simple) {
      QTest::newRow(text) << QString(text) << QString(simple);
    };
    // x < 8, y < 16, f < 56 in a one-line operator over them
    row("x + y - x", "y");
    row("floordiv(x*16 + y, 16)", "x");
    row("floormod(x*16 + y, 16)", "y");
    row("floordiv(x*16 + y, 4)", "((x*4) + floordiv(y, 4))");
    row("floormod(x*16 + y, 4)", "floormod(y, 4)");
    row("floordiv(x*2 + 1, 2)", "x");
    row("floordiv(f, 14)*14 + floormod(f, 14)", "f");
    row("floordiv(floormod(f, 28), 14)*14 + floormod(f, 14)", "floormod(f, 28)");
    row("floormod(floordiv(f, 14), 4)", "floordiv(f, 14)");
    row("floormod(f, 56)", "f");
    row("floormod(floormod(f, 56), 14)", "floormod(f, 14)");
    row("floordiv(floordiv(f, 2), 7)", "floordiv(f, 14)");
    row("floormod(floordiv(f, 2), 7)", "floordiv(floormod(f, 14), 2)");
    row("x*0 + 3", "3");
    row("0 - x + 9", "(9 - x)");
    row("min(x, 7)", "x");
    row("max(x, 8)", "8");
    row("floordiv(y + x*16 + 16, 16) - 1", "x");
  }

  void findsTheShortForm() {
    QFETCH(QString, text);
    QFETCH(QString, simple);
    const ComputeDag dag = parseDag(
        fmt::format("A = PLACEHOLDER [200]\nB(x=8, y=16, f=56) = A[{}]\n", text.toStdString()));
    const Op op = dag[1];
    const Expr e = simplifyIndex(op->body->operands[0], [&](const Var& var) {
      for (const Axis& axis : op->axes)
        if (axis.var == var) return axis.extent;
      return std::int64_t{0};
    });
    QCOMPARE(QString::fromStdString(print(e)), simple);
  }
};

QTEST_APPLESS_MAIN(SimplifyIndexTest)
#include "simplify_index.moc"
