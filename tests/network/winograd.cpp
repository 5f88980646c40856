/// \file Winograd's filtering computes what the convolution does, up to rounding: the definitions,
/// by the interpreter and as machine code, and whole networks with them.

#include "core/network/graph/winograd.h"

#include "core/network/execution/executor.h"
#include "core/network/graph/workloads.h"
#include "core/network/zoo/zoo.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/network/native_kernel.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::winograd_test {

constexpr WinogradTile kTiles[] = {WinogradTile::Two, WinogradTile::Four};

Array randomArray(const Shape& shape, std::uint64_t seed) {
  return *uniformConstant(shape, -1, 1, seed).materialise();
}

/// What the largest difference is of the largest magnitude.
double difference(const std::vector<float>& values, const std::vector<float>& expected) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    most = std::max(most, std::abs(double(values[i]) - double(expected[i])));
    largest = std::max(largest, std::abs(double(expected[i])));
  }
  return most / largest;
}

/// What a result may differ by from that of the sum as it is defined, in units of the largest
/// result's magnitude, where operands are float32 and uniform around 0: rounding, which the
/// transforms amplify.
double tolerance(WinogradTile tile) {
  return tile == WinogradTile::Two ? 2e-6 : 2e-5;
}

/// The direct DAG and the alternative, with the same arrays for the inputs of both.
struct Pair {
  ComputeDag direct, alternative;
  std::map<std::string, Array> inputs, transformed;
};

Pair pairOf(const std::string& text, WinogradTile tile) {
  const Workload workload = parseTaskSpec(text);
  Pair pair{workload.dag, alternativesOf(workload)[tile == WinogradTile::Two ? 0 : 1].dag, {}, {}};
  for (const Op& op : pair.direct.inputs())
    pair.inputs[op->name()] = randomArray(op->output->shape, pair.inputs.size() + 7);
  pair.transformed = pair.inputs;
  pair.transformed["kernel"] = winogradKernel(pair.inputs.at("kernel"), tile);
  return pair;
}

std::vector<float> interpreted(const ComputeDag& dag, const std::map<std::string, Array>& inputs) {
  std::map<std::string, TensorValues> values;
  for (const auto& [name, array] : inputs)
    values[name] = TensorValues(array.floats().begin(), array.floats().end());
  const TensorValues result = evaluate(dag, values).at(dag.outputs().front()->name());
  return {result.begin(), result.end()};
}

/// By the naive program as machine code, in float32 throughout.
std::vector<float> compiled(const ComputeDag& dag, const std::map<std::string, Array>& inputs) {
  std::map<std::string, Array> copies = inputs;
  std::vector<void*> buffers;
  for (const Op& op : dag.inputs())
    buffers.push_back(std::get<0>(copies.at(op->name()).data).data());
  std::vector<float> result(static_cast<std::size_t>(dag.outputs().front()->output->elements()));
  buffers.push_back(result.data());
  test::nativeKernel(dag)(buffers);
  return result;
}

class WinogradTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheConvolution_data();
  void computesTheConvolution();
  void roundsWithinItsTolerance_data();
  void roundsWithinItsTolerance();
  void refusesWhatItDoesNotFit_data();
  void refusesWhatItDoesNotFit();
  void isMarkedAsAnAlternative();
  void convolutionsOfNetworksHaveIt();
  void networksComputeTheSame_data();
  void networksComputeTheSame();
};

void WinogradTest::computesTheConvolution_data() {
  QTest::addColumn<QString>("text");
  QTest::newRow("whole tiles") << "conv2d:h=8,w=8,ci=3,co=4";
  QTest::newRow("tiles that overhang") << "conv2d:h=7,w=10,ci=3,co=4";
  QTest::newRow("fewer results than a tile") << "conv2d:h=1,w=3,ci=2,co=2";
  QTest::newRow("batch") << "conv2d:n=3,h=5,w=6,ci=2,co=3,bias=1";
  QTest::newRow("without padding") << "conv2d:h=9,w=8,ci=2,co=2,p=0";
  QTest::newRow("wide padding") << "conv2d:n=2,h=4,w=5,ci=2,co=2,p=2,bias=1,relu=1";
}

void WinogradTest::computesTheConvolution() {
  QFETCH(QString, text);
  for (const WinogradTile tile : kTiles) {
    const Pair pair = pairOf(text.toStdString(), tile);
    const double error = difference(interpreted(pair.alternative, pair.transformed),
                                    interpreted(pair.direct, pair.inputs));
    QVERIFY2(error < 3e-6, qPrintable(QString::number(error)));
  }
}

void WinogradTest::roundsWithinItsTolerance_data() {
  QTest::addColumn<QString>("text");
  for (const char* text : {"conv2d:h=14,w=14,ci=8,co=8", "conv2d:h=14,w=14,ci=64,co=32,relu=1",
                           "conv2d:h=7,w=7,ci=256,co=32,bias=1", "conv2d:h=7,w=7,ci=512,co=16"})
    QTest::newRow(text) << text;
}

