#include "core/network/pass/passes.h"

#include "core/network/execution/executor.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::passes_test {

using Pass = Network (*)(const Network&);

struct NamedPass {
  const char* name;
  Pass pass;
};

const NamedPass kPasses[] = {
    {"fold constants", foldConstants},
    {"fold batch norm", foldBatchNorm},
    {"recognise layer norm", recogniseLayerNorm},
    {"absorb transposes", absorbTransposes},
    {"absorb pads", absorbPads},
    {"channels last", [](const Network& n) { return toChannelsLast(foldBatchNorm(n)); }},
    {"all", optimise},
};

struct NamedNetwork {
  const char* name;
  Network (*build)();
};

const NamedNetwork kNetworks[] = {
    {"resnet", tinyResnet},     {"mobilenet", tinyMobilenet}, {"biased norms", tinyBiasedNorms},
    {"branches", tinyBranches}, {"attention", tinyAttention}, {"bert", [] { return tinyBert(2); }},
    {"shuffle", tinyShuffle},   {"pads", tinyPads},           {"decoder", tinyDecoder},
};

int count(const Network& network, OpKind kind) {
  return static_cast<int>(std::count_if(network.nodes.begin(), network.nodes.end(),
                                        [kind](const Node& node) { return node.kind == kind; }));
}

class PassesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void passesKeepTheResults_data();
  void passesKeepTheResults();
  void passesDoTheirWork();
  void padsBecomePartOfWindows();
  void paddingWithNothingVanishes();
  void paddedWindowsOfOneStay();
  void oneNumberIsNoBias();
  void weightsNeverDecideTheTasks();
};

void PassesTest::passesKeepTheResults_data() {
  QTest::addColumn<int>("network");
  QTest::addColumn<int>("pass");
  QTest::addColumn<bool>("fused");
  for (std::size_t n = 0; n < std::size(kNetworks); ++n) {
    // Fusing alone must keep the results as well: pass -1.
    QTest::addRow("%s fused only", kNetworks[n].name) << static_cast<int>(n) << -1 << true;
    for (std::size_t p = 0; p < std::size(kPasses); ++p)
      for (const bool fused : {false, true})
        QTest::addRow("%s %s%s", kNetworks[n].name, kPasses[p].name, fused ? " fused" : "")
            << static_cast<int>(n) << static_cast<int>(p) << fused;
  }
}

void PassesTest::passesKeepTheResults() {
  QFETCH(int, network);
  QFETCH(int, pass);
  QFETCH(bool, fused);
  const Network before = kNetworks[network].build();
  const Network after = pass < 0 ? before : kPasses[pass].pass(before);
  const std::vector<Array> inputs = randomInputs(before, 7);
  // Node by node in the original layout, against groups after the pass.
  const std::vector<Array> expected = interpret(partition(before, false), inputs);
  const std::vector<Array> actual = interpret(partition(after, fused), inputs);
  QCOMPARE(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    QCOMPARE(actual[i].shape, expected[i].shape);
    const double error = relativeError(actual[i], expected[i]);
    QVERIFY2(error < 1e-5, qPrintable(QString("output %1: %2").arg(i).arg(error)));
    // A network that gives constant zero would prove nothing.
    const auto& values = actual[i].floats();
    QVERIFY(std::any_of(values.begin(), values.end(), [](float x) { return x != 0; }));
  }
}

void PassesTest::passesDoTheirWork() {
  QCOMPARE(count(foldBatchNorm(tinyResnet()), OpKind::BatchNorm), 0);
  QCOMPARE(count(foldBatchNorm(tinyResnet()), OpKind::Mul), 0);
  QCOMPARE(count(foldBatchNorm(tinyBranches()), OpKind::BatchNorm), 0);
  // Of the four norms those behind a convolution vanish with its bias.
  const Network biased = foldBatchNorm(tinyBiasedNorms());
  QCOMPARE(count(biased, OpKind::BatchNorm), 0);
  QCOMPARE(count(biased, OpKind::Mul), 2);
  const Network attention = optimise(tinyAttention());
  QCOMPARE(count(attention, OpKind::LayerNorm), 1);
  QCOMPARE(count(attention, OpKind::ReduceMean), 0);
  QCOMPARE(count(optimise(tinyBert(1)), OpKind::Transpose), 0);
  // One transpose for the image; nothing else moves.
  QCOMPARE(count(optimise(tinyResnet()), OpKind::Transpose), 1);
  for (const Node& node : optimise(tinyResnet()).nodes)
    if (node.kind == OpKind::Conv)
      QVERIFY(node.as<ConvAttributes>().layout == TensorLayout::ChannelsLast);
}

