#include "core/network/partition/partition.h"

#include "core/network/execution/executor.h"
#include "core/network/graph/workloads.h"
#include "core/network/partition/partition_graph.h"
#include "core/network/zoo/zoo.h"
#include "core/tensor/text.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QTest>

namespace nestwright::partition_test {

/// Puts one node behind another.
using Link = TensorId (*)(NetworkBuilder&, TensorId);

Network chain(int length, Link link) {
  NetworkBuilder b("chain");
  TensorId x = b.input("x", {2, 3, 4});
  for (int n = 0; n < length; ++n)
    x = link(b, x);
  b.output(x);
  return b.finish();
}

class PartitionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void uniqueTasks_data();
  void uniqueTasks();
  void resnet50IsWhatTheTenSetPaperCounts();
  void groupsRunInOrder_data();
  void groupsRunInOrder();
  void tasksAreThoseOfTheOperatorWorkloads();
  void keysDoNotDependOnNames();
  void attentionMovesNothing();
  void geluIsOneStage();
  void nothingIsLeftAloneThatCanBeFused_data();
  void nothingIsLeftAloneThatCanBeFused();
  void partitionsAreAsExpected_data();
  void partitionsAreAsExpected();
  void graphsShowEveryNodeOnce();
  void longChainsAreCutIntoKernels_data();
  void longChainsAreCutIntoKernels();
  void nothingDoublesUnderAResidual();
};

void PartitionTest::uniqueTasks_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("tunable");
  QTest::addColumn<int>("tunableWeight");
  QTest::addColumn<int>("others");
  // resnet18: 20 convolutions, 2 poolings, a dense layer; the image's transpose is no task.
  QTest::newRow("resnet18") << "resnet18" << 18 << 23 << 1;
  QTest::newRow("resnet50") << "resnet50" << 27 << 56 << 1;
  QTest::newRow("mobilenet_v2") << "mobilenet_v2" << 32 << 54 << 1;
  // a layer: 4 dense, 2 products, softmax, 2 of the feed-forward, 2 norms
  QTest::newRow("bert_tiny") << "bert_tiny:sequence=64" << 9 << 6 * 11 + 2 << 2;
}

void PartitionTest::uniqueTasks() {
  QFETCH(QString, text);
  QFETCH(int, tunableWeight);
  QFETCH(int, others);
  const Network network = parseNetworkSpec(text.toStdString());
  const Partition parts = optimisedPartition(network);
  QTEST(static_cast<int>(parts.tunableCount()), "tunable");
  QCOMPARE(static_cast<int>(parts.tasks.size() - parts.tunableCount()), others);
  int weight = 0;
  for (std::size_t t = 0; t < parts.tasks.size(); ++t) {
    const Task& task = parts.tasks[t];
    QCOMPARE(task.tunable, t < parts.tunableCount());
    weight += task.tunable ? task.weight : 0;
    QCOMPARE(task.key, workloadKey(task.dag));
    QVERIFY(!task.description.empty());
    const auto uses =
        std::count_if(parts.groups.begin(), parts.groups.end(),
                      [&](const TaskGroup& group) { return group.task == static_cast<int>(t); });
    QCOMPARE(static_cast<int>(uses), task.weight);
  }
  QCOMPARE(weight, tunableWeight);
  // Nothing is lost: the operations are those of the products, and little more.
  const double products = 2.0 * static_cast<double>(multiplyAccumulates(network));
  QVERIFY2(parts.flops() > products && parts.flops() < 1.05 * products,
           qPrintable(QString::number(parts.flops() / products)));
}

// TenSet, section 3.2: 27 unique subgraphs; handbook/networks.md 3: 24 convolutions, 2 poolings, 1
// dense.
void PartitionTest::resnet50IsWhatTheTenSetPaperCounts() {
  const Partition parts = optimisedPartition(parseNetworkSpec("resnet50"));
  std::map<QString, int> kinds;
  for (const Task& task : parts.tasks)
    ++kinds[QString::fromStdString(task.description).section(' ', 0, 0)];
  QCOMPARE(kinds["Conv"], 24);
  QCOMPARE(kinds["MaxPool"], 1);
  QCOMPARE(kinds["GlobalAveragePool"], 1);
  QCOMPARE(kinds["MatMul"], 1);
  // The block ends take the residual addition, the projections beside them do not.
  for (const Task& task : parts.tasks)
    if (QString::fromStdString(task.description).startsWith("Conv 1x1 64->256"))
      QCOMPARE(task.weight, task.description.ends_with("Relu") ? 3 : 1);
}

