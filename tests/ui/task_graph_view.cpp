/// The drawing of networks: layouts from dot, kept in the document, in columns; and the view that
/// shows them, driven as a person drives it.

#include "ui/task_graph_view.h"

#include "core/network/graph_layout_input.h"
#include "core/network/workloads.h"
#include "core/network/zoo.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/ui/fixture.h"
#include "ui/colour_map.h"
#include "ui/graph_columns.h"
#include "ui/main_window.h"
#include "ui/mini_map.h"
#include "ui/task_graph_canvas.h"
#include "ui/task_graph_model.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTest>

#include <cmath>
#include <set>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

namespace {

const std::atomic<bool> kGoOn = false;

bool hasDot() {
  return !QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty();
}

FoldableGraphPtr graphOf(const char* network) {
  GraphRequest request;
  request.network = network;
  return buildGraph(request);
}

/// A document with a session over these subjects, as a session is made, without measuring.
struct NetworkSample {
  QTemporaryDir folder;
  QString path;
  RowId session = 0;

  explicit NetworkSample(const std::vector<std::string>& subjects) {
    path = folder.filePath(QStringLiteral("network.nwdb"));
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    store.transaction([&] { fill(store, subjects); });
  }

 private:
  void fill(RecordStore& store, const std::vector<std::string>& subjects) {
    const RowId target = store.addTarget({0, "test", "llvm -keys=cpu -num-cores=2", "{}"});
    std::vector<SessionNetwork> networks;
    std::vector<RowId> all;
    for (const std::string& subject : subjects)
      networks.push_back(addNetwork(store, subject, target, all));
    SessionConfig config;
    config.subjects = subjects;
    SessionRow row;
    row.network = networks[0].network, row.title = "networks";
    row.config = toJson(config).dump();
    session = store.addSession(row);
    store.setSessionTasks(session, all);
    store.setSessionNetworks(session, networks);
  }

