/// The layouts of networks: from dot, kept in the document, in columns; and what goes wrong with
/// dot.

#include "core/network/partition/graph_layout_input.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/ui/network_sample.h"
#include "ui/task_graph/graph_columns.h"
#include "ui/task_graph/graph_layout.h"
#include "ui/task_graph/graph_loader.h"

#include <QTest>

#include <cmath>

namespace nestwright::task_graph_layout_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

const std::atomic<bool> kGoOn = false;

/// A program that does what the shell script says.
QString scriptIn(const QTemporaryDir& folder, const char* text) {
  const QString path = folder.filePath(QStringLiteral("dot"));
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(QByteArray("#!/bin/sh\n") + text);
  file.close();
  file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  return path;
}

/// Edges begin and end at their nodes.
bool edgesMeetTheirNodes(const GraphLayout& layout, const DrawnGraph& drawn) {
  const auto touches = [&](int node, const QPointF& end) {
    return layout.nodes[static_cast<std::size_t>(node)].adjusted(-3, -3, 3, 3).contains(end);
  };
  for (std::size_t e = 0; e < layout.edges.size(); ++e)
    if (!touches(drawn.edges[e].from, layout.edges[e].first()) ||
        !touches(drawn.edges[e].to, layout.edges[e].last()))
      return false;
  return true;
}

/// Nodes lie within the drawing and apart.
bool nodesHaveTheirPlace(const GraphLayout& layout) {
  const QRectF all = QRectF(QPointF(), layout.size).adjusted(-1, -1, 1, 1);
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    if (!all.contains(layout.nodes[n])) return false;
    for (std::size_t m = 0; m < n; ++m)
      if (layout.nodes[n].intersects(layout.nodes[m])) return false;
  }
  return true;
}

class TaskGraphLayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void dotLaysOut_data();
  void dotLaysOut();
  void columnsKeepEverything_data();
  void columnsKeepEverything();
  void missingDotIsSaid();
  void slowDotIsEnded();
  void failingDotIsSaid();
  void cancelledDotEnds();
  void brokenAnswersAreRefused_data();
  void brokenAnswersAreRefused();
  void layoutIsKeptInTheDocument();
};

void TaskGraphLayoutTest::dotLaysOut_data() {
  QTest::addColumn<QString>("network");
  for (const char* name : {"resnet18", "mobilenet_v2", "inception_v3", "bert_base", "densenet121"})
    QTest::newRow(name) << name;
}

void TaskGraphLayoutTest::dotLaysOut() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  QFETCH(QString, network);
  const FoldableGraphPtr source = graphOf(network.toUtf8());
  const DrawnGraph drawn =
      drawnGraph(source->graph, source->repeats, std::vector<bool>(source->repeats.size(), false));
  const std::string text = layoutInput(source->graph, drawn);
  const GraphLayout layout = parseDotJson(runDot(text, {}, kGoOn), drawn);
  QVERIFY(nodesHaveTheirPlace(layout));
  QVERIFY(edgesMeetTheirNodes(layout, drawn));
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    const BoxSize box = boxSize(source->graph.nodes[static_cast<std::size_t>(drawn.nodes[n])]);
    QVERIFY(std::abs(layout.nodes[n].width() - box.width) < 0.5);
  }
  for (const GraphLayout::Frame& frame : layout.frames)
    for (const int node : drawn.frames[static_cast<std::size_t>(frame.frame)].nodes)
      QVERIFY(frame.rect.contains(layout.nodes[static_cast<std::size_t>(node)]));
  const GraphLayout again = layoutFromBytes(toBytes(layout), drawn);
  QCOMPARE(again.size, layout.size);
  QCOMPARE(again.nodes, layout.nodes);
  QCOMPARE(again.edges.size(), layout.edges.size());
  for (std::size_t e = 0; e < layout.edges.size(); ++e)
    QCOMPARE(again.edges[e].size(), layout.edges[e].size());
}

void TaskGraphLayoutTest::columnsKeepEverything_data() {
  dotLaysOut_data();
}

void TaskGraphLayoutTest::columnsKeepEverything() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  QFETCH(QString, network);
  const FoldableGraphPtr source = graphOf(network.toUtf8());
  for (const bool expanded : {false, true}) {
    const DrawnGraph drawn = drawnGraph(source->graph, source->repeats,
                                        std::vector<bool>(source->repeats.size(), expanded));
    const GraphLayout layout =
        parseDotJson(runDot(layoutInput(source->graph, drawn), {}, kGoOn), drawn);
    double before = std::abs(std::log(layout.size.width() / layout.size.height() / 1.6));
    const GraphLayout columns = inColumns(layout, drawn, 1.6);
    QVERIFY(columns.size.height() < layout.size.height());
    QVERIFY(std::abs(std::log(columns.size.width() / columns.size.height() / 1.6)) < before);
    QCOMPARE(columns.nodes.size(), layout.nodes.size());
    QVERIFY(nodesHaveTheirPlace(columns));
    QVERIFY(edgesMeetTheirNodes(columns, drawn));
    for (std::size_t n = 0; n < columns.nodes.size(); ++n)
      QCOMPARE(columns.nodes[n].size(), layout.nodes[n].size());
    // An edge goes all the way: no stretch of it jumps across the drawing.
    const QRectF around = QRectF(QPointF(), columns.size).adjusted(-21, -21, 21, 21);
    for (const auto& edge : columns.edges)
      for (const QPointF& point : edge)
        QVERIFY(around.contains(point));
  }
}