void PartitionTest::groupsRunInOrder_data() {
  QTest::addColumn<QString>("text");
  for (const ZooEntry& entry : zoo())
    QTest::newRow(entry.name.c_str()) << QString::fromStdString(entry.name);
}

void PartitionTest::groupsRunInOrder() {
  QFETCH(QString, text);
  const Partition parts = optimisedPartition(parseNetworkSpec(text.toStdString()));
  const std::vector<TensorId> storage = storageTensors(parts.network);
  std::vector<char> ready(parts.network.tensors.size(), 0);
  for (const TensorId id : parts.network.inputs)
    ready[static_cast<std::size_t>(id)] = 1;
  for (const TaskGroup& group : parts.groups) {
    const ComputeDag& dag = parts.tasks[static_cast<std::size_t>(group.task)].dag;
    QCOMPARE(dag.inputs().size(), group.inputs.size());
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
      const TensorId id = group.inputs[i];
      QVERIFY(parts.network.isConstant(id) || ready[static_cast<std::size_t>(id)]);
      QCOMPARE(dag.inputs()[i]->output->elements(), elementCount(parts.network.tensor(id).shape));
    }
    QCOMPARE(dag.outputs().size(), std::size_t(1));
    QCOMPARE(dag.outputs()[0]->output->elements(),
             elementCount(parts.network.tensor(group.output).shape));
    ready[static_cast<std::size_t>(group.output)] = 1;
  }
  for (const TensorId id : parts.network.outputs)
    QVERIFY(ready[static_cast<std::size_t>(storage[static_cast<std::size_t>(id)])]);
}

// What was tuned as an operator serves in a network.
void PartitionTest::tasksAreThoseOfTheOperatorWorkloads() {
  const Partition parts = optimisedPartition(parseNetworkSpec("resnet18"));
  const auto has = [&](const char* text) {
    const std::string key = workloadKey(parseTaskSpec(text).dag);
    return std::any_of(parts.tasks.begin(), parts.tasks.end(),
                       [&](const Task& task) { return task.key == key; });
  };
  QVERIFY(has("conv2d:h=56,w=56,ci=64,co=64,k=3,s=1,p=1,bias=1,relu=1"));
  QVERIFY(has("conv2d:h=56,w=56,ci=64,co=128,k=1,s=2,p=0,bias=1"));
  QVERIFY(has("matmul:m=1,n=1000,k=512,bias=1"));
  QVERIFY(!has("conv2d:h=56,w=56,ci=64,co=64,k=3,s=1,p=1,relu=1"));
}

void PartitionTest::keysDoNotDependOnNames() {
  const Network network = parseNetworkSpec("resnet18:image=64");
  Network renamed = network;
  int number = 0;
  for (Tensor& tensor : renamed.tensors)
    tensor.name = fmt::format("t{}", number++);
  for (Node& node : renamed.nodes)
    node.name = fmt::format("n{}", number++);
  // Additions are commutative, and their operands may come in either order.
  for (Node& node : renamed.nodes)
    if (node.kind == OpKind::Add) std::swap(node.inputs[0], node.inputs[1]);
  const Partition a = optimisedPartition(network), b = optimisedPartition(renamed);
  QCOMPARE(a.tasks.size(), b.tasks.size());
  for (std::size_t t = 0; t < a.tasks.size(); ++t)
    QCOMPARE(a.tasks[t].key, b.tasks[t].key);
}

// The transposes of attention are read and written in place by the products.
void PartitionTest::attentionMovesNothing() {
  const Partition parts = optimisedPartition(parseNetworkSpec("bert_tiny:batch=2,sequence=16"));
  for (const Node& node : parts.network.nodes)
    QVERIFY2(node.kind != OpKind::Transpose, node.name.c_str());
}

void PartitionTest::geluIsOneStage() {
  const Partition parts = optimisedPartition(parseNetworkSpec("bert_tiny:sequence=16"));
  int found = 0;
  for (const Task& task : parts.tasks)
    if (task.description.find("Erf") != std::string::npos) {
      ++found;
      // A, B, product, bias, its addition, GELU halved: no stage has two readers.
      QVERIFY2(task.dag.size() <= 7, task.key.c_str());
    }
  QCOMPARE(found, 1);
}

void PartitionTest::nothingIsLeftAloneThatCanBeFused_data() {
  groupsRunInOrder_data();
}