void WinogradTest::roundsWithinItsTolerance() {
  QFETCH(QString, text);
  for (const WinogradTile tile : kTiles) {
    const Pair pair = pairOf(text.toStdString(), tile);
    const double error = difference(compiled(pair.alternative, pair.transformed),
                                    interpreted(pair.direct, pair.inputs));
    qInfo("%s: %.2g of %.2g", winogradName(tile).c_str(), error, tolerance(tile));
    QVERIFY2(error < tolerance(tile), qPrintable(QString::number(error)));
  }
}

void WinogradTest::refusesWhatItDoesNotFit_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* text, const char* says) { QTest::newRow(text) << text << says; };
  row("conv2d:k=1,p=0,winograd=4", "kernels of 3x3 with stride 1");
  row("conv2d:s=2,winograd=2", "kernels of 3x3 with stride 1");
  row("conv2d:winograd=3", "winograd is 2 or 4");
  row("conv2d:winograd=4,bf16=1", "rounds too much for 16 bits");
}

void WinogradTest::refusesWhatItDoesNotFit() {
  QFETCH(QString, text);
  QFETCH(QString, says);
  try {
    parseTaskSpec(text.toStdString());
    QFAIL("it was taken");
  } catch (const InputError& error) {
    QVERIFY2(QString(error.what()).contains(says), error.what());
  }
}

void WinogradTest::isMarkedAsAnAlternative() {
  const Workload workload = parseTaskSpec("conv2d:h=8,w=8,ci=3,co=4");
  QVERIFY(!alternativeOf(workload.dag));
  const std::vector<Workload> others = alternativesOf(workload);
  QCOMPARE(others.size(), std::size_t(2));
  for (std::size_t i = 0; i < others.size(); ++i) {
    const ComputeDag read = parseDag(print(others[i].dag)); // as from a file
    const std::optional<AlternativeOf> mark = alternativeOf(read);
    QVERIFY(mark);
    QCOMPARE(mark->name, winogradName(kTiles[i]));
    QCOMPARE(mark->definition, workloadHash(workload.dag));
    QCOMPARE(workloadKey(read), workloadKey(others[i].dag));
  }
  QVERIFY(alternativesOf(others[0]).empty());
  QVERIFY(alternativesOf(parseTaskSpec("conv2d:s=2")).empty());
  QVERIFY(alternativesOf(parseTaskSpec("conv2d:bf16=1")).empty());
  QVERIFY(alternativesOf(parseTaskSpec("conv3d")).empty());
}

void WinogradTest::convolutionsOfNetworksHaveIt() {
  const Partition without = optimisedPartition(parseNetworkSpec("resnet18"));
  const Partition parts = optimisedPartition(parseNetworkSpec("resnet18"), Alternatives::All);
  QCOMPARE(parts.tasks.size(), without.tasks.size());
  int have = 0, weight = 0;
  for (std::size_t t = 0; t < parts.tasks.size(); ++t) {
    const Task& task = parts.tasks[t];
    QCOMPARE(task.key, without.tasks[t].key);
    QVERIFY(without.tasks[t].alternatives.empty());
    if (task.alternatives.empty()) continue;
    ++have;
    weight += task.weight;
    QCOMPARE(task.alternatives.size(), std::size_t(2));
    QVERIFY(task.description.starts_with("Conv 3x3 "));
  }
  // Per stage the first convolutions of its blocks, and the second ones, which add; all but the
  // first of stages 2 to 4, which has stride 2.
  QCOMPARE(have, 8);
  QCOMPARE(weight, 13);
  for (const Alternatives few : {Alternatives::Off, Alternatives::Exact})
    for (const Task& task : optimisedPartition(parseNetworkSpec("resnet18"), few).tasks)
      QVERIFY(task.alternatives.empty());
}

void WinogradTest::networksComputeTheSame_data() {
  QTest::addColumn<int>("choice");
  QTest::newRow("F(2,3)") << 0;
  QTest::newRow("F(4,3)") << 1;
}

void WinogradTest::networksComputeTheSame() {
  QFETCH(int, choice);
  const Partition parts = optimisedPartition(tinyResnet(), Alternatives::All);
  std::vector<int> chosen;
  int taken = 0;
  for (const Task& task : parts.tasks) {
    chosen.push_back(task.alternatives.empty() ? -1 : choice);
    taken += task.alternatives.empty() ? 0 : 1;
  }
  QVERIFY(taken >= 3);
  const Partition other = withAlternatives(parts, chosen);
  const std::vector<Array> inputs = randomInputs(parts.network, 3);
  const std::vector<Array> expected = interpret(parts, inputs);
  std::vector<KernelFunction> kernels;
  for (std::size_t t = 0; t < other.tasks.size(); ++t) {
    QCOMPARE(other.tasks[t].key == parts.tasks[t].key, chosen[t] < 0);
    kernels.push_back(test::nativeKernel(other.tasks[t].dag));
  }
  Executor executor(other, std::move(kernels));
  const std::vector<Array> actual = execute(executor, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = relativeError(actual[i], expected[i]);
    QVERIFY2(error < 1e-5, qPrintable(QString::number(error)));
  }
}

NW_TEST_GUILESS(WinogradTest)

} // namespace nestwright::winograd_test

#include "winograd.moc"
