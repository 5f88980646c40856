#include "core/network/partition/task_graph.h"

#include "core/network/graph/workloads.h"
#include "core/network/partition/graph_folding.h"
#include "core/network/partition/graph_layout_input.h"
#include "core/network/zoo/zoo.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QFile>
#include <QTest>

#include <random>
#include <set>

namespace nestwright::task_graph_test {

using Kind = TaskGraphNode::Kind;

class TaskGraphTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyGroupIsANode_data();
  void everyGroupIsANode();
  void operatorsShowTheirStages();
  void blocksAreFound_data();
  void blocksAreFound();
  void foldingIsSound_data();
  void foldingIsSound();
  void orderOfGroupsDoesNotMatter();
  void whatIsReadElsewhereIsNotFolded();
  void longChainsFoldQuickly();
  void layoutInputIsAsExpected();
};

const char* const kZoo[] = {"resnet18",     "resnet50",      "mobilenet_v2", "mobilenet_v3",
                            "inception_v3", "squeezenet1_1", "vgg16",        "r3d_18",
                            "dcgan",        "bert_base",     "bert_tiny",    "densenet121",
                            "resnext50",    "resnet3d_18"};

void zooRows() {
  QTest::addColumn<QString>("text");
  for (const char* name : kZoo)
    QTest::newRow(name) << name;
}

Partition partitionOf(const QString& text) {
  return optimisedPartition(parseNetworkSpec(text.toStdString()));
}

std::string textOf(const std::vector<Repeat>& repeats) {
  std::vector<std::string> parts;
  for (const Repeat& repeat : repeats)
    parts.push_back(fmt::format("{}x{}", repeat.copies, repeat.period));
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Nodes of one task each; `inputs` of node i are those given.
TaskGraph graphOf(const std::vector<std::pair<int, std::vector<int>>>& nodes) {
  TaskGraph graph;
  for (const auto& [task, inputs] : nodes) {
    TaskGraphNode node;
    node.task = task;
    node.tunable = true;
    node.inputs = inputs;
    graph.nodes.push_back(node);
  }
  return graph;
}

void TaskGraphTest::everyGroupIsANode_data() {
  zooRows();
}

void TaskGraphTest::everyGroupIsANode() {
  QFETCH(QString, text);
  const Partition parts = partitionOf(text);
  const TaskGraph graph = taskGraph(parts);
  std::vector<int> uses(parts.tasks.size(), 0);
  std::size_t groups = 0, operators = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const TaskGraphNode& node = graph.nodes[n];
    for (const int input : node.inputs)
      QVERIFY(input >= 0 && input < static_cast<int>(n));
    QVERIFY(!node.title.empty());
    QVERIFY(node.kind == Kind::Input || !node.inputs.empty());
    if (node.kind != Kind::Group) continue;
    ++groups;
    operators += node.parts.size();
    ++uses[static_cast<std::size_t>(node.task)];
    QCOMPARE(node.tunable, static_cast<std::size_t>(node.task) < parts.tunableCount());
  }
  QCOMPARE(groups, parts.groups.size());
  std::size_t grouped = 0;
  for (const TaskGroup& group : parts.groups)
    grouped += group.nodes.size();
  QCOMPARE(operators, grouped);
  for (std::size_t t = 0; t < uses.size(); ++t)
    QCOMPARE(uses[t], parts.tasks[t].weight);
}

void TaskGraphTest::operatorsShowTheirStages() {
  const Workload conv = parseTaskSpec("conv2d:n=1,h=14,w=14,ci=8,co=8,k=3,s=1,p=1,relu=1");
  const TaskGraph graph = taskGraph(conv.text, conv.dag);
  std::map<Kind, int> kinds;
  for (const TaskGraphNode& node : graph.nodes)
    ++kinds[node.kind];
  QCOMPARE(kinds[Kind::Input], static_cast<int>(conv.dag.inputs().size()));
  QCOMPARE(kinds[Kind::Group], 0);
  const TaskGraphNode& last = graph.nodes.back();
  QCOMPARE(last.kind, Kind::Stage);
  QCOMPARE(last.task, 0);
  QCOMPARE(graph.taskKeys, std::vector<std::string>{workloadKey(conv.dag)});
  QVERIFY(!last.inputs.empty());
}

// What the papers call the repeated blocks of a stage: of each stage of a ResNet the first block
// differs (its stride, its shortcut), the others are equal.
void TaskGraphTest::blocksAreFound_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("blocks"); // copies x nodes
  const auto row = [](const char* text, const char* blocks) {
    QTest::newRow(text) << text << blocks;
  };
  row("resnet18", "2x2");
  row("resnet50", "2x3 3x3 5x3 2x3");
  row("bert_base", "12x11");
  row("bert_tiny", "6x11");
  row("vgg16", "3x1"); // the last three convolutions are one task
  row("resnext50", "2x3 3x3 5x3 2x3");
  row("mobilenet_v2", "2x3 3x3 2x3 2x3");
  row("mobilenet_v3", "2x7 2x3 2x7");
  row("inception_v3", "2x12 2x2"); // the two modules with 160 channels, and a chain in one
  row("densenet121", "");          // every layer reads more channels: no two are equal
}

void TaskGraphTest::blocksAreFound() {
  QFETCH(QString, text);
  QTEST(QString::fromStdString(textOf(findRepeats(taskGraph(partitionOf(text))))), "blocks");
}

void TaskGraphTest::foldingIsSound_data() {
  zooRows();
}

