/// \file Index simplification: text, and values against direct evaluation.

#include "core/schedule/bounds.h"
#include "core/schedule/index_interval.h"
#include "core/tensor/text.h"
#include "tests/schedule/random_index.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QtTest>

namespace nestwright::simplify_index_test {

using namespace nestwright::test;

constexpr std::uint64_t kSeed = 20261120;

class SimplifyIndexTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsTheValue() {
    for (int round = 0; round < 4000; ++round) {
      Random random = Random::stream(kSeed, "simplify", round);
      const Loops loops = randomLoops({"x", "y", "z"}, 9, random);
      RandomIndex make(loops, random);
      const int depth = 1 + round % 4;
      const Expr e = random.below(3) == 0 ? make.condition(depth) : make.integer(depth);
      const bool known = random.below(4) != 0;
      const Expr simple =
          simplifyIndex(e, [&](const Var& var) { return known ? loops.extentOf(var) : 0; });
      QVERIFY(simple->type == e->type);
      forEachPoint(loops, [&](const std::vector<std::int64_t>& at) {
        QVERIFY2(valueOf(simple, loops, at) == valueOf(e, loops, at),
                 fmt::format("seed {} round {} at {}: {} became {}", kSeed, round,
                             fmt::join(at, " "), print(e), print(simple))
                     .c_str());
      });
      if (QTest::currentTestFailed()) return;
    }
  }

  /// The digits of an index in mixed radix, in any order, are the index again; with a digit that
  /// is weighed wrongly they are another number, which simplification keeps.
  void joinsDigits() {
    for (int round = 0; round < 400; ++round) {
      Random random = Random::stream(kSeed, "digits", round);
      const auto number = [&](int low, int high) {
        return static_cast<std::int64_t>(low +
                                         random.below(static_cast<std::uint64_t>(high - low + 1)));
      };
      const Loops loops{{makeVar("x")}, {number(1, 400)}};
      const Expr x = loops.vars[0];
      const std::int64_t scale = number(1, 5);
      const bool spoiled = round % 3 == 0;
      std::int64_t unit = number(1, 4), weight = scale;
      std::vector<Expr> digits;
      const int count = 2 + round % 3;
      for (int d = 0; d < count; ++d) {
        const std::int64_t radix = number(2, 5);
        const bool last = d + 1 == count && round % 2 == 0;
        const Expr below = last ? x : floorMod(x, intImm(unit * radix));
        digits.push_back(floorDiv(below, intImm(unit)) *
                         intImm(spoiled && d == 1 ? weight + 1 : weight));
        unit *= radix, weight *= radix;
      }
      for (std::size_t i = digits.size(); i > 1; --i)
        std::swap(digits[i - 1], digits[random.below(i)]);
      Expr sum = digits[0];
      for (std::size_t d = 1; d < digits.size(); ++d)
        sum = sum + digits[d];
      // Of unknown extent, so that no digit goes because the index is too small for it.
      const Expr simple = simplifyIndex(sum, [](const Var&) { return 0; });
      const std::string what =
          fmt::format("seed {} round {}: {} became {}", kSeed, round, print(sum), print(simple));
      forEachPoint(loops, [&](const std::vector<std::int64_t>& at) {
        QVERIFY2(valueOf(simple, loops, at) == valueOf(sum, loops, at), what.c_str());
      });
      if (!spoiled) {
        const Expr atom = simple->kind == ExprKind::Mul ? simple[0] : simple;
        QVERIFY2(atom->kind != ExprKind::Add, what.c_str());
      }
      if (QTest::currentTestFailed()) return;
    }
  }