// handbook/ansor.md 11.2: what has no anchor follows no group that it could have joined, and flows
// into no other chain alone.
void PartitionTest::nothingIsLeftAloneThatCanBeFused() {
  QFETCH(QString, text);
  const Partition parts = optimisedPartition(parseNetworkSpec(text.toStdString()));
  const Network& network = parts.network;
  const std::vector<int> uses = useCounts(network);
  std::map<TensorId, const TaskGroup*> makers;
  for (const TaskGroup& group : parts.groups)
    makers[group.output] = &group;
  const auto tunable = [&](const TaskGroup& group) {
    return parts.tasks[static_cast<std::size_t>(group.task)].tunable;
  };
  for (const TaskGroup& group : parts.groups) {
    if (tunable(group)) continue;
    for (const int n : group.nodes) {
      const Node& node = network.nodes[static_cast<std::size_t>(n)];
      const bool elementwise = isUnary(node.kind) || isBroadcasting(node.kind);
      for (const TensorId input : node.inputs) {
        const auto maker = makers.find(input);
        if (maker == makers.end() || uses[static_cast<std::size_t>(input)] != 1) continue;
        QVERIFY2(tunable(*maker->second), group.name.c_str());
        QVERIFY2(!elementwise || network.tensor(input).shape != network.outputOf(node).shape,
                 group.name.c_str());
      }
    }
  }
}

void PartitionTest::partitionsAreAsExpected_data() {
  QTest::addColumn<int>("network");
  QTest::addColumn<QStringList>("groups");
  QTest::newRow("shuffle")
      << 0
      << QStringList{"Transpose 2x3x5x5",
                     "Conv 3x3 3->12 on 5x5 + Relu",
                     "Slice 2x5x5x12",
                     "Conv 1x1 6->6 on 5x5 + Relu",
                     "Slice 2x5x5x12 + Concat + Transpose + Reshape + Transpose",
                     "Slice 2x12x5x5 + Transpose",
                     "Conv 1x1 6->6 on 5x5 + Relu",
                     "Slice 2x12x5x5 + Transpose + Concat + Relu + Reshape + Transpose",
                     "Neg 2x3x5x5 + Exp + Mul + Reshape + Transpose + Reshape + Expand + Add",
                     "Slice 4x5x10x3 + Mul"};
  QTest::newRow("branches") << 1
                            << QStringList{"Mul 2x3x8x8 + Add + Relu + Transpose",
                                           "Conv 3x3 3->4 on 8x8 + Bias",
                                           "AveragePool 3x3 on 8x8",
                                           "AveragePool 3x3 on 8x8",
                                           "Concat 2x8x8x4 + Mul + Bias + Relu",
                                           "MaxPool 3x3/2 on 8x8",
                                           "GlobalAveragePool 2x4x4x10",
                                           "Conv 1x1 10->10 on 1x1 + Sigmoid",
                                           "Mul 2x1x1x10",
                                           "ReduceMean 2x4x4x10",
                                           "ReduceMax 2x4x4x10",
                                           "Softmax 2x10",
                                           "Slice 2x4x4x10 + Transpose"};
  QTest::newRow("attention") << 2
                             << QStringList{"LayerNorm 2x3x8",
                                            "MatMul 2x3x8 by 8x8 + Div",
                                            "MatMul 2x3x8 by 8x8",
                                            "MatMul 2x3x8 by 8x8",
                                            "MatMul 3x4x4 by 3x4x4",
                                            "Add 2x2x3x3",
                                            "Softmax 2x2x3x3",
                                            "MatMul 4x3x3 by 3x4x4",
                                            "MatMul 6x8 by 8x8",
                                            "Transpose 3x2x8 + Add + Div + Erf + Add + Mul + Mul"};
}

void PartitionTest::partitionsAreAsExpected() {
  QFETCH(int, network);
  QFETCH(QStringList, groups);
  const Partition parts = optimisedPartition(network == 0   ? tinyShuffle()
                                             : network == 1 ? tinyBranches()
                                                            : tinyAttention());
  QStringList actual;
  for (const TaskGroup& group : parts.groups)
    actual.append(
        QString::fromStdString(parts.tasks[static_cast<std::size_t>(group.task)].description));
  QCOMPARE(actual.join('\n'), groups.join('\n'));
}

