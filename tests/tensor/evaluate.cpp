#include "core/tensor/evaluate.h"

#include "core/support/error.h"
#include "core/support/random.h"
#include "core/tensor/evaluate_at.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

#include <cmath>

namespace nestwright::evaluate_test {

TensorValues randomValues(std::int64_t count, Random& random) {
  TensorValues values(static_cast<std::size_t>(count));
  for (double& value : values)
    value = static_cast<float>(random.unit() - 0.5);
  return values;
}

double largestDifference(const TensorValues& a, const TensorValues& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TensorValues lastOf(const char* text, const std::map<std::string, TensorValues>& inputs = {}) {
  const ComputeDag dag = parseDag(text);
  return evaluate(dag, inputs).at(dag.ops().back()->name());
}

class TestEvaluate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// One by one, from the definition.
  void elementsAreThoseOfTheWholeTensors_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("product") << "A = PLACEHOLDER [4, 6]\nB = PLACEHOLDER [6, 5]\n"
                                "C(i, j) += (A[i, k]*B[k, j])\n";
    QTest::newRow("softmax") << "A = PLACEHOLDER [3, 7]\nm(i) max= A[i, k]\n"
                                "e(i, j) = exp((A[i, j] - m[i]))\ns(i) += e[i, k]\n"
                                "o(i, j) = (e[i, j]/s[i])\n";
    QTest::newRow("padded") << "A = PLACEHOLDER [5]\n"
                               "p(i=7) = tir.if_then_else(((i >= 1) && (i < 6)), A[(i - 1)], 0f)\n"
                               "o(i=5) {r=3} += p[(i + r)]\n";
  }
  void elementsAreThoseOfTheWholeTensors() {
    QFETCH(QString, text);
    const ComputeDag dag = parseDag(text.toStdString());
    Random random(3);
    std::map<std::string, TensorValues> inputs;
    for (const Op& op : dag.inputs())
      inputs[op->name()] = randomValues(op->output->elements(), random);
    const auto whole = evaluate(dag, inputs);
    ElementEvaluator evaluator(dag, [&](const Op& op, std::int64_t n) {
      return inputs.at(op->name())[static_cast<std::size_t>(n)];
    });
    for (const Op& op : dag.ops())
      for (std::int64_t n = 0; n < op->output->elements(); ++n)
        QCOMPARE(evaluator.element(op, n), whole.at(op->name())[static_cast<std::size_t>(n)]);
    const double steps = evaluator.steps();
    (void)evaluator.element(dag.ops().back(), 0); // what is known is not computed again
    QCOMPARE(evaluator.steps(), steps);
  }

  void multipliesMatrices() {
    Random random(1);
    constexpr int kM = 7, kN = 9, kK = 600;
    const TensorValues a = randomValues(kM * kK, random), b = randomValues(kK * kN, random);
    TensorValues expected(kM * kN);
    for (int i = 0; i < kM; ++i)
      for (int j = 0; j < kN; ++j) {
        double sum = 0;
        for (int k = 0; k < kK; ++k)
          sum += a[i * kK + k] * b[k * kN + j];
        expected[i * kN + j] = static_cast<float>(sum);
      }
    const TensorValues c = evaluate(test::matmul(kM, kN, kK), {{"A", a}, {"B", b}}).at("C");
    QCOMPARE(largestDifference(c, expected), 0.0);
  }

  void convolvesWithPadding() {
    Random random(2);
    constexpr int kSize = 9, kIn = 3, kOut = 5;
    const TensorValues data = randomValues(kSize * kSize * kIn, random),
                       kernel = randomValues(9 * kIn * kOut, random),
                       bias = randomValues(kOut, random);
    TensorValues expected;
    for (int y = 0; y < kSize; ++y)
      for (int x = 0; x < kSize; ++x)
        for (int f = 0; f < kOut; ++f) {
          double sum = 0;
          for (int ry = 0; ry < 3; ++ry)
            for (int rx = 0; rx < 3; ++rx)
              for (int c = 0; c < kIn; ++c) {
                const int v = y + ry - 1, u = x + rx - 1;
                if (v < 0 || v >= kSize || u < 0 || u >= kSize) continue;
                sum +=
                    data[(v * kSize + u) * kIn + c] * kernel[((ry * 3 + rx) * kIn + c) * kOut + f];
              }
          const float shifted = static_cast<float>(static_cast<float>(sum) + bias[f]);
          expected.push_back(std::max(shifted, 0.f));
        }
    const auto results = evaluate(test::conv2dNhwc(kSize, kIn, kOut, 3, 1),
                                  {{"data", data}, {"kernel", kernel}, {"bias", bias}});
    QCOMPARE(largestDifference(results.at("compute"), expected), 0.0);
  }

