/// Simplified index expressions have the values of the original ones, everywhere.

#include "core/lower/index_simplifier.h"

#include "core/support/random.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <limits>

namespace nestwright::index_simplifier_test {

constexpr std::uint64_t kSeed = 4711;

/// Variables with small ranges, some of which start below zero.
struct Domain {
  std::vector<Var> vars;
  std::vector<ValueRange> ranges;
};

Domain makeDomain(Random& random) {
  Domain domain;
  for (const char* name : {"a", "b", "c"}) {
    domain.vars.push_back(makeVar(name));
    const auto low = -static_cast<std::int64_t>(random.below(3));
    domain.ranges.push_back({low, low + static_cast<std::int64_t>(random.below(7))});
  }
  return domain;
}

Expr randomIndex(const Domain& domain, Random& random, int depth) {
  static const std::vector<std::int64_t> literals = {0, 1, 2, 3, 4, 6, 7, 8, 12, -1, -5};
  static const std::vector<std::int64_t> divisors = {1, 2, 3, 4, 6, 8, 12};
  const std::uint64_t kind = depth == 0 ? random.below(2) : random.below(10);
  auto operand = [&] { return randomIndex(domain, random, depth - 1); };
  switch (kind) {
  case 0:
    return Expr(random.pick(domain.vars));
  case 1:
    return Expr(random.pick(literals));
  case 2:
  case 3:
    return operand() + operand();
  case 4:
    return operand() - operand();
  case 5:
    return operand() * Expr(random.pick(literals));
  case 6:
    return floorDiv(operand(), Expr(random.pick(divisors)));
  case 7:
    return floorMod(operand(), Expr(random.pick(divisors)));
  case 8:
    return min(operand(), operand());
  default:
    return max(operand(), operand());
  }
}

Expr randomCondition(const Domain& domain, Random& random, int depth) {
  static const std::vector<ExprKind> comparisons = {ExprKind::Lt, ExprKind::Le, ExprKind::Gt,
                                                    ExprKind::Ge, ExprKind::Eq, ExprKind::Ne};
  auto index = [&] { return randomIndex(domain, random, 2); };
  if (depth == 0) return binary(random.pick(comparisons), index(), index());
  auto operand = [&] { return randomCondition(domain, random, depth - 1); };
  switch (random.below(4)) {
  case 0:
    return operand() && operand();
  case 1:
    return operand() || operand();
  case 2:
    return logicalNot(operand());
  default:
    return binary(random.pick(comparisons), index(), index());
  }
}

/// The value of a closed expression.
std::int64_t valueOf(const Expr& e, const Domain& domain, const std::vector<std::int64_t>& values) {
  Expr closed = substitute(e, [&](const Var& v) {
    for (std::size_t i = 0; i < domain.vars.size(); ++i)
      if (domain.vars[i] == v) return Expr(values[i]);
    return Expr();
  });
  // The makers fold literals; rewriting makes every node anew.
  closed = rewrite(closed, [](const Expr& node) {
    if (isBinary(node->kind)) return binary(node->kind, (*node)[0], (*node)[1]);
    if (node->kind == ExprKind::Not) return logicalNot((*node)[0]);
    if (node->kind == ExprKind::Select) return (*node)[0]->integer ? (*node)[1] : (*node)[2];
    return node;
  });
  const std::int64_t* value = asInt(closed);
  return value ? *value : throw std::runtime_error("not closed: " + print(closed));
}

void forAllValues(const Domain& domain,
                  const std::function<void(const std::vector<std::int64_t>&)>& f) {
  const std::vector<ValueRange>& r = domain.ranges;
  for (std::int64_t a = r[0].low; a <= r[0].high; ++a)
    for (std::int64_t b = r[1].low; b <= r[1].high; ++b)
      for (std::int64_t c = r[2].low; c <= r[2].high; ++c)
        f({a, b, c});
}

class IndexSimplifierTest : public QObject {
  Q_OBJECT