  /// Whatever the enclosing loops and the axes are, the index lies in its interval.
  void intervalsHoldAllValues() {
    for (int round = 0; round < 3000; ++round) {
      Random random = Random::stream(kSeed, "interval", round);
      const Loops loops = randomLoops({"x", "y"}, 6, random);
      const Loops axes = randomLoops({"a", "b"}, 6, random);
      Environment environment;
      for (std::size_t i = 0; i < 2; ++i) {
        Affine min(static_cast<std::int64_t>(random.below(5)));
        for (std::size_t v = 0; v < 2; ++v)
          add(min, Affine(loops.vars[v], {0, loops.extents[v] - 1}),
              static_cast<std::int64_t>(random.below(9)));
        environment.emplace_back(axes.vars[i].get(), Interval{min, axes.extents[i]});
      }
      const Expr index = RandomIndex(axes, random).integer(1 + round % 4);
      const Interval interval = evaluate(index, environment);
      if (interval.isUnknown()) continue;
      const auto valueAt = [&](const Interval& i, const std::vector<std::int64_t>& at) {
        return valueOf(toExpr(i.min), loops, at);
      };
      forEachPoint(loops, [&](const std::vector<std::int64_t>& at) {
        const std::int64_t min = valueAt(interval, at);
        forEachPoint(axes, [&](std::vector<std::int64_t> point) {
          for (std::size_t i = 0; i < 2; ++i)
            point[i] += valueAt(environment[i].second, at);
          const std::int64_t value = valueOf(index, axes, point);
          QVERIFY2(value >= min && value < min + interval.extent,
                   fmt::format("seed {} round {}: {} is {}, not in {} + [0, {})", kSeed, round,
                               print(index), value, print(toExpr(interval.min)), interval.extent)
                       .c_str());
        });
      });
      if (QTest::currentTestFailed()) return;
    }
  }

  void findsTheShortForm_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("simple");
    const auto row = [](const char* text, const char* simple) {
      QTest::newRow(text) << QString(text) << QString(simple);
    };
    // x < 8, y < 16, f < 56, g < 12544 in a one-line operator over them
    row("x + y - x", "y");
    row("floordiv(x*16 + y, 16)", "x");
    row("floormod(x*16 + y, 16)", "y");
    row("floordiv(x*16 + y, 4)", "((x*4) + floordiv(y, 4))");
    row("floormod(x*16 + y, 4)", "floormod(y, 4)");
    row("floordiv(x*2 + 1, 2)", "x");
    row("floordiv(f, 14)*14 + floormod(f, 14)", "f");
    row("floordiv(floormod(f, 28), 14)*14 + floormod(f, 14)", "floormod(f, 28)");
    row("floordiv(f, 28)*28 + floormod(f, 28)", "f");
    row("floordiv(f, 28)*2 + floordiv(floormod(f, 28), 14)", "floordiv(f, 14)");
    row("floordiv(floormod(g, 1568), 112)*8 + floordiv(floormod(g, 112), 56)*4",
        "(floordiv(floormod(g, 1568), 56)*4)");
    row("floordiv(floormod(g, 112), 56)*56 + floormod(g, 56)", "floormod(g, 112)");
    row("floordiv(floormod(g, 1568), 112)*112 + floordiv(floormod(g, 112), 56)*56 + floormod(g, "
        "56)",
        "floormod(g, 1568)");
    // not the same digits
    row("floordiv(g, 112)*8 + floordiv(floormod(g, 112), 28)*4",
        "((floordiv(g, 112)*8) + (floordiv(floormod(g, 112), 28)*4))");
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
        fmt::format("I = PLACEHOLDER [1] int64\nB(x=8, y=16, f=56, g=12544) = (I[0] + ({}))\n",
                    text.toStdString()));
    const Op op = dag[1];
    const Expr e = simplifyIndex(op->body->operands[1], [&](const Var& var) {
      for (const Axis& axis : op->axes)
        if (axis.var == var) return axis.extent;
      return std::int64_t{0};
    });
    QCOMPARE(QString::fromStdString(print(e)), simple);
  }
};

NW_TEST_APPLESS(SimplifyIndexTest)

} // namespace nestwright::simplify_index_test

#include "simplify_index.moc"