void PartitionTest::graphsShowEveryNodeOnce() {
  const Partition parts = optimisedPartition(tinyShuffle());
  const nlohmann::json graph = partitionJson(parts);
  QCOMPARE(graph.at("nodes").size(), parts.network.nodes.size());
  QCOMPARE(graph.at("groups").size(), parts.groups.size());
  for (std::size_t g = 0; g < parts.groups.size(); ++g)
    for (const auto& node : graph.at("groups")[g].at("nodes"))
      QCOMPARE(graph.at("nodes")[node.get<std::size_t>()].at("group").get<std::size_t>(), g);
  const QString dot = QString::fromStdString(partitionDot(parts));
  QCOMPARE(dot.count("subgraph cluster_"), static_cast<int>(parts.groups.size()));
  for (std::size_t n = 0; n < parts.network.nodes.size(); ++n)
    QCOMPARE(dot.count(QString(" n%1 [label=").arg(n)), 1);
  QVERIFY(dot.contains("#1 Conv 1x1 6->6 on 5x5 + Relu"));
  QVERIFY(dot.startsWith("digraph \"tiny_shuffle\" {") && dot.endsWith("}\n"));
}

void PartitionTest::longChainsAreCutIntoKernels_data() {
  QTest::addColumn<Link>("link");
  QTest::addColumn<int>("length");
  const auto row = [](const char* name, Link link) {
    // The short one fails where groups have no bound, the long one would never end.
    for (const int length : {600, 5000})
      QTest::addRow("%d %s", length, name) << link << length;
  };
  row("additions", [](NetworkBuilder& b, TensorId x) {
    return b.node(OpKind::Add, {x, b.scalar(0.5F)});
  });
  row("squares", [](NetworkBuilder& b, TensorId x) { return b.node(OpKind::Mul, {x, x}); });
  row("gates", [](NetworkBuilder& b, TensorId x) {
    return b.node(OpKind::Mul, {x, b.node(OpKind::Sigmoid, {x})});
  });
  row("pads", [](NetworkBuilder& b, TensorId x) {
    return b.node(OpKind::Pad, {x}, PadAttributes{{0, 0, 0}, {0, 0, 1}});
  });
  row("reductions", [](NetworkBuilder& b, TensorId x) {
    x = b.node(OpKind::ReduceSum, {b.node(OpKind::Neg, {x})}, ReduceAttributes{{0}, true});
    return b.node(OpKind::Exp, {x});
  });
  row("views", [](NetworkBuilder& b, TensorId x) {
    return b.node(OpKind::Relu, {b.reshape(b.transpose(x, {2, 0, 1}), {2, 3, 4})});
  });
}

// Each kernel holds a bounded part of the chain, and all of them hold all of it.
void PartitionTest::longChainsAreCutIntoKernels() {
  QFETCH(Link, link);
  QFETCH(int, length);
  const Partition parts = optimisedPartition(chain(length, link));
  std::vector<char> seen(parts.network.nodes.size(), 0);
  for (const TaskGroup& group : parts.groups) {
    QVERIFY2(group.nodes.size() <= kMostFused, qPrintable(QString::number(group.nodes.size())));
    for (const int n : group.nodes)
      QVERIFY(!std::exchange(seen[static_cast<std::size_t>(n)], 1));
  }
  for (std::size_t n = 0; n < seen.size(); ++n)
    QVERIFY(seen[n] || parts.network.nodes[n].kind == OpKind::Reshape);
}

/// What spans the others keeps each of them from being a stage for that reason; written into one
/// another they would be a million operators.
void PartitionTest::nothingDoublesUnderAResidual() {
  NetworkBuilder b("residual");
  const TensorId x = b.input("x", {2, 3});
  const TensorId first = b.node(OpKind::Neg, {x});
  TensorId y = first;
  for (int i = 0; i < 20; ++i)
    y = b.node(OpKind::Mul, {y, y});
  b.output(b.node(OpKind::Add, {first, y}));
  const Network network = b.finish();
  const Partition parts = partition(network);
  QCOMPARE(parts.tasks.size(), std::size_t(1));
  const std::string text = print(parts.tasks[0].dag);
  QCOMPARE(print(parseDag(text)), text);
  const std::vector<Array> inputs = randomInputs(network, 7);
  const Array expected = interpret(partition(network, false), inputs)[0];
  QVERIFY(relativeError(interpret(parts, inputs)[0], expected) < 1e-5);
}

NW_TEST_APPLESS(PartitionTest)

} // namespace nestwright::partition_test

#include "partition.moc"