// Of nine windows over zeros, those whose meaning would change keep the padding in front.
void PassesTest::padsBecomePartOfWindows() {
  const Network absorbed = absorbPads(tinyPads());
  int padded = 0;
  const std::vector<int> makers = producers(absorbed);
  for (const Node& node : absorbed.nodes)
    if (node.kind == OpKind::Conv || node.kind == OpKind::MaxPool ||
        node.kind == OpKind::AveragePool) {
      const int maker = makers[static_cast<std::size_t>(node.inputs[0])];
      padded += maker >= 0 ? 1 : 0;
    }
  // Ones, edges, a maximum over zeros, four averages rounded up, one that leaves its padding out.
  QCOMPARE(padded, 8);
  QCOMPARE(count(foldConstants(tinyPads()), OpKind::MaxPool), 2);
}

void PassesTest::paddingWithNothingVanishes() {
  NetworkBuilder b("nothing");
  const TensorId x = b.input("x", {2, 3});
  b.output(b.node(OpKind::Pad, {x}, PadAttributes{{0, 0}, {0, 0}}));
  const Network network = b.finish();
  QCOMPARE(count(foldConstants(network), OpKind::Pad), 0);
  const Array values{{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}};
  QVERIFY(interpret(partition(network, false), {values})[0].floats() == values.floats());
}

/// A stride over padding may keep the shape and not the values.
void PassesTest::paddedWindowsOfOneStay() {
  for (const bool average : {false, true}) {
    NetworkBuilder b("windows");
    const TensorId x = b.input("x", {1, 1, 3, 3});
    PoolAttributes pool{Window::square(2, 1, 2, 1)};
    pool.countPadding = true;
    b.output(b.node(average ? OpKind::AveragePool : OpKind::MaxPool, {x}, pool));
    const Network network = b.finish();
    const Network folded = foldConstants(network);
    QCOMPARE(folded.nodes.size(), std::size_t(1));
    const Array values{{1, 1, 3, 3}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    const Array result = interpret(partition(folded, false), {values})[0];
    QCOMPARE(result.shape, (Shape{1, 1, 3, 3}));
    QCOMPARE(result.floats()[4], 5.0F); // the middle one; around it windows hold only padding
    QVERIFY(result.floats()[0] != 1);
  }
}

/// A constant of one element between a convolution and a norm.
void PassesTest::oneNumberIsNoBias() {
  ImageNetworkBuilder net("one_number", {{"batch", 1}, {"image", 4}});
  NetworkBuilder& b = net.builder();
  const TensorId one = b.constant("one", {1, 1, 1}, uniformConstant({1, 1, 1}, 1, 3, 9));
  const TensorId conv = net.conv("conv", net.image(), 4, 3, 1, 1);
  b.output(net.batchNorm("norm", b.node(OpKind::Add, {conv, one})));
  const Network network = b.finish(), folded = foldBatchNorm(network);
  QCOMPARE(count(folded, OpKind::BatchNorm), 0);
  const std::vector<Array> inputs = randomInputs(network, 7);
  const Array expected = interpret(partition(network, false), inputs)[0];
  QVERIFY(relativeError(interpret(partition(folded, false), inputs)[0], expected) < 1e-5);
}

// A bias of zeros and a scale of ones are weights like others: an untrained network has the same
// tasks as a trained one.
void PassesTest::weightsNeverDecideTheTasks() {
  Network network = tinyBert(1);
  Network untrained = network;
  for (Tensor& tensor : untrained.tensors)
    if (tensor.learnable && tensor.shape.size() == 1)
      tensor.constant = filledConstant(tensor.shape, tensor.name.ends_with(".scale") ? 1 : 0);
  const Partition a = optimisedPartition(network), b = optimisedPartition(untrained);
  QCOMPARE(a.tasks.size(), b.tasks.size());
  for (std::size_t t = 0; t < a.tasks.size(); ++t)
    QCOMPARE(a.tasks[t].key, b.tasks[t].key);
}

NW_TEST_APPLESS(PassesTest)

} // namespace nestwright::passes_test

#include "passes.moc"