  void softmaxAddsUpToOne() {
    Random random(3);
    const TensorValues a = randomValues(4 * 300, random);
    const TensorValues p = evaluate(test::softmax(4, 300), {{"A", a}}).at("T_softmax_norm");
    for (int row = 0; row < 4; ++row) {
      double sum = 0;
      for (int i = 0; i < 300; ++i)
        sum += p[row * 300 + i];
      QVERIFY(std::abs(sum - 1) < 1e-5);
    }
  }

  void knowsSmallCases_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<double>>("expected");
    const auto row = [](const char* name, const char* text, QList<double> expected) {
      QTest::newRow(name) << text << expected;
    };
    row("identity matrix", "A(i=2, j=2) = select((i == j), 1f, 0f)", {1, 0, 0, 1});
    row("reducers",
        "W = CONSTANT [4] {3, -1, 2, 5}\nA() max= W[i]\nB() min= W[i]\nC() *= W[i]\n"
        "D() += W[i]\nE(k=4) = select((k == 0), A[], select((k == 1), B[], select((k "
        "== 2), C[], D[])))",
        {5, -1, -30, 9});
    row("floor towards minus infinity",
        "A(i=6) = float32(floordiv((i - 3), 2) * 10 + floormod((i - 3), 2))",
        {-19, -10, -9, 0, 1, 10});
    row("guards", "W = CONSTANT [2] {7, 8}\nA(i=4) = if_then_else(i >= 1 && i < 3, W[i - 1], -1)",
        {-1, 7, 8, -1});
    row("guards by outer axis",
        "W = CONSTANT [2] {7, 8}\nA(i=3, j) = if_then_else(i < 1, W[i + j], W[j])",
        {7, 8, 7, 8, 7, 8});
    row("gather", "W = CONSTANT [3] {5, 6, 7}\nI = CONSTANT [4] int64 {2, 0, 1, 1}\nA(i) = W[I[i]]",
        {7, 5, 6, 6});
    row("functions", "A() = pow(sqrt(16f), 2) + abs(-2f) + floor(1.5f) + round(2.5f) + erf(0f)",
        {16 + 2 + 1 + 2});
    row("casts", "A(i=2) = float32(int32(select((i == 0), 2.7f, -2.7f)))", {2, -2});
    row("reversed", "W = CONSTANT [3] {1, 2, 3}\nA(i=3) = W[2 - i]", {3, 2, 1});
    row("no reduction axes", "A(i=2) += 2f", {2, 2});
    row("rounds stores", "A(i=1) = 16777216f + 0f\nB(i) = A[i] + 1f", {16777216});
  }
  void knowsSmallCases() {
    QFETCH(QString, text);
    QFETCH(QList<double>, expected);
    QCOMPARE(lastOf(text.toStdString().c_str()), TensorValues(expected.begin(), expected.end()));
  }

  void refusesBadInputs() {
    // No text says this: a DAG that reads outside is not parsed.
    const Op a = placeholder("A", {3});
    const ComputeDag dag({a, compute("B", {4}, [&](const auto& i) { return read(a, i); })});
    const auto said = [&](const std::map<std::string, TensorValues>& inputs) -> QString {
      try {
        evaluate(dag, inputs);
      } catch (const InputError& error) {
        return error.what();
      }
      return {};
    };
    QCOMPARE(said({}), "no values were given for the input 'A'");
    QCOMPARE(said({{"A", {1, 2}}}), "the input 'A' has 3 elements, but was given 2 values");
    QCOMPARE(said({{"A", {1, 2, 3}}}),
             "a read of 'A' is out of bounds: index 3 of dimension 0, whose extent is 3");
  }
};

NW_TEST_APPLESS(TestEvaluate)

} // namespace nestwright::evaluate_test

#include "evaluate.moc"
