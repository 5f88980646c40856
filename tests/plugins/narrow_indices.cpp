/// \file Integers that are narrower than an index wrap around and have their own sign: as indices,
/// in guards of reads, and in comparisons, at the ends of their types.

#include "core/lower/lower.h"
#include "core/schedule/bounds.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <limits>

namespace nestwright::narrow_indices_test {

using test::RunnableKernel;

/// All values of the type that come near its ends, and those between that fit below `limit`.
TensorValues valuesOf(DataType type, std::int64_t elements, std::int64_t limit) {
  const bool isSigned = type.code == DataType::Code::Int;
  const double low = type.bits == 32 ? std::numeric_limits<std::int32_t>::min()
                     : isSigned      ? -128
                                     : 0;
  const double high = type.bits == 32 ? std::numeric_limits<std::int32_t>::max()
                      : isSigned      ? 127
                                      : 255;
  TensorValues values(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i % 3 == 0   ? high - static_cast<double>(i / 3)
                : i % 3 == 1 ? low + static_cast<double>(i / 3)
                             : static_cast<double>(static_cast<std::int64_t>(37 * i) % limit);
  return values;
}

class NarrowIndices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDefinition_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("a table of bytes") << "T = PLACEHOLDER [256]\n"
                                         "I = PLACEHOLDER [64] uint8\n"
                                         "C(i=64) = T[I[i]]\n";
    QTest::newRow("a sum of bytes") << "T = PLACEHOLDER [256]\n"
                                       "I = PLACEHOLDER [64] uint8\n"
                                       "C(i=64) = T[(I[i]*2)]\n";
    QTest::newRow("a guard that wraps")
        << "T = PLACEHOLDER [128]\n"
           "I = PLACEHOLDER [48] int8\n"
           "C(i=48) = if_then_else(((I[i] + 1) >= 0), T[(I[i] + 1)], 0f)\n";
    QTest::newRow("a comparison that wraps")
        << "A = PLACEHOLDER [48] int32\n"
           "B(i=48) = if_then_else(((A[i] + 1) > 0), 1f, 0f)\n";
    QTest::newRow("rows of a table") << "T = PLACEHOLDER [3000, 64]\n"
                                        "I = PLACEHOLDER [128] int32\n"
                                        "C(i=128, j=64) = T[max(min(I[i], 2999), 0), j]\n";
    QTest::newRow("two narrow indices") << "T = PLACEHOLDER [256, 256]\n"
                                           "I = PLACEHOLDER [64] uint8\n"
                                           "J = PLACEHOLDER [64] uint8\n"
                                           "C(i=64) = T[I[i], J[i]]\n";
  }
  void agreeWithTheDefinition() {
    QFETCH(QString, text);
    const ComputeDag dag = parseDag(text.toStdString());
    std::vector<TensorValues> inputs;
    std::map<std::string, TensorValues> named;
    for (const Op& op : dag.inputs()) {
      TensorValues values(static_cast<std::size_t>(op->output->elements()));
      if (op->output->type.isInt())
        values = valuesOf(op->output->type, op->output->elements(), 100);
      else
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = static_cast<double>(i);
      named[op->name()] = values;
      inputs.push_back(std::move(values));
    }
    const Op output = dag.outputs().front();
    const std::vector<double> expected = evaluate(dag, named).at(output->name());
    const auto check = [&](const LoopFunction& function, const char* what) {
      const RunnableKernel kernel(function, 1);
      test::setInputs(kernel, dag, inputs);
      kernel.run();
      const QString problem =
          test::difference(test::outputOf(kernel, dag, 0), expected, output->output->type, 0);
      QVERIFY2(problem.isEmpty(), qPrintable(QString("%1: %2").arg(what, problem)));
    };
    check(lowerNaive(dag), "naive");
    const int stage = dag.indexOf(output->output);
    const TargetFacts target = backend("llvm").target(1);
    for (const bool vector : {false, true}) {
      Steps steps;
      if (vector)
        steps = {AnnotationStep{stage, static_cast<int>(output->axes.size()) - 1,
                                Annotation::Vectorize}};
      check(lower(withBounds(State::replay(dag, steps)), lowerOptionsFor(target)),
            vector ? "vectors" : "scalars");
    }
  }
};

NW_TEST_GUILESS(NarrowIndices)

} // namespace nestwright::narrow_indices_test

#include "narrow_indices.moc"