  static SessionNetwork addNetwork(RecordStore& store, const std::string& subject, RowId target,
                                   std::vector<RowId>& all) {
    const bool isNetwork = !isTaskSpec(subject);
    SessionNetwork network{0, subject, {}};
    if (isNetwork) network.network = store.addNetwork({0, subject, subject});
    std::vector<Task> tasks;
    if (isNetwork)
      tasks = partitionForCpu(parseNetworkSpec(subject)).tasks;
    else
      tasks.push_back({"", parseTaskSpec(subject).dag, 1, subject, 0, true});
    int index = 0;
    for (const Task& task : tasks) {
      if (!task.tunable) continue;
      const RowId id =
          store.addTask({0, network.network, target, index++, workloadKey(task.dag),
                         task.description, print(task.dag), double(task.weight), flops(task.dag)});
      store.setNaiveSeconds(id, 1e-3 * index);
      network.weights.push_back({id, double(task.weight)});
      if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
    }
    return network;
  }
};

void openDocument(Document& document, const QString& path) {
  document.open(path);
  QTRY_COMPARE_WITH_TIMEOUT(document.state(), DocumentState::Ready, 10'000);
  QTRY_VERIFY_WITH_TIMEOUT(!document.historyLoading(), 30'000);
}

/// Shows the view and waits for its answer.
void await(TaskGraphView& view) {
  view.resize(1000, 700);
  view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  QTRY_VERIFY_WITH_TIMEOUT(!view.isLoading(), 30'000);
}

QPoint middleOf(const TaskGraphCanvas& canvas, int node) {
  const QRectF rect = canvas.scene().layout().nodes[static_cast<std::size_t>(node)];
  return canvas.toWidget(rect.center()).toPoint();
}

/// A drawn node of a task, or -1.
int nodeOf(const TaskGraphCanvas& canvas, RowId task) {
  for (int n = 0; n < static_cast<int>(canvas.scene().picture->drawn.nodes.size()); ++n)
    if (const GraphTask* own = canvas.scene().task(n); own && own->task == task) return n;
  return -1;
}

} // namespace

class TaskGraphViewTest : public QObject {
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
  void colourMapIsOrdered_data();
  void colourMapIsOrdered();
  void measuresAddUp();
  void viewDrawsSelectsAndOpens();
  void keysWalkAlongEdges();
  void blocksUnfold();
  void searchFindsAsOneTypes();
  void cameraMoves();
  void severalNetworksAreChosen();
  void operatorShowsItsStages();
  void withoutDotThereIsATable();
  void lostNetworkFallsBackToItsTasks();
  void tableIsATwin();
  void pictureIsExported();
};

void TaskGraphViewTest::dotLaysOut_data() {
  QTest::addColumn<QString>("network");
  for (const char* name : {"resnet18", "mobilenet_v2", "inception_v3", "bert_base", "densenet121"})
    QTest::newRow(name) << name;
}

void TaskGraphViewTest::dotLaysOut() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  QFETCH(QString, network);
  const FoldableGraphPtr source = graphOf(network.toUtf8());
  const DrawnGraph drawn =
      drawnGraph(source->graph, source->repeats, std::vector<bool>(source->repeats.size(), false));
  const std::string text = layoutInput(source->graph, drawn);
  const GraphLayout layout = parseDotJson(runDot(text, {}, kGoOn), drawn);
  const QRectF all(QPointF(), layout.size);
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    QVERIFY(all.adjusted(-1, -1, 1, 1).contains(layout.nodes[n]));
    const BoxSize box = boxSize(source->graph.nodes[static_cast<std::size_t>(drawn.nodes[n])]);
    QVERIFY(std::abs(layout.nodes[n].width() - box.width) < 0.5);
    for (std::size_t m = 0; m < n; ++m)
      QVERIFY(!layout.nodes[n].intersects(layout.nodes[m]));
  }
  for (std::size_t e = 0; e < layout.edges.size(); ++e) {
    const auto touches = [&](int node, const QPointF& end) {
      return layout.nodes[static_cast<std::size_t>(node)].adjusted(-3, -3, 3, 3).contains(end);
    };
    QVERIFY(touches(drawn.edges[e].from, layout.edges[e].first()));
    QVERIFY(touches(drawn.edges[e].to, layout.edges[e].last()));
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

void TaskGraphViewTest::columnsKeepEverything_data() {
  dotLaysOut_data();
}

void TaskGraphViewTest::columnsKeepEverything() {
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
    const QRectF all = QRectF(QPointF(), columns.size).adjusted(-1, -1, 1, 1);
    for (std::size_t n = 0; n < columns.nodes.size(); ++n) {
      QVERIFY(all.contains(columns.nodes[n]));
      QCOMPARE(columns.nodes[n].size(), layout.nodes[n].size());
      for (std::size_t m = 0; m < n; ++m)
        QVERIFY(!columns.nodes[n].intersects(columns.nodes[m]));
    }
    for (std::size_t e = 0; e < columns.edges.size(); ++e) {
      const auto touches = [&](int node, const QPointF& end) {
        return columns.nodes[static_cast<std::size_t>(node)].adjusted(-3, -3, 3, 3).contains(end);
      };
      QVERIFY(touches(drawn.edges[e].from, columns.edges[e].first()));
      QVERIFY(touches(drawn.edges[e].to, columns.edges[e].last()));
      // It goes all the way: no stretch of it jumps across the drawing.
      for (const QPointF& point : columns.edges[e])
        QVERIFY(all.adjusted(-20, -20, 20, 20).contains(point));
    }
  }
}

void TaskGraphViewTest::missingDotIsSaid() {
  try {
    runDot("digraph {}", {QStringLiteral("/nowhere/dot")}, kGoOn);
    QFAIL("a program that is not there ran");
  } catch (const LayoutError& problem) {
    QCOMPARE(problem.kind(), LayoutError::Kind::Missing);
    QVERIFY(QString::fromUtf8(problem.what()).contains(QStringLiteral("apt install graphviz")));
  }
}

namespace {

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

} // namespace

void TaskGraphViewTest::slowDotIsEnded() {
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

void TaskGraphViewTest::failingDotIsSaid() {
  const QTemporaryDir folder;
  try {
    runDot("digraph {}", {scriptIn(folder, "echo 'syntax error near x' >&2; exit 1\n")}, kGoOn);
    QFAIL("it did not fail");
  } catch (const LayoutError& problem) {
    QCOMPARE(problem.kind(), LayoutError::Kind::Failed);
    QVERIFY(QString::fromUtf8(problem.what()).contains(QStringLiteral("syntax error near x")));
  }
}

void TaskGraphViewTest::cancelledDotEnds() {
  const QTemporaryDir folder;
  const std::atomic<bool> cancelled = true;
  try {
    runDot("digraph {}", {scriptIn(folder, "exec sleep 600\n")}, cancelled);
    QFAIL("it was waited for");
  } catch (const LayoutError& problem) {
    QCOMPARE(problem.kind(), LayoutError::Kind::Cancelled);
  }
}

void TaskGraphViewTest::brokenAnswersAreRefused_data() {
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

void TaskGraphViewTest::brokenAnswersAreRefused() {
  QFETCH(QByteArray, answer);
  DrawnGraph drawn;
  drawn.nodes = drawn.drawnAs = {0};
  drawn.copies = {1};
  QVERIFY_THROWS_EXCEPTION(LayoutError, parseDotJson(answer.toStdString(), drawn));
  QVERIFY_THROWS_EXCEPTION(LayoutError, layoutFromBytes(answer.toStdString(), drawn));
}

void TaskGraphViewTest::layoutIsKeptInTheDocument() {
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

void TaskGraphViewTest::colourMapIsOrdered_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("light") << false;
  QTest::newRow("dark") << true;
}

// Lightness alone tells the order, and texts can be read on every colour of it.
void TaskGraphViewTest::colourMapIsOrdered() {
  QFETCH(bool, dark);
  double last = dark ? 0 : 1;
  for (int i = 0; i <= 100; ++i) {
    const QColor colour = mapColour(i / 100.0, dark);
    const double light = luminance(colour);
    QVERIFY(dark ? light >= last : light <= last);
    last = light;
    const double text = luminance(textOn(colour));
    const double contrast = (std::max(text, light) + 0.05) / (std::min(text, light) + 0.05);
    QVERIFY2(contrast >= 4, qPrintable(QString::number(contrast)));
  }
  QCOMPARE(mapColour(7, dark), mapColour(1, dark));
  QCOMPARE(mapColour(-1, dark), mapColour(0, dark));
}

void TaskGraphViewTest::measuresAddUp() {
  const NetworkSample sample({"resnet18"});
  Document document;
  openDocument(document, sample.path);
  const FoldableGraphPtr source = graphOf("resnet18");
  const GraphValues time = graphValues(document, 0, source->graph, GraphMeasure::Time);
  double total = 0, top = 0;
  for (const TaskGraphNode& node : source->graph.nodes) {
    if (node.task < 0) continue;
    const GraphTask& task = time.tasks[static_cast<std::size_t>(node.task)];
    QCOMPARE(task.task != 0, node.tunable);
    if (!task.task) continue;
    total += task.value;
    top = std::max(top, task.fraction);
  }
  QVERIFY(std::abs(total - 1) < 1e-9);
  QCOMPARE(top, 1.0);
  // Nothing was measured yet: no number, and that is said.
  const GraphValues trials = graphValues(document, 0, source->graph, GraphMeasure::Trials);
  QVERIFY(std::isnan(trials.tasks[0].value));
  QCOMPARE(measureText(GraphMeasure::Trials, trials.tasks[0].value), QStringLiteral("–"));
  QCOMPARE(measureText(GraphMeasure::SpeedUp, 12.4), QStringLiteral("12.4×"));
}

void TaskGraphViewTest::viewDrawsSelectsAndOpens() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  TaskGraphCanvas& canvas = *view.canvas();
  QVERIFY2(canvas.scene().picture, qPrintable(view.message()));
  QVERIFY(view.message().isEmpty());
  QVERIFY(canvas.isFitted());
  QVERIFY(canvas.seen().contains(QRectF(QPointF(), canvas.scene().layout().size)));

  const RowId task = document.tasks()[5].row.id;
  const int node = nodeOf(canvas, task);
  QVERIFY(node >= 0);
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, middleOf(canvas, node));
  QCOMPARE(document.selection().task, task);
  QCOMPARE(canvas.scene().focus, node);
  QSignalSpy opened(&view, &TaskGraphView::taskOpened);
  QTest::mouseDClick(&canvas, Qt::LeftButton, {}, middleOf(canvas, node));
  QCOMPARE(opened.size(), 1);
  QCOMPARE(opened[0][0].value<RowId>(), task);

  // What is selected elsewhere is gone to when it is out of sight.
  const RowId other = document.tasks().back().row.id;
  const int there = nodeOf(canvas, other);
  canvas.zoomAt(QPointF(0, 0), 20);
  canvas.panBy(QPointF(5000, 5000));
  const QRectF rect = canvas.scene().layout().nodes[static_cast<std::size_t>(there)];
  QVERIFY(!canvas.seen().contains(rect.center()));
  document.selectTask(other);
  QTRY_VERIFY(canvas.seen().contains(rect.center()));
  QCOMPARE(canvas.scene().selectedTask, other);
}

void TaskGraphViewTest::keysWalkAlongEdges() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  TaskGraphCanvas& canvas = *view.canvas();
  const auto& drawn = canvas.scene().picture->drawn;
  canvas.setFocusNode(0, false);
  std::set<int> seen{0};
  for (int step = 0; step < 100; ++step) {
    const int before = canvas.scene().focus;
    QTest::keyClick(&canvas, Qt::Key_Down);
    const int after = canvas.scene().focus;
    if (after == before) break;
    QVERIFY(std::find(drawn.edges.begin(), drawn.edges.end(), DrawnGraph::Edge{before, after}) !=
            drawn.edges.end());
    seen.insert(after);
    if (const GraphTask* task = canvas.scene().task(after))
      QCOMPARE(document.selection().task, task->task);
  }
  // From the input to the output, without skipping blocks.
  QCOMPARE(canvas.scene().node(canvas.scene().focus).kind, TaskGraphNode::Kind::Output);
  QVERIFY(seen.size() > drawn.nodes.size() / 2);
  for (int step = 0; step < 100; ++step)
    QTest::keyClick(&canvas, Qt::Key_Up);
  QCOMPARE(canvas.scene().node(canvas.scene().focus).kind, TaskGraphNode::Kind::Input);
}

void TaskGraphViewTest::blocksUnfold() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet50"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  TaskGraphCanvas& canvas = *view.canvas();
  const std::size_t folded = canvas.scene().picture->drawn.nodes.size();
  QCOMPARE(canvas.scene().picture->drawn.frames.size(), std::size_t(4));
  // The badge of the stage with five blocks of three.
  const GraphLayout::Frame& frame = canvas.scene().layout().frames[2];
  QCOMPARE(frame.frame, 2);
  QTest::mouseClick(&canvas, Qt::LeftButton, {},
                    canvas.toWidget(badgeRect(frame).center()).toPoint());
  QTRY_COMPARE(canvas.scene().picture->drawn.nodes.size(), folded + 12);
  // Space at one of its nodes folds it again.
  canvas.setFocusNode(canvas.scene().picture->drawn.frames[2].nodes[7], false);
  QTest::keyClick(&canvas, Qt::Key_Space);
  QTRY_COMPARE(canvas.scene().picture->drawn.nodes.size(), folded);
  QVERIFY(canvas.scene().focus >= 0);
  view.setFolded(false);
  QTRY_COMPARE(canvas.scene().picture->drawn.nodes.size(),
               canvas.scene().picture->source->graph.nodes.size());
  view.setFolded(true);
  QTRY_COMPARE(canvas.scene().picture->drawn.nodes.size(), folded);
}

