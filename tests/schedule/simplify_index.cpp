/// \file Index simplification: text, and values against direct evaluation.

#include "core/schedule/bounds.h"
#include "core/schedule/index_interval.h"
#include "core/tensor/text.h"
#include "tests/schedule/random_index.h"

#include <fmt/ranges.h>

#include <QtTest>

using namespace nestwright;
using namespace nestwright::test;

namespace {

constexpr std::uint64_t kSeed = 20261120;

} // namespace

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
