/// \file Compute DAGs from outside read nothing outside of their tensors: by hand, and against
/// enumeration of all values of their axes.

#include "core/tensor/check_bounds.h"

#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/schedule/random_index.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/ranges.h>

#include <QtTest>

#include <chrono>
#include <optional>

namespace nestwright::check_bounds_test {

using namespace nestwright::test;

constexpr std::uint64_t kSeed = 20261122;

/// What is said against the text; empty when it is accepted.
QString refusal(const std::string& text) {
  try {
    parseDag(text);
  } catch (const InputError& error) {
    return QString::fromStdString(error.what());
  }
  return {};
}

bool accepts(const Op& op) {
  try {
    checkBounds(*op);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

/// A read of a tensor with so many elements, over the loops; guarded where there is a condition.
Op reader(const Loops& loops, const Expr& index, const Expr& condition, std::int64_t elements) {
  const Op tensor = placeholder("A", {elements});
  std::vector<std::string> names;
  for (const Var& var : loops.vars)
    names.push_back(var->name);
  return compute(
      "C", loops.extents,
      [&](const std::vector<Expr>& axes) {
        const auto onAxes = [&](const Expr& e) {
          return substitute(e, [&](const Var& var) {
            for (std::size_t i = 0; i < axes.size(); ++i)
              if (loops.vars[i] == var) return axes[i];
            return Expr();
          });
        };
        const Expr element = read(tensor, {onAxes(index)});
        return condition ? ifThenElse(onAxes(condition), element, floatImm(0)) : element;
      },
      names);
}

struct Reach {
  std::int64_t low = 0, high = 0;
};

/// The smallest and the largest index that is read, by enumeration; nothing when none is.
std::optional<Reach> reachOf(const Loops& loops, const Expr& index, const Expr& condition) {
  std::optional<Reach> reach;
  forEachPoint(loops, [&](const std::vector<std::int64_t>& at) {
    if (condition.get() != nullptr && valueOf(condition, loops, at) == 0) return;
    const std::int64_t value = valueOf(index, loops, at);
    reach = reach ? Reach{std::min(reach->low, value), std::max(reach->high, value)}
                  : Reach{value, value};
  });
  return reach;
}

/// What people write: a sum of a few axes, maybe divided, and the borders of the tensor as guard.
struct Guarded {
  Expr index, condition;
};
Guarded windowed(const Loops& loops, Random& random) {
  const auto number = [&](int low, int high) {
    return static_cast<std::int64_t>(low) +
           static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  Expr place = intImm(number(-5, 5));
  for (const Var& var : loops.vars)
    place = place + Expr(var) * intImm(number(-3, 3));
  const std::int64_t first = number(-6, 3), last = first + number(0, 9);
  Expr condition = place >= intImm(first) && place < intImm(last + 1);
  switch (random.below(4)) {
  case 0:
    return {place, condition};
  case 1:
    return {floorDiv(place, intImm(number(1, 5))), condition};
  case 2:
    return {floorMod(place - intImm(first), intImm(last - first + 3)), condition};
  default:
    return {place + intImm(3), logicalNot(place < intImm(first) || place > intImm(last))};
  }
}

class CheckBounds : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void refusesReadsOutside_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* body, const char* words) {
      QTest::newRow(body) << QString(body) << QString(words);
    };
    // i < 64, k < 3; A has 64 elements, B 4 x 16, I holds whole numbers
    row("A[(i - 1000000)]*2f", "line 5, column 1: operator 'C' reads 'A' outside of its bounds: "
                               "axis 0 has 64 elements, and the index (i - 1000000) runs from "
                               "-1000000 to -999937; guard the read, as in "
                               "if_then_else(condition, A[...], 0f)");
    row("A[(i + 1000000)]", "runs from 1000000 to 1000063");
    row("A[(i + k)]", "runs from 0 to 65");
    row("A[(i*9223372036854775807)]",
        "operator 'C' computes (i*9223372036854775807), whose values leave int64, its type");
    row("A[floormod((i*9223372036854775807), 64)]", "leave int64");
    row("A[i]*A[min(max((i*9223372036854775807), 0), 63)]", "leave int64");
    row("A[(i + (9223372036854775807 + 1))]", "leave int64");
    row("A[floordiv((0 - i), 64)]", "runs from -1 to 0");
    row("B[floordiv(i, 16), floormod(i, 17)]", "axis 1 has 16 elements, and the index "
                                               "floormod(i, 17) runs from 0 to 16");
    row("B[floordiv(i, 15), floormod(i, 16)]", "axis 0 has 4 elements");
    row("A[I[i]]", "can be anything; clamp it, as in max(min(I[i], 63), 0)");
    row("A[min(I[i], 63)]", "runs from -9223372036854775808 to 63");
    row("A[floormod(I[i], 65)]", "runs from 0 to 64");
    row("A[(floormod(I[i], 64) + 1)]", "runs from 1 to 64");
    row("A[floormod(I[(i + 1)], 64)]", "reads 'I' outside");
    row("if_then_else((i >= 1), A[(i - 2)], 0f)", "runs from -1 to 61");
    row("if_then_else((i >= 1), A[(i - 1)], A[(i + 64)])", "runs from 64 to 64");
    row("if_then_else((i < 1), 0f, A[(i - 2)])", "runs from -1 to 61");
    row("if_then_else((((i + k) >= 1) || ((i + k) < 64)), A[(i + k)], 0f)", "runs from 1 to 65");
    row("if_then_else((((i + k) >= 1) && ((i + k) < 65)), A[(i + k)], 0f)", "runs from 1 to 64");
    row("if_then_else((A[i] > 0f), A[(i + 1)], 0f)", "runs from 1 to 64");
    row("if_then_else((A[(i + 1)] > 0f), A[i], 0f)", "runs from 1 to 64");
    row("select((i >= 1), A[(i - 1)], 0f)", "(a select is no guard: both its sides are evaluated)");
    row("A[min((i + 1), 64)]", "runs from 1 to 64");
    row("A[int8((i*2))]", "runs from 0 to 126");
    row("A[int8((i*3))]", "can be anything");
    row("A[floordiv(i, (k - 1))]", "can be anything");
    row("(float32((i*4611686018427387904))*A[i])", "leave int64");
  }

  void refusesReadsOutside() {
    QFETCH(QString, body);
    QFETCH(QString, words);
    const std::string text = "A = PLACEHOLDER [64]\nB = PLACEHOLDER [4, 16]\n"
                             "I = PLACEHOLDER [64] int64\n\nC(i=64, k=3) = " +
                             body.toStdString() + "\n";
    const QString said = refusal(text);
    QVERIFY2(said.contains(words), qPrintable(said));
  }

  void acceptsWhatStaysInside_data() {
    QTest::addColumn<QString>("body");
    for (const char* body :
         {"A[i]", "A[(63 - i)]", "A[floordiv((i*3), 3)]", "A[floormod((i + 1000), 64)]",
          "B[floordiv(i, 16), floormod(i, 16)]", "B[floormod(i, 4), floordiv(i, 4)]",
          "A[((floordiv(i, 5)*5) + floormod(i, 5))]", "A[(floordiv(((i*4) + k), 4))]",
          "A[(floordiv(((i*4) + k), 4) - i)]", "A[((i + k) - k)]", "A[min(i, (63 - i))]",
          // padding: constant, edge, reflected
          "if_then_else(((i >= 1) && (i < 64)), A[(i - 1)], 0f)",
          "if_then_else((i < 1), 0f, A[(i - 1)])", "if_then_else((i == 7), A[(i + 56)], 0f)",
          "if_then_else((i != 63), A[(i + 1)], 0f)",
          "if_then_else(((i < 3) || (i > 5)), A[floormod(i, 64)], 0f)",
          "if_then_else((!(((i + k) < 1) || ((i + k) > 63))), A[((i + k) - 1)], 0f)",
          "if_then_else((((i + k) >= 1) && ((i + k) < 65)), A[((i + k) - 1)], 0f)",
          "if_then_else((((i*2) + k) < 64), A[((i*2) + k)], 0f)",
          "if_then_else((((i*2) + k) < 64), B[floordiv(((i*2) + k), 16), floormod(((i*2) + k), "
          "16)], 0f)",
          "if_then_else((floordiv(i, 8) < 7), A[(i + 8)], 0f)",
          "if_then_else((floordiv(i, 8) > 0), A[(i - 8)], 0f)",
          "if_then_else((floormod((i + k), 2) == 0), A[floordiv((i + k), 2)], 0f)",
          "if_then_else(((i >= k) && (i > 5)), A[(i - k)], 0f)", "A[max(min((i - 3), 63), 0)]",
          "A[min(max((i - 3), (3 - i)), (126 - max((i - 3), (3 - "
          "i))))]",
          "A[select((i < 3), (i + 60), (i - 3))]", "A[abs((i - 40))]",
          // chosen by data, and clamped
          "A[max(min(I[i], 63), 0)]", "A[floormod(I[i], 64)]",
          "A[max(min(select((I[i] < 0), (I[i] + 64), I[i]), 63), 0)]",
          "if_then_else(((I[i] >= 0) && (I[i] < 64)), A[I[i]], 0f)", "A[T[k]]",
          // never read
          "if_then_else((i > 100), A[(i + 100)], A[i])", "if_then_else(false, A[(i + 100)], A[i])"})
      QTest::newRow(body) << QString(body);
  }

  void acceptsWhatStaysInside() {
    QFETCH(QString, body);
    QCOMPARE(refusal("A = PLACEHOLDER [64]\nB = PLACEHOLDER [4, 16]\nI = PLACEHOLDER [64] int64\n"
                     "T = CONSTANT [3] int64 {63, 0, 7}\nC(i=64, k=3) = " +
                     body.toStdString() + "\n"),
             QString());
  }

  void acceptsTasksOfThePublicImplementation() {
    for (const auto& [name, dag] : tvmDags())
      checkBounds(dag);
  }

  /// Tensors that just hold what is read pass, and those with an element less never do.
  void agreesWithEnumeration() {
    for (int round = 0; round < 3000; ++round) {
      Random random = Random::stream(kSeed, "window", static_cast<std::uint64_t>(round));
      const Loops loops = randomLoops({"x", "y", "z"}, 7, random);
      const auto [index, condition] = windowed(loops, random);
      const std::optional<Reach> reach = reachOf(loops, index, condition);
      if (!reach) continue;
      const std::int64_t elements = reach->high - reach->low + 1;
      const auto said = [&](const char* what) {
        return fmt::format("seed {} round {}: {} [{}] over {}, if {}: {} to {}: {}", kSeed, round,
                           print(index), elements, fmt::join(loops.extents, " "), print(condition),
                           reach->low, reach->high, what);
      };
      const Expr fromZero = index - intImm(reach->low);
      // The limits of a guard need not be reached where factors leave gaps; the bounds are then
      // wider, by less than a factor.
      QVERIFY2(accepts(reader(loops, fromZero + intImm(4), condition, elements + 8)),
               said("refused with room to spare").c_str());
      QVERIFY2(!accepts(reader(loops, fromZero + intImm(1), condition, elements)),
               said("accepted one too far").c_str());
      QVERIFY2(!accepts(reader(loops, fromZero - intImm(1), condition, elements)),
               said("accepted one too early").c_str());
    }
  }

  /// Wild expressions: none that reads outside passes, and most that stay inside do.
  void isSound() {
    int fitting = 0, accepted = 0;
    for (int round = 0; round < 6000; ++round) {
      Random random = Random::stream(kSeed, "wild", static_cast<std::uint64_t>(round));
      const Loops loops = randomLoops({"x", "y", "z"}, 6, random);
      RandomIndex make(loops, random);
      const Expr index = make.integer(1 + round % 4);
      const Expr condition = random.below(2) == 0 ? make.condition(round % 3) : Expr();
      const std::optional<Reach> reach = reachOf(loops, index, condition);
      if (!reach) continue;
      const std::int64_t elements = reach->high - reach->low + 1;
      const Expr fromZero = index - intImm(reach->low);
      ++fitting;
      accepted += accepts(reader(loops, fromZero, condition, elements));
      const auto said = [&] {
        return fmt::format("seed {} round {}: {} over {}, if {}", kSeed, round, print(index),
                           fmt::join(loops.extents, " "),
                           condition ? print(condition) : std::string("always"));
      };
      QVERIFY2(!accepts(reader(loops, fromZero + intImm(1), condition, elements)), said().c_str());
      QVERIFY2(!accepts(reader(loops, fromZero - intImm(1), condition, elements)), said().c_str());
      if (elements > 1)
        QVERIFY2(!accepts(reader(loops, fromZero, condition, elements - 1)), said().c_str());
    }
    qInfo("%d of %d that stay inside are accepted", accepted, fitting);
    QVERIFY(accepted > fitting / 2);
  }

  void keepsToLimits() {
    const auto oneLine = [](const std::string& text) { return refusal(text).section('\n', 0, 0); };
    QCOMPARE(oneLine("A = PLACEHOLDER [9223372036854775807]\n"),
             "line 1, column 1: tensor 'A' of 9223372036854775807 elements is larger than any "
             "memory");
    QCOMPARE(
        oneLine("A = PLACEHOLDER [2000000, 2000000]\n"),
        "line 1, column 1: tensor 'A' of 2000000 x 2000000 elements is larger than any memory; "
        "at most 2^40 elements are allowed");
    QCOMPARE(oneLine("A = PLACEHOLDER [4294967296, 4294967296, 4]\n"),
             "line 1, column 1: tensor 'A' of 4294967296 x 4294967296 x 4 elements is larger than "
             "any memory");
    QCOMPARE(oneLine("A = PLACEHOLDER [4]\nC(i) {k=9223372036854775807} += A[i]\n"),
             "line 2, column 1: the loops of operator 'C' would never end: axis 'k' brings them to "
             "more than 2^50 iterations");
    QCOMPARE(oneLine("A = PLACEHOLDER [4]\n" + std::string(1'000'000, 'C') + "(i) = A[i]\n"),
             "line 2, column 1: this name has 1000000 characters; at most 1000 are allowed");
    std::string many = "1", axes = "i0";
    for (int i = 1; i < 5000; ++i)
      many += ", 1", axes += fmt::format(", i{}", i);
    QVERIFY(oneLine("A = PLACEHOLDER [" + many + "]\n").endsWith("at most 64 dimensions"));
    QVERIFY(oneLine("A = PLACEHOLDER [4]\nC(" + axes + ") = A[0]\n").endsWith("64 dimensions"));
    std::string operators = "A = PLACEHOLDER [4]\n";
    for (int i = 0; i < 12'000; ++i)
      operators += fmt::format("B{}(i) = A[i]\n", i);
    QVERIFY(oneLine(operators).endsWith("at most 10000 operators are allowed"));
    QCOMPARE(oneLine(std::string(9 << 20, '\n')),
             "the text of a compute DAG has at most 8388608 bytes; this one has 9437184");
  }

  /// Deep nests of guards and divisions are decided, or given up, in the blink of an eye.
  void endsSoon() {
    std::string nested = "i", guards = "0f", remainders = "i";
    for (int n = 0; n < 70; ++n) {
      nested = fmt::format("min(max(floordiv({}, 2), k), 63)", nested);
      remainders = fmt::format("floormod((floordiv({}, 3) + {}), 61)", remainders, n);
      guards = fmt::format("if_then_else(((floormod(i, {}) != 1) && ((i*{}) != 7)), A[i], {})",
                           n + 2, n + 1, guards);
    }
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& body :
         {"A[" + nested + "]", "A[" + remainders + "]", guards,
          "if_then_else((" + nested + " < 64), A[" + remainders + "], 0f)"})
      refusal("A = PLACEHOLDER [64]\nC(i=64, k=3) = " + body + "\n");
    // A hang is meant; a blink stretches on a busy machine.
    QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  }

  void memoryIsThatOfAllTensors() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [1024, 1024]\nB(i, j) = (A[i, j]*2f)\n"
                                    "C(i=1024) += B[i, k]\n");
    requireMemory(dag, 9 << 20);
    try {
      requireMemory(dag, 8 << 20);
      QFAIL("accepted");
    } catch (const InputError& error) {
      const QString said = error.what();
      QVERIFY2(said.startsWith("its tensors need 8") &&
                   said.contains("'A' of 1024 x 1024 elements"),
               qPrintable(said));
    }
  }
};

NW_TEST_APPLESS(CheckBounds)

} // namespace nestwright::check_bounds_test

#include "check_bounds.moc"