void TaskGraphViewTest::searchFindsAsOneTypes() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  const auto marked = [&] {
    const auto& matches = view.canvas()->scene().matches;
    return std::count(matches.begin(), matches.end(), true);
  };
  QTest::keyClicks(view.search(), QStringLiteral("maxpool"));
  QCOMPARE(marked(), 1);
  QTest::keyClick(view.search(), Qt::Key_Return);
  const int pool = view.canvas()->scene().focus;
  QVERIFY(view.canvas()->scene().texts[static_cast<std::size_t>(pool)].title.contains("MaxPool"));
  QTRY_VERIFY(view.canvas()->seen().contains(
      view.canvas()->scene().layout().nodes[static_cast<std::size_t>(pool)].center()));
  view.search()->clear();
  QVERIFY(view.canvas()->scene().matches.empty());
  view.search()->setText(QStringLiteral("conv 3x3 64→64"));
  QVERIFY(marked() >= 2);
  QTest::keyClick(view.search(), Qt::Key_Return);
  const int first = view.canvas()->scene().focus;
  QTest::keyClick(view.search(), Qt::Key_Return);
  QVERIFY(view.canvas()->scene().focus != first);
  QTest::keyClick(view.search(), Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(view.canvas()->scene().focus, first);
  view.search()->setText(QStringLiteral("nothing of the kind"));
  QCOMPARE(marked(), 0);
  QTest::keyClick(view.search(), Qt::Key_Escape);
  QVERIFY(view.search()->text().isEmpty());
}