void TaskGraphLayoutTest::missingDotIsSaid() {
  try {
    runDot("digraph {}", {QStringLiteral("/nowhere/dot")}, kGoOn);
    QFAIL("a program that is not there ran");
  } catch (const LayoutError& problem) {
    QCOMPARE(problem.kind(), LayoutError::Kind::Missing);
    QVERIFY(QString::fromUtf8(problem.what()).contains(QStringLiteral("apt install graphviz")));
  }
}

void TaskGraphLayoutTest::slowDotIsEnded() {
  const QTemporaryDir folder;
  try {
    runDot("digraph {}", {scriptIn(folder, "exec sleep 600\n"), std::chrono::milliseconds(100)},
           kGoOn);
    QFAIL("it was waited for");
  } catch (const LayoutError& problem) {
    QCOMPARE(problem.kind(), LayoutError::Kind::TimeLimit);
    QVERIFY(QString::fromUtf8(problem.what()).contains(QStringLiteral("0.1 s")));
  }
}

void TaskGraphLayoutTest::failingDotIsSaid() {
  const QTemporaryDir folder;
  try {
    runDot("digraph {}", {scriptIn(folder, "echo 'syntax error near x' >&2; exit 1\n")}, kGoOn);
    QFAIL("it did not fail");
  } catch (const LayoutError& problem) {
    QCOMPARE(problem.kind(), LayoutError::Kind::Failed);
    QVERIFY(QString::fromUtf8(problem.what()).contains(QStringLiteral("syntax error near x")));
  }
}

void TaskGraphLayoutTest::cancelledDotEnds() {
  const QTemporaryDir folder;
  const std::atomic<bool> cancelled = true;
  try {
    runDot("digraph {}", {scriptIn(folder, "exec sleep 600\n")}, cancelled);
    QFAIL("it was waited for");
  } catch (const LayoutError& problem) {
    QCOMPARE(problem.kind(), LayoutError::Kind::Cancelled);
  }
}

void TaskGraphLayoutTest::brokenAnswersAreRefused_data() {
  QTest::addColumn<QByteArray>("answer");
  QTest::newRow("nothing") << QByteArray();
  QTest::newRow("no JSON") << QByteArray("Segmentation fault");
  QTest::newRow("empty") << QByteArray("{}");
  QTest::newRow("no nodes") << QByteArray(R"({"bb": "0,0,10,10"})");
  QTest::newRow("another graph") << QByteArray(
      R"({"bb": "0,0,10,10", "objects": [{"name": "n7", "width": "1",
                        "height": "1", "pos": "5,5"}]})");
  QTest::newRow("bad numbers") << QByteArray(
      R"({"bb": "0,0,10,10", "objects": [{"name": "n0", "width": "x",
                        "height": "1", "pos": "5,5"}]})");
}

void TaskGraphLayoutTest::brokenAnswersAreRefused() {
  QFETCH(QByteArray, answer);
  DrawnGraph drawn;
  drawn.nodes = drawn.drawnAs = {0};
  drawn.copies = {1};
  QVERIFY_THROWS_EXCEPTION(LayoutError, parseDotJson(answer.toStdString(), drawn));
  QVERIFY_THROWS_EXCEPTION(LayoutError, layoutFromBytes(answer.toStdString(), drawn));
}

void TaskGraphLayoutTest::layoutIsKeptInTheDocument() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18"});
  const RecordStore store = RecordStore::open(sample.path.toStdString(), OpenMode::ReadOnly);
  GraphRequest request;
  request.network = "resnet18";
  const GraphAnswer first = makePicture(request, store, {}, kGoOn);
  QVERIFY(first.picture && !first.fromDocument);
  // A second time without dot.
  const DotProcess nothing{QStringLiteral("/nowhere/dot")};
  request.source = first.source;
  const GraphAnswer second = makePicture(request, store, nothing, kGoOn);
  QVERIFY(second.picture && second.fromDocument);
  QCOMPARE(second.picture->layout.nodes, first.picture->layout.nodes);
  // Another drawing of the same network is another layout.
  request.expandAll = true;
  const GraphAnswer third = makePicture(request, store, nothing, kGoOn);
  QCOMPARE(third.problem, GraphAnswer::Problem::Missing);
  QVERIFY(third.source && !third.picture);
}

NW_TEST_GUI(TaskGraphLayoutTest)

} // namespace nestwright::task_graph_layout_test

#include "task_graph_layout.moc"
