/// \file What the search policies propose computes what the compute DAG says: lowered with every
/// pass, run by the interpreter of the loop IR.

#include "core/lower/lower.h"
#include "core/search/evolutionary_policy.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/interpret.h"
#include "tests/search/fake_scorer.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

#include <cmath>

namespace nestwright::sampled_programs_test {

constexpr std::uint64_t kSeed = 20261120;

std::map<std::string, ComputeDag> smallDags() {
  return {{"matmul", test::matmul(24, 18, 20)},
          {"double matmul", test::doubleMatmul(12)},
          {"batch matmul", test::batchMatmul(3, 8, 6, 10)},
          {"convolution", test::conv2dNhwc(6, 4, 12, 3, 1)},
          {"pointwise convolution", test::conv2dNhwc(6, 4, 8, 1, 0)},
          {"depthwise convolution", test::depthwiseNhwc(7, 8, 3)},
          {"softmax", test::softmax(6, 16)},
          {"softmax of one row", test::softmax(1, 48)},
          {"deep matmul", test::matmul(4, 6, 96)},
          {"winograd", test::winogradNhwc(6, 4, 8)}};
}

std::map<std::string, TensorValues> randomInputs(const ComputeDag& dag) {
  std::map<std::string, TensorValues> inputs;
  Random random(kSeed);
  for (const Op& op : dag.inputs()) {
    TensorValues& values = inputs[op->name()];
    for (std::int64_t i = 0; i < op->output->elements(); ++i)
      values.push_back(random.unit() - 0.5);
  }
  return inputs;
}

/// Empty when all values agree, otherwise the first that does not.
std::string difference(const TensorValues& actual, const TensorValues& expected) {
  if (actual.size() != expected.size()) return "the number of elements differs";
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (!(std::abs(actual[i] - expected[i]) <= 1e-5 * (1 + std::abs(expected[i]))))
      return fmt::format("element {} is {} and not {}", i, actual[i], expected[i]);
  return {};
}

class TestSampledPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computeWhatTheDagSays_data() {
    QTest::addColumn<QString>("workload");
    QTest::addColumn<bool>("evolved");
    for (const auto& [name, dag] : smallDags())
      for (const bool evolved : {false, true})
        QTest::addRow("%s, %s", name.c_str(), evolved ? "evolved" : "sampled")
            << QString::fromStdString(name) << evolved;
  }
  void computeWhatTheDagSays() {
    QFETCH(QString, workload);
    QFETCH(bool, evolved);
    const ComputeDag dag = smallDags().at(workload.toStdString());
    SearchContext context;
    context.space.target.cores = 2;
    const auto sketches = generateSketches(dag, context.space);
    context.dag = &dag;
    context.sketches = &sketches;
    context.taskKey = workloadKey(dag);
    context.seed = kSeed;
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    const auto inputs = randomInputs(dag);
    const auto expected = evaluate(dag, inputs);
    const test::FakeScorer scorer;
    if (evolved) context.scorer = &scorer;
    EvolutionaryPolicyOptions options;
    options.evolution.population = options.samplesPerProposal = 40;
    const Proposal proposal = EvolutionaryPolicy(options).propose(30, context);
    QVERIFY(!proposal.candidates.empty());
    for (const Candidate& candidate : proposal.candidates) {
      const State state = State::replay(dag, candidate.steps);
      const std::string nest = printLoopNest(state);
      try {
        for (const auto& [name, values] : interpret(lower(state), inputs)) {
          const std::string wrong = difference(values, expected.at(name));
          QVERIFY2(wrong.empty(), fmt::format("{}: {}\n{}", name, wrong, nest).c_str());
        }
      } catch (const std::exception& error) {
        QFAIL(fmt::format("{}\n{}", error.what(), nest).c_str());
      }
    }
  }
};

NW_TEST_APPLESS(TestSampledPrograms)

} // namespace nestwright::sampled_programs_test

#include "sampled_programs.moc"
