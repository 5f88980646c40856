/// What is told of the operators of a network: attributes, tensors, work, and why they run as one.

#include "core/network/partition/operator_facts.h"

#include "core/network/graph/node_work.h"
#include "core/network/onnx/onnx_import.h"
#include "core/network/partition/task_graph.h"
#include "core/network/zoo/zoo.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::operator_facts_test {

class OperatorFactsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void convolutionsTellTheirAttributes();
  void namesAreThoseOfTheFile();
  void workAddsUp_data();
  void workAddsUp();
  void everyOperatorHasAReason_data();
  void everyOperatorHasAReason();
  void padsThatDifferAreToldApart();
};

const char* const kZoo[] = {"resnet18", "mobilenet_v3", "inception_v3", "bert_tiny", "dcgan"};

void zooRows() {
  QTest::addColumn<QString>("text");
  for (const char* name : kZoo)
    QTest::newRow(name) << name;
}

const TaskGraphNode* titled(const TaskGraph& graph, std::string_view start) {
  for (const TaskGraphNode& node : graph.nodes)
    if (node.title.starts_with(start)) return &node;
  return nullptr;
}

std::string valueOf(const OperatorFacts& facts, std::string_view name) {
  for (const OperatorFacts::Attribute& attribute : facts.attributes)
    if (attribute.name == name) return attribute.value;
  return {};
}

void OperatorFactsTest::convolutionsTellTheirAttributes() {
  const TaskGraph graph = taskGraph(optimisedPartition(parseNetworkSpec("resnet18")));
  const TaskGraphNode* first = titled(graph, "Conv 7x7/2 3->64 on 224x224");
  QVERIFY(first != nullptr);
  const OperatorFacts& conv = first->parts.front();
  QCOMPARE(conv.op, std::string("Conv"));
  QCOMPARE(valueOf(conv, "kernel"), std::string("7, 7"));
  QCOMPARE(valueOf(conv, "strides"), std::string("2, 2"));
  QCOMPARE(valueOf(conv, "pads"), std::string("3, 3"));
  QCOMPARE(valueOf(conv, "layout"), std::string("channels last"));
  QVERIFY(valueOf(conv, "dilations").empty()); // of one: they change nothing
  QCOMPARE(conv.inputs.size(), std::size_t(2));
  QCOMPARE(conv.inputs[0].shape, (Shape{1, 224, 224, 3}));
  QVERIFY(!conv.inputs[0].constant && conv.inputs[1].constant);
  QCOMPARE(conv.inputs[1].shape, (Shape{7, 7, 3, 64}));
  QCOMPARE(conv.output.shape, (Shape{1, 112, 112, 64}));
  QCOMPARE(conv.flops.value(), 2.0 * 112 * 112 * 64 * 7 * 7 * 3);
  QCOMPARE(conv.bytes, 4.0 * (224 * 224 * 3 + 7 * 7 * 3 * 64 + 112 * 112 * 64));
  QCOMPARE(conv.reason, std::string("it does the work of this kernel, and the others join it"));
  QVERIFY(first->parts.size() > 1);
  QVERIFY2(first->parts.back().reason.starts_with("it works on each element of the result of Conv"),
           first->parts.back().reason.c_str());
  QVERIFY2(first->end.starts_with("MaxPool") && first->end.ends_with("does work of its own"),
           first->end.c_str());
}

/// An ONNX file's own names are what one looks for.
void OperatorFactsTest::namesAreThoseOfTheFile() {
  const QTemporaryDir folder;
  const QString path = folder.filePath("model.onnx");
  Model model({2, 3}, 13, 2);
  model.random("fc.weight", {3, 4});
  model.node("/head/MatMul", "MatMul", {"x", "fc.weight"}, "scores");
  model.node("/head/Relu", "Relu", {"scores"}, "out");
  writeBytes(path, model.bytes());
  const TaskGraph graph = taskGraph(optimisedPartition(importOnnx(path.toStdString())));
  QVERIFY(graph.source.ends_with("model.onnx"));
  const TaskGraphNode* kernel = titled(graph, "MatMul");
  QVERIFY(kernel != nullptr);
  QCOMPARE(kernel->parts.size(), std::size_t(2));
  QCOMPARE(kernel->parts[0].name, std::string("/head/MatMul"));
  QCOMPARE(kernel->parts[0].inputs[0].name, std::string("x"));
  QCOMPARE(kernel->parts[0].inputs[1].name, std::string("fc.weight"));
  QCOMPARE(kernel->parts[1].name, std::string("/head/Relu"));
  QCOMPARE(kernel->parts[1].reason,
           std::string("it works on each element of the result of MatMul /head/MatMul by itself, "
                       "before that would go to memory"));
  QCOMPARE(kernel->end, std::string("its result is an output of the network"));
}

void OperatorFactsTest::workAddsUp_data() {
  zooRows();
}
void OperatorFactsTest::workAddsUp() {
  QFETCH(QString, text);
  const Partition partition = optimisedPartition(parseNetworkSpec(text.toStdString()));
  double products = 0;
  for (const TaskGroup& group : partition.groups)
    for (const OperatorFacts& facts : operatorFacts(partition, group)) {
      if (facts.op == "Conv" || facts.op == "ConvTranspose" || facts.op == "MatMul")
        products += facts.flops.value();
      QVERIFY(facts.bytes > 0 && !facts.output.shape.empty());
    }
  QCOMPARE(products, 2.0 * double(multiplyAccumulates(partition.network)));
}

void OperatorFactsTest::everyOperatorHasAReason_data() {
  zooRows();
}
void OperatorFactsTest::everyOperatorHasAReason() {
  QFETCH(QString, text);
  for (const TaskGraphNode& node :
       taskGraph(optimisedPartition(parseNetworkSpec(text.toStdString()))).nodes) {
    if (node.kind != TaskGraphNode::Kind::Group) continue;
    QVERIFY2(!node.end.empty(), node.name.c_str());
    QVERIFY(node.flops >= 0);
    int anchors = 0;
    for (const OperatorFacts& facts : node.parts) {
      QVERIFY2(!facts.reason.empty(), facts.name.c_str());
      anchors += facts.reason.starts_with("it does ") ? 1 : 0;
    }
    QVERIFY2(anchors <= 1, node.title.c_str());
  }
}

void OperatorFactsTest::padsThatDifferAreToldApart() {
  Node node;
  node.kind = OpKind::Conv;
  ConvAttributes conv{.window = Window::square(2, 3, 2, 0), .groups = 4};
  conv.window.padsAfter = {1, 1};
  conv.window.dilations = {2, 2};
  node.attributes = conv;
  const std::vector<OperatorFacts::Attribute> expected{
      {"kernel", "3, 3"},    {"strides", "2, 2"}, {"pads", "0, 0 before, 1, 1 behind"},
      {"dilations", "2, 2"}, {"groups", "4"},     {"layout", "channels first"}};
  QVERIFY(attributesOf(node) == expected);
  node.attributes = PoolAttributes{.window = Window::square(1, 2, 2, 0), .ceiling = true};
  QCOMPARE(attributesOf(node).at(3).value, std::string("up"));
  node.attributes = std::monostate();
  QVERIFY(attributesOf(node).empty());
}

NW_TEST_APPLESS(OperatorFactsTest)

} // namespace nestwright::operator_facts_test

#include "operator_facts.moc"