void TaskGraphTest::foldingIsSound() {
  QFETCH(QString, text);
  const TaskGraph graph = taskGraph(partitionOf(text));
  const std::vector<Repeat> repeats = findRepeats(graph);
  const auto node = [&](int n) -> const TaskGraphNode& {
    return graph.nodes[static_cast<std::size_t>(n)];
  };
  int end = 0, saved = 0;
  for (const Repeat& run : repeats) {
    QVERIFY(run.first >= end && run.copies >= 2);
    end = run.end();
    saved += run.period * (run.copies - 1);
    for (int n = run.first; n < end - run.period; ++n) {
      const TaskGraphNode &a = node(n), &b = node(n + run.period);
      QCOMPARE(a.task, b.task);
      QCOMPARE(a.title, b.title);
      QCOMPARE(a.shape, b.shape);
      QCOMPARE(a.inputs.size(), b.inputs.size());
      for (std::size_t i = 0; i < a.inputs.size(); ++i)
        QVERIFY(b.inputs[i] == a.inputs[i] + run.period ||
                (b.inputs[i] == a.inputs[i] && a.inputs[i] < run.first));
    }
  }
  const DrawnGraph folded = drawnGraph(graph, repeats, std::vector<bool>(repeats.size(), false));
  QCOMPARE(folded.nodes.size() + static_cast<std::size_t>(saved), graph.nodes.size());
  int stoodFor = 0;
  for (const int copies : folded.copies)
    stoodFor += copies;
  QCOMPARE(stoodFor, static_cast<int>(graph.nodes.size()));
  // No cycle, and nothing left hanging.
  std::set<int> reached;
  for (const DrawnGraph::Edge& edge : folded.edges) {
    QVERIFY(edge.from < edge.to);
    reached.insert({edge.from, edge.to});
  }
  QCOMPARE(reached.size(), folded.nodes.size());
  const DrawnGraph all = drawnGraph(graph, repeats, std::vector<bool>(repeats.size(), true));
  QCOMPARE(all.nodes.size(), graph.nodes.size());
  std::size_t edges = 0;
  for (const TaskGraphNode& one : graph.nodes)
    edges += one.inputs.size();
  QCOMPARE(all.edges.size() + all.implied.size(), edges);
  QCOMPARE(all.implied.empty(), text != QStringLiteral("densenet121"));
}

void TaskGraphTest::orderOfGroupsDoesNotMatter() {
  Partition parts = partitionOf(QStringLiteral("inception_v3"));
  const TaskGraph graph = taskGraph(parts);
  // Another order in which they can run, drawn at random.
  std::mt19937 random(1);
  std::map<TensorId, int> maker;
  for (std::size_t g = 0; g < parts.groups.size(); ++g)
    maker[parts.groups[g].output] = static_cast<int>(g);
  std::vector<TaskGroup> left = parts.groups, order;
  std::set<TensorId> made;
  while (!left.empty()) {
    std::vector<std::size_t> ready;
    for (std::size_t g = 0; g < left.size(); ++g)
      if (std::all_of(left[g].inputs.begin(), left[g].inputs.end(),
                      [&](TensorId id) { return !maker.contains(id) || made.contains(id); }))
        ready.push_back(g);
    QVERIFY(!ready.empty());
    const std::size_t pick = ready[random() % ready.size()];
    made.insert(left[pick].output);
    order.push_back(left[pick]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
  }
  parts.groups = order;
  const TaskGraph again = taskGraph(parts);
  QCOMPARE(again.nodes.size(), graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    QCOMPARE(again.nodes[n].name, graph.nodes[n].name);
}

void TaskGraphTest::whatIsReadElsewhereIsNotFolded() {
  // Three equal blocks of two; then a node that reads the end.
  std::vector<std::pair<int, std::vector<int>>> nodes = {{9, {}},  {1, {0}}, {2, {1}}, {1, {2}},
                                                         {2, {3}}, {1, {4}}, {2, {5}}, {3, {6}}};
  QCOMPARE(textOf(findRepeats(graphOf(nodes))), std::string("3x2"));
  // It also reads the middle block: that one cannot be left out of the drawing, and two are left.
  nodes.back().second = {6, 4};
  QCOMPARE(textOf(findRepeats(graphOf(nodes))), std::string("2x2"));
  QCOMPARE(findRepeats(graphOf(nodes))[0].first, 1);
  // Both read the node in front: no hindrance. One reads the first block: no longer equal.
  nodes.back().second = {6};
  for (const std::size_t n : {2, 4, 6})
    nodes[n].second.push_back(0);
  QCOMPARE(textOf(findRepeats(graphOf(nodes))), std::string("3x2"));
  nodes[6].second.back() = 1;
  QCOMPARE(textOf(findRepeats(graphOf(nodes))), std::string("2x2"));
}

void TaskGraphTest::longChainsFoldQuickly() {
  std::vector<std::pair<int, std::vector<int>>> nodes = {{0, {}}};
  for (int n = 1; n < 3000; ++n)
    nodes.push_back({n % 7 + 1, {n - 1}});
  const TaskGraph graph = graphOf(nodes);
  QCOMPARE(textOf(findRepeats(graph)), std::string("428x7"));
}

void TaskGraphTest::layoutInputIsAsExpected() {
  const TaskGraph graph = taskGraph(optimisedPartition(tinyResnet()));
  const std::vector<Repeat> repeats = {{2, 1, 2}};
  const std::string text = layoutInput(graph, drawnGraph(graph, {}, {})) +
                           layoutInput(graph, drawnGraph(graph, repeats, {true}));
  const QString path = QStringLiteral(NESTWRIGHT_TEST_DATA "/tiny_resnet.layout.dot");
  if (qEnvironmentVariableIsSet("NESTWRIGHT_WRITE_GOLDEN")) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.c_str());
  }
  QFile file(path);
  QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
  QCOMPARE(QString::fromStdString(text), QString::fromUtf8(file.readAll()));
}

NW_TEST_APPLESS(TaskGraphTest)

} // namespace nestwright::task_graph_test

#include "task_graph.moc"
