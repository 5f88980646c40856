/// What rules and annotations ask about stages, where it depends on the state and not on the
/// compute DAG alone.

#include "core/space/state_facts.h"

#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/format.h>

#include <QtTest>

namespace nestwright::state_facts_test {

class TestStateFacts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Two readers are one consumer when one is computed inside the other, or both inside a third.
  void readersOfOneNestAreASingleConsumer() {
    const ComputeDag dag = test::softmax(8, 32);
    const AccessAnalysis analysis(dag);
    const auto id = [&](const char* name) { return dag.indexOf(std::string_view(name)); };
    const int exp = id("T_softmax_exp"), sum = id("T_softmax_expsum"), norm = id("T_softmax_norm");
    State state(dag);
    QCOMPARE(consumersOf(state, analysis, exp), (std::vector<int>{sum, norm}));
    QCOMPARE(singleConsumer(state, analysis, exp), std::nullopt);
    state.apply(ComputeAtStep{sum, norm, 0});
    QCOMPARE(singleConsumer(state, analysis, exp), std::optional<int>(norm));
    QCOMPARE(singleConsumer(state, analysis, sum), std::optional<int>(norm));
    QCOMPARE(singleConsumer(state, analysis, norm), std::nullopt);
  }

  /// Its tiles would lie elsewhere in what reads it.
  void aTransposedReaderIsNoFusibleConsumer() {
    const auto fusible = [](const char* indices) {
      const ComputeDag dag = parseDag(fmt::format("A = PLACEHOLDER [8, 8]\n"
                                                  "B = PLACEHOLDER [8, 8]\n"
                                                  "C(i, j) += (A[i, k]*B[k, j])\n"
                                                  "D(i=8, j=8) = (C[{}]*2f)\n",
                                                  indices));
      return fusibleConsumer(State(dag), AccessAnalysis(dag), 2).has_value();
    };
    QVERIFY(fusible("i, j"));
    QVERIFY(!fusible("j, i"));
    QVERIFY(!fusible("i, i"));
    QVERIFY(!fusible("i, 0"));
  }
};

NW_TEST_APPLESS(TestStateFacts)

} // namespace nestwright::state_facts_test

#include "state_facts.moc"
