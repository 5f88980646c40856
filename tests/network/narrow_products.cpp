/// \file Networks whose products multiply bfloat16: which tensors are kept so, and that they
/// compute what the network of float32 does, up to the rounding of the factors.

#include "core/network/execution/executor.h"
#include "core/network/pass/passes.h"
#include "core/network/zoo/zoo.h"
#include "tests/network/native_kernel.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::narrow_products_test {

Network narrow(Network network) {
  network.parameters[kBFloat16Parameter] = 1;
  return network;
}

int count(const Partition& parts, OpKind kind) {
  return static_cast<int>(std::ranges::count(parts.network.nodes, kind, &Node::kind));
}

class NarrowProducts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The stem reads three channels of an image, which get a fourth of zeros.
  void factorsAreKeptInBFloat16() {
    const Partition parts = optimisedPartition(narrow(tinyResnet()));
    const Network& network = parts.network;
    int narrowed = 0;
    for (const Node& node : network.nodes) {
      if (node.kind != OpKind::Conv && node.kind != OpKind::MatMul) continue;
      QVERIFY(network.outputOf(node).type == kFloat32);
      const Tensor &data = network.tensor(node.inputs[0]), &kernel = network.tensor(node.inputs[1]);
      QVERIFY(data.type == kBFloat16);
      QVERIFY(kernel.type == data.type);
      QVERIFY(kernel.constant);
      QCOMPARE(data.shape.back() % 2, 0);
      ++narrowed;
    }
    QCOMPARE(narrowed, 7);
  }

  /// What a product and a sum read is kept once, by who makes it.
  void nothingIsConvertedByItself() {
    const Partition wide = optimisedPartition(tinyResnet());
    const Partition parts = optimisedPartition(narrow(tinyResnet()));
    QCOMPARE(parts.groups.size(), wide.groups.size());
    for (const Tensor& tensor : parts.network.tensors)
      QVERIFY(tensor.type == kFloat32 || tensor.type == kBFloat16);
  }

  void networksComputeTheSame_data() {
    QTest::addColumn<int>("number");
    QTest::newRow("resnet") << 0;
    QTest::newRow("mobilenet") << 1;
    QTest::newRow("branches") << 2;
    QTest::newRow("bert") << 3;
  }

  void networksComputeTheSame() {
    QFETCH(int, number);
    const Network network = number == 0   ? tinyResnet()
                            : number == 1 ? tinyMobilenet()
                            : number == 2 ? tinyBranches()
                                          : parseNetworkSpec("bert_tiny:batch=1,sequence=4");
    const Partition wide = optimisedPartition(network);
    const Partition parts = optimisedPartition(narrow(network));
    const std::vector<Array> inputs = randomInputs(network, 3);
    const auto run = [&](const Partition& partition) {
      std::vector<KernelFunction> kernels;
      for (const Task& task : partition.tasks)
        kernels.push_back(test::nativeKernel(task.dag));
      Executor executor(partition, std::move(kernels));
      return execute(executor, inputs);
    };
    const std::vector<Array> expected = run(wide), actual = run(parts);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      QCOMPARE(actual[i].shape, expected[i].shape);
      const double error = relativeError(actual[i], expected[i]);
      qInfo("%.2g", error);
      QVERIFY2(error < 0.02, qPrintable(QString::number(error)));
      QVERIFY2(error > 1e-5, "nothing was rounded");
    }
    if (number == 3) return; // large for the interpreter
    const std::vector<Array> interpreted = interpret(parts, inputs);
    for (std::size_t i = 0; i < actual.size(); ++i)
      QVERIFY(relativeError(actual[i], interpreted[i]) < 4e-3);
  }

  void theNameOfANetworkAsksForIt() {
    const Network network = parseNetworkSpec("resnet18:image=64,bf16=1");
    QVERIFY(hasNarrowProducts(network));
    QCOMPARE(specText(network), std::string("resnet18:batch=1,image=64,bf16=1"));
    const Network wide = parseNetworkSpec("resnet18:image=64");
    QVERIFY(!hasNarrowProducts(wide));
    QCOMPARE(specText(wide), std::string("resnet18:batch=1,image=64"));
    QCOMPARE(specText(parseNetworkSpec("resnet18:image=64,bf16=0")), specText(wide));
    const Partition parts = optimisedPartition(network), before = optimisedPartition(wide);
    QCOMPARE(count(parts, OpKind::Conv), count(before, OpKind::Conv));
    QVERIFY(std::ranges::all_of(optimisedPartition(network, Alternatives::All).tasks,
                                [](const Task& task) { return task.alternatives.empty(); }));
  }
};

NW_TEST_GUILESS(NarrowProducts)

} // namespace nestwright::narrow_products_test

#include "narrow_products.moc"
