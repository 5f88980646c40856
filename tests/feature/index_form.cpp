/// Index expressions in the form in which they are counted: their values, ranges and coefficients.

#include "core/feature/index_form.h"

#include "core/tensor/text.h"
#include "tests/schedule/random_index.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QtTest>

namespace nestwright::index_form_test {

using namespace nestwright::test;

constexpr std::uint64_t kSeed = 20261121;

std::vector<EnclosingLoop> enclosing(const Loops& loops) {
  std::vector<EnclosingLoop> result;
  for (std::size_t i = 0; i < loops.vars.size(); ++i)
    result.push_back({loops.vars[i].get(), loops.extents[i]});
  return result;
}

struct Written {
  std::vector<IndexNode> code;
  OperationCounts counts;
  std::vector<Expr> opaque;
};

Written written(const Expr& index, const Loops& loops) {
  Written result;
  writeIndex(indexValue(index, {}, enclosing(loops)), enclosing(loops), result.code, &result.counts,
             &result.opaque);
  return result;
}

Loops someLoops() {
  return {{makeVar("f"), makeVar("i"), makeVar("j")}, {1024, 32, 8}};
}

class IndexForm : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// At one point of the loops the written form has the value of the expression; over all of them,
  /// its range holds every value.
  void keepsValuesAndRanges() {
    for (int round = 0; round < 4000; ++round) {
      Random random = Random::stream(kSeed, "form", round);
      const Loops loops = randomLoops({"x", "y", "z"}, 9, random);
      const Expr index = RandomIndex(loops, random).integer(1 + round % 4);
      const Written form = written(index, loops);
      if (!form.opaque.empty()) continue; // a select has no form of its own
      std::vector<IntRange> all, scratch;
      for (const std::int64_t extent : loops.extents)
        all.push_back({0, extent - 1});
      const IntRange range = rangeOf(form.code, all, scratch);
      forEachPoint(loops, [&](const std::vector<std::int64_t>& at) {
        std::vector<IntRange> point;
        for (const std::int64_t value : at)
          point.push_back({value, value});
        const std::int64_t expected = valueOf(index, loops, at);
        const IntRange actual = rangeOf(form.code, point, scratch);
        QVERIFY2(actual.low == expected && actual.high == expected && range.low <= expected &&
                     expected <= range.high,
                 fmt::format("seed {} round {} at {}: {} is {}, not {} to {}, within {} to {}",
                             kSeed, round, fmt::join(at, " "), print(index), expected, actual.low,
                             actual.high, range.low, range.high)
                     .c_str());
      });
      if (QTest::currentTestFailed()) return;
    }
  }

  /// As the public implementation's simplifier leaves them: 4 * (f div 256) + (f mod 256) div 64 is
  /// one division.
  void putsDigitsTogether() {
    const Loops loops = someLoops();
    const Expr f = loops.vars[0], i = loops.vars[1];
    const Expr index = floorDiv(f, 256) * 128 + floorDiv(floorMod(f, 256), 64) * 32 + i;
    const Written form = written(index, loops);
    QCOMPARE(form.counts.addSub, 1.0);
    QCOMPARE(form.counts.mul, 1.0);
    QCOMPARE(form.counts.divMod, 1.0);
  }

  void guessesCoefficients_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<int>("loop");
    QTest::addColumn<qint64>("coefficient");
    QTest::newRow("a loop alone") << 0 << 1 << qint64(1);
    QTest::newRow("absent") << 0 << 2 << qint64(0);
    QTest::newRow("a multiple") << 1 << 1 << qint64(8);
    QTest::newRow("in a sum") << 2 << 2 << qint64(1);
    QTest::newRow("a multiple in a sum") << 2 << 1 << qint64(8);
    // Not the loop's own factor, but that of the product which comes after it.
    QTest::newRow("before another product") << 3 << 0 << qint64(8);
    QTest::newRow("only in a division") << 4 << 0 << qint64(1);
  }

  void guessesCoefficients() {
    QFETCH(int, index);
    QFETCH(int, loop);
    QFETCH(qint64, coefficient);
    const Loops loops = someLoops();
    const Expr f = loops.vars[0], i = loops.vars[1], j = loops.vars[2];
    const Expr indices[] = {i, i * 8, i * 8 + j, floorDiv(f, 64) * 512 + i * 8, floorDiv(f, 64)};
    QCOMPARE(qint64(coefficientOf(written(indices[index], loops).code, loop)), coefficient);
  }
};

NW_TEST_APPLESS(IndexForm)

} // namespace nestwright::index_form_test

#include "index_form.moc"