  /// Compares `e` with its simplified form, under `given` where that is not null.
  static void check(const Domain& domain, const Expr& e, const Expr& given = {},
                    bool remembersSums = false) {
    IndexSimplifier simplify;
    if (remembersSums) simplify.rememberSums();
    for (std::size_t i = 0; i < domain.vars.size(); ++i)
      simplify.setRange(domain.vars[i], domain.ranges[i]);
    Expr simple;
    ValueRange range;
    auto work = [&] {
      simple = simplify(e);
      if (!e->type.isBool()) range = simplify.range(e);
    };
    if (given)
      simplify.assuming(simplify(given), work);
    else
      work();
    forAllValues(domain, [&](const std::vector<std::int64_t>& values) {
      if (given.get() != nullptr && valueOf(given, domain, values) == 0) return;
      const std::int64_t expected = valueOf(e, domain, values);
      const std::int64_t actual = valueOf(simple, domain, values);
      if (expected != actual || (!e->type.isBool() && !range.contains(actual)))
        QFAIL(fmt::format("seed {}: {} became {}: {} became {} at {}, {}, {}", kSeed, print(e),
                          print(simple), expected, actual, values[0], values[1], values[2])
                  .c_str());
    });
  }

 private Q_SLOTS:
  void keepsValues() {
    for (std::uint64_t n = 0; n < 4000 && !QTest::currentTestFailed(); ++n) {
      Random random = Random::stream(kSeed, "index", n);
      const Domain domain = makeDomain(random);
      check(domain, randomIndex(domain, random, 4));
    }
  }

  void keepsConditions() {
    for (std::uint64_t n = 0; n < 3000 && !QTest::currentTestFailed(); ++n) {
      Random random = Random::stream(kSeed, "condition", n);
      const Domain domain = makeDomain(random);
      check(domain, randomCondition(domain, random, 2));
    }
  }

  void keepsValuesUnderAssumptions() {
    for (std::uint64_t n = 0; n < 3000 && !QTest::currentTestFailed(); ++n) {
      Random random = Random::stream(kSeed, "assumption", n);
      const Domain domain = makeDomain(random);
      const Expr given = randomCondition(domain, random, 1);
      const Expr index = randomIndex(domain, random, 3);
      check(domain, index, given);
      check(domain, index, given, true);
    }
  }

  /// Integers of 64 bits that are data may be any, also where sums of them wrap around, and have
  /// literals beside them such as a clip from below has.
  void dataIsNoIndex() {
    constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> literals = {
        kLow, kLow + 1, -ValueRange::kUnbounded - 1, -1, 0, 4, 10, kHigh};
    const Op data = placeholder("X", {2}, kInt64);
    const std::vector<Expr> elements = {read(data, {Expr(0)}), read(data, {Expr(1)})};
    const auto valueAt = [&](const Expr& e, std::int64_t first, std::int64_t second) {
      return valueOf(rewrite(e,
                             [&](const Expr& node) {
                               if (node->kind != ExprKind::Load) return node;
                               return Expr(isConst((*node)[0], 0) ? first : second);
                             }),
                     {}, {});
    };
    static const std::vector<ExprKind> comparisons = {ExprKind::Lt, ExprKind::Le, ExprKind::Gt,
                                                      ExprKind::Ge, ExprKind::Eq, ExprKind::Ne};
    for (std::uint64_t n = 0; n < 2000; ++n) {
      Random random = Random::stream(kSeed, "data", n);
      const auto operand = [&] {
        return random.below(2) == 0 ? random.pick(elements) : Expr(random.pick(literals));
      };
      const auto bounded = [&] {
        return random.below(2) == 0 ? min(max(operand(), operand()), operand())
                                    : max(min(operand(), operand()), operand());
      };
      const bool compares = random.below(2) == 0;
      const Expr e = compares ? binary(random.pick(comparisons), bounded(), bounded()) : bounded();
      const Expr simple = IndexSimplifier()(e);
      for (const std::int64_t a : literals)
        for (const std::int64_t b : literals)
          if (valueAt(e, a, b) != valueAt(simple, a, b))
            QFAIL(fmt::format("{} became {} at {}, {}", print(e), print(simple), a, b).c_str());
    }
    const Expr &x = elements[0], sum = x + Expr(kLow);
    for (const Expr& e : {sum, min(x + Expr(1), x), floorDiv(x * Expr(4), Expr(4)),
                          floorMod(x * Expr(4) + Expr(1), Expr(4)), x + Expr(1) > x})
      QVERIFY2(equalStructure(IndexSimplifier()(e), e), print(IndexSimplifier()(e)).c_str());
    QVERIFY(equalStructure(IndexSimplifier()(x + Expr(3) - x), Expr(3)));
  }

