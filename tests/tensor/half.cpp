/// float16 and bfloat16: every number of them, and how others round to them, against the
/// compiler's own float16 and against counting.

#include "core/tensor/half.h"

#include "core/support/random.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/evaluate_at.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>

namespace nestwright::half_test {

constexpr double kInf = std::numeric_limits<double>::infinity();

TensorValues lastOf(const char* text, const std::map<std::string, TensorValues>& inputs) {
  const ComputeDag dag = parseDag(text);
  return evaluate(dag, inputs).at(dag.ops().back()->name());
}

class Half : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyNumberComesBack() {
    for (unsigned bits = 0; bits < 0x1'0000; ++bits) {
      const auto half = static_cast<std::uint16_t>(bits);
      const float real = fromFloat16(half), brain = fromBFloat16(half);
      QCOMPARE(std::isnan(real), (half & 0x7fff) > 0x7c00);
      QCOMPARE(std::isnan(brain), (half & 0x7fff) > 0x7f80);
      if (!std::isnan(real)) {
        QCOMPARE(real, static_cast<float>(std::bit_cast<_Float16>(half)));
        QCOMPARE(float16Bits(real), half);
      }
      if (!std::isnan(brain)) QCOMPARE(bfloat16Bits(brain), half);
    }
  }

  /// The middle between two neighbours, and the float32 numbers right beside it.
  void roundsToTheNearestHalvesToEven() {
    const auto check = [](const char* type, std::uint16_t low, float a, float b, auto bitsOf) {
      const auto middle = static_cast<float>((static_cast<double>(a) + b) / 2);
      const auto high = static_cast<std::uint16_t>(low + 1);
      QVERIFY2(bitsOf(middle) == ((low & 1) == 0 ? low : high), type);
      QVERIFY2(bitsOf(std::nextafter(middle, 0.f)) == low, type);
      QVERIFY2(bitsOf(std::nextafter(middle, INFINITY)) == high, type);
      QVERIFY2(bitsOf(-middle) == (bitsOf(middle) | 0x8000), type);
    };
    for (unsigned bits = 0; bits < 0x7bff; ++bits) {
      const auto low = static_cast<std::uint16_t>(bits),
                 high = static_cast<std::uint16_t>(bits + 1);
      check("float16", low, fromFloat16(low), fromFloat16(high), float16Bits);
    }
    for (unsigned bits = 0; bits < 0x7f7f; ++bits) {
      const auto low = static_cast<std::uint16_t>(bits),
                 high = static_cast<std::uint16_t>(bits + 1);
      check("bfloat16", low, fromBFloat16(low), fromBFloat16(high), bfloat16Bits);
    }
  }

  void agreesWithTheCompilersFloat16() {
    Random random(7);
    for (int i = 0; i < 200'000; ++i) {
      const auto bits = static_cast<std::uint32_t>(random.below(1ull << 32));
      const auto value = std::bit_cast<float>(bits);
      if (std::isnan(value)) continue;
      QCOMPARE(float16Bits(value), std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)));
    }
  }

  void endsOfTheRange() {
    QCOMPARE(roundedTo(65519, kFloat16), 65504.0);
    QCOMPARE(roundedTo(65520, kFloat16), kInf);
    QCOMPARE(roundedTo(-1e30, kFloat16), -kInf);
    QCOMPARE(roundedTo(0x1p-24, kFloat16), 0x1p-24);
    QCOMPARE(roundedTo(0x1p-25, kFloat16), 0.0);
    QCOMPARE(roundedTo(0x1.8p-25, kFloat16), 0x1p-24);
    QCOMPARE(roundedTo(0x1.fep127, kBFloat16), 0x1.fep127);
    QCOMPARE(roundedTo(0x1.ffp127, kBFloat16), kInf);
    QCOMPARE(roundedTo(0x1p-133, kBFloat16), 0x1p-133);
    QCOMPARE(roundedTo(0x1p-134, kBFloat16), 0.0);
    QVERIFY(std::signbit(roundedTo(-0x1p-140, kBFloat16)));
    QVERIFY(std::isnan(roundedTo(NAN, kFloat16)) && std::isnan(roundedTo(NAN, kBFloat16)));
    QCOMPARE(roundedTo(0.1, kFloat64), 0.1);
    QCOMPARE(roundedTo(0.1, kFloat32), static_cast<double>(0.1f));
  }

  void operationsRoundEach() {
    // 256 + 1 is a tie in bfloat16, and 257 + 1 would not be one.
    QCOMPARE(lastOf("A = PLACEHOLDER [2] bfloat16\nB(i) = ((A[i] + bfloat16(1)) + bfloat16(1))",
                    {{"A", {256, 258}}}),
             (TensorValues{256, 260}));
    QCOMPARE(lastOf("A = PLACEHOLDER [2] bfloat16\n"
                    "B(i) = bfloat16((float32(A[i]) + 1f) + 1f)",
                    {{"A", {256, 258}}}),
             (TensorValues{258, 260}));
    QCOMPARE(lastOf("A = PLACEHOLDER [3] float16\nB(i) = (A[i]*2h)", {{"A", {3, 32752, 40000}}}),
             (TensorValues{6, 65504, kInf}));
    // The square of the smallest is nothing, its half is a tie.
    QCOMPARE(lastOf("A = PLACEHOLDER [2] float16\nB(i) = select((i == 0), A[i]*A[i], A[i]*0.5h)",
                    {{"A", {0x1p-24, 0x1.8p-23}}}),
             (TensorValues{0, 0x1p-23}));
    QCOMPARE(lastOf("A = PLACEHOLDER [1]\nB(i) = float32(float16(A[i]))", {{"A", {1.0 / 3}}}),
             (TensorValues{0x1.554p-2}));
    QCOMPARE(lastOf("A = PLACEHOLDER [1] float16\nB(i) = sqrt(A[i])", {{"A", {2}}}),
             (TensorValues{0x1.6ap0}));
  }

  /// Beyond 256 adding 1 to a bfloat16 changes nothing.
  void sumsRoundAtEachStep() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [2, 1000] bfloat16\nS(i) += A[i, k]\n");
    const TensorValues ones(2000, 1);
    QCOMPARE(evaluate(dag, {{"A", ones}}).at("S"), (TensorValues{256, 256}));
    ElementEvaluator elements(dag, [](const Op&, std::int64_t) { return 1.0; });
    QCOMPARE(elements.element(dag[1], 1), 256.0);
    // The largest of them is one of them.
    QCOMPARE(
        lastOf("A = PLACEHOLDER [1000] bfloat16\nM() max= A[k]\n", {{"A", TensorValues(1000, 3)}}),
        (TensorValues{3}));
  }

  void literalsAndTablesAreRounded() {
    QCOMPARE(lastOf("W = CONSTANT [2] bfloat16 {0.1, 3}\nB(i) = float32(W[i])", {}),
             (TensorValues{roundedTo(0.1, kBFloat16), 3}));
    QCOMPARE(floatImm(0.1, kFloat16)->real, roundedTo(0.1, kFloat16));
    // Printed with as few digits as tell them apart.
    const std::string text = "A = PLACEHOLDER [2] float16\nW = CONSTANT [2] bfloat16 {0.1, 100}\n"
                             "B(i) = (A[i] + 0.1h)\nC(i) = (W[i]*bfloat16(0.3))\n";
    QCOMPARE(print(parseDag(text)), text);
  }
};

NW_TEST_APPLESS(Half)

} // namespace nestwright::half_test

#include "half.moc"