void TaskGraphViewTest::cameraMoves() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  TaskGraphCanvas& canvas = *view.canvas();
  const double fitted = canvas.scale();
  const QPointF corner(100, 100), fixed = canvas.toDrawing(corner);
  canvas.zoomAt(corner, 3);
  QVERIFY(std::abs(canvas.scale() - 3 * fitted) < 1e-9);
  QVERIFY((canvas.toDrawing(corner) - fixed).manhattanLength() < 1e-6);
  QVERIFY(!canvas.miniMap()->isHidden());
  QTest::mouseClick(canvas.miniMap(), Qt::LeftButton, {}, canvas.miniMap()->rect().center());
  const QSizeF all = canvas.scene().layout().size;
  QVERIFY((canvas.centre() - QPointF(all.width(), all.height()) / 2).manhattanLength() <
          all.width() / 20);
  const QPointF before = canvas.centre();
  QTest::mousePress(&canvas, Qt::LeftButton, {}, QPoint(300, 300));
  QTest::mouseMove(&canvas, QPoint(330, 320));
  QTest::mouseMove(&canvas, QPoint(350, 330));
  QTest::mouseRelease(&canvas, Qt::LeftButton, {}, QPoint(350, 330));
  const QPointF moved = (before - canvas.centre()) * canvas.scale();
  QVERIFY((moved - QPointF(50, 30)).manhattanLength() < 1);
  QTest::keyClick(&canvas, Qt::Key_0);
  QCOMPARE(canvas.scale(), fitted);
  QVERIFY(canvas.miniMap()->isHidden());
  QTest::keyClick(&canvas, Qt::Key_Plus);
  QVERIFY(canvas.scale() > fitted);
}