  void extremeLiteralsAreNoIndices() {
    const Var i = makeVar("i");
    IndexSimplifier simplify;
    simplify.setRange(i, {0, 15});
    const Expr high(std::numeric_limits<std::int64_t>::max());
    const Expr low(std::numeric_limits<std::int64_t>::min());
    for (const Expr& e : {max(Expr(i), low), min(Expr(i), high)})
      QVERIFY2(equalStructure(simplify(e), e), print(simplify(e)).c_str());
    QVERIFY(!simplify.proves(Expr(i) < low) && !simplify.proves(Expr(i) > high));
  }

  void remembersSums() {
    const Var i = makeVar("i"), j = makeVar("j");
    IndexSimplifier simplify;
    simplify.setRange(i, {0, 1});
    simplify.setRange(j, {0, 55});
    simplify.rememberSums();
    const Expr position = Expr(i) * 56 + j;
    simplify.assuming(position < Expr(96), [&] {
      QCOMPARE(QString::fromStdString(print(simplify(floorMod(position, 96)))),
               QString("((i*56) + j)"));
      QVERIFY(simplify.proves(position + Expr(3) < Expr(99)));
    });
    QCOMPARE(QString::fromStdString(print(simplify(floorMod(position, 96)))),
             QString("floormod(((i*56) + j), 96)"));
  }

  /// What is assumed for a while, or said anew of a variable, counts from there on and no longer.
  void assumptionsEnd() {
    const Var i = makeVar("i");
    IndexSimplifier simplify;
    simplify.setRange(i, {0, 15});
    const Expr half = floorDiv(Expr(i), 8);
    const auto text = [&] { return QString::fromStdString(print(simplify(half * 3))); };
    const QString open = "(floordiv(i, 8)*3)";
    QCOMPARE(text(), open);
    simplify.assuming(Expr(i) < Expr(8), [&] {
      QCOMPARE(text(), QString("0"));
      simplify.assuming(Expr(i) >= Expr(4), [&] { QCOMPARE(text(), QString("0")); });
    });
    QCOMPARE(text(), open);
    simplify.setRange(i, {8, 15});
    QCOMPARE(text(), QString("3"));
    QVERIFY(simplify.range(half).low == 1);
  }

  /// Each division inside of another would otherwise be looked at twice as often.
  void deepNestsEnd() {
    const Var i = makeVar("i"), j = makeVar("j");
    IndexSimplifier simplify;
    simplify.setRange(i, {0, 999});
    simplify.setRange(j, {0, 6});
    Expr nest = Expr(i);
    for (int depth = 0; depth < 60; ++depth)
      nest = depth % 3 == 0   ? floorDiv(nest * 5 + j, 3)
             : depth % 3 == 1 ? min(nest + Expr(j), Expr(700))
                              : floorMod(nest * 3 + j, 800);
    const ValueRange range = simplify.range(simplify(nest));
    QVERIFY(range.low >= 0 && range.high < 800);
  }

  void simplifies_data() {
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("expected");
    QTest::newRow("fused loop split again") << 0 << "i";
    QTest::newRow("tile of tiles") << 1 << "((i*4) + floordiv(j, 2))";
    QTest::newRow("position in a tile") << 2 << "j";
    QTest::newRow("guard that always holds") << 3 << "true";
    QTest::newRow("guard of a fused loop") << 4 << "(i < 35)";
  }

  void simplifies() {
    QFETCH(int, number);
    QFETCH(QString, expected);
    Var i = makeVar("i"), j = makeVar("j");
    IndexSimplifier simplify;
    simplify.setRange(i, {0, 99});
    simplify.setRange(j, {0, 7});
    const std::vector<Expr> cases = {floorDiv(Expr(i), 10) * 10 + floorMod(Expr(i), 10),
                                     floorDiv(Expr(i) * 8 + j, 2), floorMod(Expr(i) * 8 + j, 8),
                                     Expr(i) * 8 + j < 800, floorDiv(Expr(i), 5) < 7};
    QCOMPARE(QString::fromStdString(print(simplify(cases[static_cast<std::size_t>(number)]))),
             expected);
  }
};

NW_TEST_APPLESS(IndexSimplifierTest)

} // namespace nestwright::index_simplifier_test

#include "index_simplifier.moc"