void TaskGraphViewTest::severalNetworksAreChosen() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18", "bert_tiny"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  QCOMPARE(view.networks()->count(), 2);
  QVERIFY(!view.networks()->isHidden());
  QCOMPARE(view.canvas()->scene().picture->source->graph.name, std::string("resnet18"));
  view.networks()->setCurrentIndex(1);
  Q_EMIT view.networks()->activated(1);
  QTRY_VERIFY(view.canvas()->scene().picture);
  QCOMPARE(view.canvas()->scene().picture->source->graph.name, std::string("bert_tiny"));
  // Shares are of the network that is drawn.
  double total = 0;
  for (const GraphTask& task : view.canvas()->scene().values.tasks)
    total += task.task ? task.share * task.weight : 0;
  QVERIFY(std::abs(total - 1) < 1e-9);
}

void TaskGraphViewTest::operatorShowsItsStages() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"conv2d:n=1,h=14,w=14,ci=8,co=8,k=3,s=1,p=1,relu=1"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  QVERIFY2(view.canvas()->scene().picture, qPrintable(view.message()));
  QVERIFY(!view.canvas()->scene().picture->source->isNetwork);
  QVERIFY(nodeOf(*view.canvas(), document.tasks()[0].row.id) >= 0);
}

void TaskGraphViewTest::withoutDotThereIsATable() {
  const NetworkSample sample({"resnet18"});
  Document document;
  TaskGraphView view(document);
  view.loader().setProcess({QStringLiteral("/nowhere/dot")});
  openDocument(document, sample.path);
  await(view);
  QVERIFY(view.message().contains(QStringLiteral("graphviz")));
  QVERIFY(view.isTableShown());
  // The table still tells the whole graph.
  QVERIFY(view.model()->rowCount() > 20);
  QVERIFY(!view.model()->index(5, TaskGraphModel::Reads).data().toString().isEmpty());
  QVERIFY(view.exports().table);
}

void TaskGraphViewTest::lostNetworkFallsBackToItsTasks() {
  const auto sample = makeSample(60); // its network is no network of the zoo
  Document document;
  TaskGraphView view(document);
  openSample(document, *sample);
  await(view);
  QVERIFY2(view.message().contains(QStringLiteral("sample:batch=1")), qPrintable(view.message()));
  QVERIFY(view.isTableShown());
  QCOMPARE(view.model()->rowCount(), 3);
  document.selectTask(sample->tasks[1]);
  QCOMPARE(view.table()->currentIndex().data(TaskGraphModel::TaskRole).toLongLong(),
           sample->tasks[1]);
  view.table()->selectRow(2);
  QCOMPARE(document.selection().task, sample->tasks[2]);
}

void TaskGraphViewTest::tableIsATwin() {
  const auto sample = makeSample(60);
  Document document;
  TaskGraphModel model(document);
  QAbstractItemModelTester tester(&model);
  openSample(document, *sample);
  model.setGraph(nullptr, 0);
  QCOMPARE(model.rowCount(), 3);
  double shares = 0;
  for (int row = 0; row < 3; ++row)
    shares += model.index(row, TaskGraphModel::Time).data(kExportRole).toDouble() * (3 - row);
  QVERIFY(std::abs(shares - 1) < 1e-9);
  QVERIFY(model.index(0, TaskGraphModel::SpeedUp).data().toString().endsWith(QChar(0x00d7)));
  for (int column = 0; column < TaskGraphModel::ColumnCount; ++column) {
    QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    QVERIFY(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().size() > 20);
  }
}

void TaskGraphViewTest::pictureIsExported() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18"});
  Document document;
  TaskGraphView view(document);
  openDocument(document, sample.path);
  await(view);
  const Exports exports = view.exports();
  QVERIFY(exports.size.width() > 300 && exports.draw && exports.table);
  QImage image(exports.size, QImage::Format_RGB32);
  image.fill(Qt::magenta);
  QPainter painter(&image);
  exports.draw(painter);
  painter.end();
  std::set<QRgb> inked;
  for (int y = 0; y < image.height(); y += 3)
    for (int x = 0; x < image.width(); x += 3)
      inked.insert(image.pixel(x, y));
  QVERIFY(inked.size() > 30);
  QVERIFY(!inked.contains(QColor(Qt::magenta).rgb()));
}

QTEST_MAIN(TaskGraphViewTest)
#include "task_graph_view.moc"
