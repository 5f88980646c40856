/// The view that draws networks, driven as a person drives it.

#include "ui/task_graph/task_graph_view.h"

#include "core/record/store/record_rows.h"
#include "core/session/run/session.h"
#include "core/target/target.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/network_sample.h"
#include "ui/document/note_book.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colour_map.h"
#include "ui/kit/format.h"
#include "ui/task_graph/mini_map.h"
#include "ui/task_graph/node_pane.h"
#include "ui/task_graph/task_graph_canvas.h"
#include "ui/task_graph/task_graph_model.h"
#include "ui/window/main_window.h"

#include <fmt/format.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright::task_graph_view_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

void openDocument(Document& document, const QString& path) {
  document.open(path);
  QTRY_COMPARE_WITH_TIMEOUT(document.state(), DocumentState::Ready, 10'000);
  QTRY_VERIFY_WITH_TIMEOUT(!document.session().historyLoading(), 30'000);
}

/// Shows the view and waits for its answer.
void await(TaskGraphView& view) {
  view.resize(1000, 700);
  view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  QTRY_VERIFY_WITH_TIMEOUT(!view.isLoading(), 30'000);
}

/// The view of a new session's network.
struct ShownGraph {
  NetworkSample sample;
  Document document;
  TaskGraphView view{document};

  explicit ShownGraph(const std::vector<std::string>& subjects) : sample(subjects) {
    openDocument(document, sample.path);
    await(view);
  }
  TaskGraphCanvas& canvas() { return *view.canvas(); }
};

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

class TaskGraphViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void colourMapIsOrdered_data();
  void colourMapIsOrdered();
  void measuresAddUp();
  void nodesNameTheDefinitionThatRuns();
  void viewDrawsSelectsAndOpens();
  void nodesCarryNotes();
  void clickedNodesTellWhatTheyAre();
  void nothingIsToldOfAnotherGraph();
  void whoSelectsElsewhereAskedForNoNode();
  void edgesTellWhatFlows();
  void keysWalkAlongEdges();
  void blocksUnfold();
  void searchFindsAsOneTypes();
  void cameraMoves();
  void pansAndZoomsFluidly();
  void severalNetworksAreChosen();
  void operatorShowsItsStages();
  void withoutDotThereIsATable();
  void lostNetworkFallsBackToItsTasks();
  void tableIsATwin();
  void pictureIsExported();
};

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
  for (const GraphMeasure measure : kGraphMeasures)
    for (const GraphMeasure other : kGraphMeasures) {
      const GraphValues direct = graphValues(document, 0, source->graph, measure);
      const GraphValues by = measuredBy(graphValues(document, 0, source->graph, other), measure);
      QCOMPARE(by.measure, measure);
      QCOMPARE(by.top, direct.top);
      for (std::size_t i = 0; i < direct.tasks.size(); ++i) {
        QCOMPARE(by.tasks[i].value, direct.tasks[i].value); // NaN equals NaN
        QCOMPARE(by.tasks[i].fraction, direct.tasks[i].fraction);
      }
    }
  QCOMPARE(measureText(GraphMeasure::SpeedUp, 12.4), QStringLiteral("12.4×"));
}

/// Of an operator with several definitions the fastest one runs, and its node says which that is.
void TaskGraphViewTest::nodesNameTheDefinitionThatRuns() {
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("alternatives.nwdb"));
  {
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    SessionConfig config;
    config.subjects = {"resnet18"};
    config.alternatives = "all";
    Record record;
    record.session = createSession(store, config, hostTarget(2));
    record.verified = true;
    record.result.verdict = Verdict::Ok;
    for (const TaskRow& task : store.sessions().tasks(record.session)) {
      record.task = task.id;
      record.program = fmt::format("{:032}", ++record.trial);
      record.result.seconds = {1e-3 / double(record.trial)}; // what comes later is faster
      store.tasks().setNaiveSeconds(task.id, 1);
      store.records().add(record);
    }
  }
  Document document;
  openDocument(document, path);
  TaskGraphView view(document);
  await(view);
  QTRY_VERIFY_WITH_TIMEOUT(view.canvas()->scene().picture, 20'000);
  const GraphScene& scene = view.canvas()->scene();
  int several = 0;
  for (int n = 0; n < static_cast<int>(scene.picture->drawn.nodes.size()); ++n) {
    const GraphTask* task = scene.task(n);
    if (!task) continue;
    const TaskEntry* entry = document.session().task(task->task);
    QVERIFY(entry);
    QCOMPARE(task->definition, QString::fromStdString(entry->alternative));
    const QString told = describe(scene, n);
    QCOMPARE(told.contains(QStringLiteral("runs as ")), !entry->alternative.empty());
    if (entry->alternative.empty()) continue;
    ++several;
    QCOMPARE(task->definition, QStringLiteral("winograd F(4,3)"));
    QVERIFY2(told.contains(QStringLiteral("runs as winograd F(4,3), the fastest of: direct ")),
             qPrintable(told));
    // Its node is found by each of its definitions' tasks.
    const TaskGraphModel& model = *view.model();
    QVERIFY(model.rowOf(entry->row.id) >= 0);
    QCOMPARE(model.rowOf(entry->definition), model.rowOf(entry->row.id));
  }
  QVERIFY(several > 2);
}

void TaskGraphViewTest::viewDrawsSelectsAndOpens() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  ShownGraph shown({"resnet18"});
  Document& document = shown.document;
  TaskGraphView& view = shown.view;
  TaskGraphCanvas& canvas = shown.canvas();
  QVERIFY2(canvas.scene().picture, qPrintable(view.message()));
  QVERIFY(view.message().isEmpty());
  QVERIFY(canvas.isFitted());
  QVERIFY(canvas.seen().contains(QRectF(QPointF(), canvas.scene().layout().size)));

  const RowId task = document.session().tasks()[5].row.id;
  const int node = nodeOf(canvas, task);
  QVERIFY(node >= 0);
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, middleOf(canvas, node));
  QCOMPARE(document.selection().current().task, task);
  QCOMPARE(canvas.scene().focus, node);
  QSignalSpy opened(&view, &TaskGraphView::taskOpened);
  QTest::mouseDClick(&canvas, Qt::LeftButton, {}, middleOf(canvas, node));
  QCOMPARE(opened.size(), 1);
  QCOMPARE(opened[0][0].value<RowId>(), task);

  // What is selected elsewhere is gone to when it is out of sight.
  const RowId other = document.session().tasks().back().row.id;
  const int there = nodeOf(canvas, other);
  canvas.zoomAt(QPointF(0, 0), 20);
  canvas.panBy(QPointF(5000, 5000));
  const QRectF rect = canvas.scene().layout().nodes[static_cast<std::size_t>(there)];
  QVERIFY(!canvas.seen().contains(rect.center()));
  document.selection().selectTask(other);
  QTRY_VERIFY(canvas.seen().contains(rect.center()));
  QCOMPARE(canvas.scene().selectedTask, other);
}

void TaskGraphViewTest::nodesCarryNotes() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  const NetworkSample sample({"resnet18"});
  Document document;
  TaskGraphView view(document);
  view.resize(900, 700);
  view.show();
  openDocument(document, sample.path);
  QTRY_VERIFY_WITH_TIMEOUT(view.canvas()->scene().picture, 20'000);
  const RowId task = document.session().tasks()[2].row.id;
  const int node = nodeOf(*view.canvas(), task);
  QVERIFY(node >= 0);
  QVERIFY(!describe(view.canvas()->scene(), node).contains(QStringLiteral("fits L1")));
  const QImage before = view.canvas()->grab().toImage();
  document.notes().set({NoteAbout::Task, task}, {"fits L1", true, 0});
  QTRY_VERIFY(describe(view.canvas()->scene(), node).endsWith(QStringLiteral("\n★ fits L1")));
  QCOMPARE(view.canvas()->scene().task(node)->sign, QStringLiteral("★ "));
  QVERIFY(view.canvas()->grab().toImage() != before);
}

/// A drawn node whose title begins so, or -1.
int titled(const TaskGraphCanvas& canvas, const char* start) {
  for (int n = 0; n < static_cast<int>(canvas.scene().picture->drawn.nodes.size()); ++n)
    if (canvas.scene().node(n).title.starts_with(start)) return n;
  return -1;
}

void clickRow(QTableView& table, int row) {
  const QRect cell = table.visualRect(table.model()->index(row, 0));
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell.center());
}

/// As in Netron: a click on a node, and its attributes stand beside the drawing.
void TaskGraphViewTest::clickedNodesTellWhatTheyAre() {
  ShownGraph shown({"resnet18"});
  TaskGraphCanvas& canvas = shown.canvas();
  NodePane* pane = shown.view.details();
  QVERIFY(pane->isHidden()); // until there is something to say
  const int conv = titled(canvas, "Conv 7x7/2");
  QVERIFY(conv >= 0);
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, middleOf(canvas, conv));
  // A second click would meet what the first one met: only then does the drawing make room.
  QVERIFY(pane->isHidden());
  QTRY_VERIFY(pane->isVisible());
  const QString text = pane->text();
  for (const char* part :
       {"Conv 7x7/2 3→64", "kernel: 7, 7", "strides: 2, 2", "pads: 3, 3", "layout: channels last",
        "1x224x224x3 float32, 588 KiB", ", constant", "why here: It does the work of this kernel",
        "Relu", "Ends here: MaxPool"})
    QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
  QVERIFY2(
      text.contains(QStringLiteral("Computes: %1").arg(flopsText(canvas.scene().node(conv).flops))),
      qPrintable(text));
  // Another node at once.
  const int pool = titled(canvas, "MaxPool");
  QVERIFY(pool >= 0);
  canvas.setFocusNode(pool, true);
  QTRY_VERIFY(pane->text().contains(QStringLiteral("kernel: 3, 3")));
  QCOMPARE(pane->node(), canvas.scene().picture->drawn.nodes[std::size_t(pool)]);
  // Closed, it stays closed, also in another run; the button brings it back.
  auto* close = pane->findChild<QToolButton*>();
  QVERIFY(close != nullptr);
  close->click();
  QVERIFY(pane->isHidden());
  canvas.setFocusNode(conv, true);
  QTest::qWait(QApplication::doubleClickInterval() + 100);
  QVERIFY(pane->isHidden());
  QCOMPARE(shown.view.viewState().at("details").get<bool>(), false);
  QToolButton* details = nullptr;
  for (QToolButton* button : shown.view.findChildren<QToolButton*>())
    if (button->text() == QLatin1String("Details")) details = button;
  QVERIFY(details != nullptr && !details->isChecked());
  details->click();
  QVERIFY(pane->isVisible());
  // The table's rows are the same nodes.
  shown.view.setTableShown(true);
  clickRow(*shown.view.table(), 0);
  QTRY_VERIFY(pane->text().startsWith(QStringLiteral("Input ")));
}

/// Neither while another one is laid out nor once its document is closed.
void TaskGraphViewTest::nothingIsToldOfAnotherGraph() {
  ShownGraph shown({"resnet18"});
  TaskGraphCanvas& canvas = shown.canvas();
  NodePane* pane = shown.view.details();
  const int conv = titled(canvas, "Conv 7x7/2");
  QVERIFY(conv >= 0);
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, middleOf(canvas, conv));
  QTRY_VERIFY(pane->isVisible());
  const NetworkSample other({"resnet18"});
  bool wasEmpty = false; // a moment that is over before one who polls has seen it
  QObject watch;
  connect(&shown.document, &Document::stateChanged, &watch,
          [&] { wasEmpty = wasEmpty || (canvas.scene().isEmpty() && pane->isHidden()); });
  shown.document.open(other.path);
  QTRY_VERIFY(wasEmpty);
  QTRY_VERIFY_WITH_TIMEOUT(!canvas.scene().isEmpty(), 20'000);
  QVERIFY(pane->isHidden());
  // Nor of the node that was clicked just before.
  canvas.setFocusNode(titled(canvas, "MaxPool"), true);
  shown.document.close();
  QTRY_COMPARE(shown.document.state(), DocumentState::Empty);
  QTest::qWait(QApplication::doubleClickInterval() + 100);
  QVERIFY(pane->isHidden());
  QCOMPARE(pane->node(), -1);
}

void TaskGraphViewTest::whoSelectsElsewhereAskedForNoNode() {
  ShownGraph shown({"resnet18"});
  TaskGraphView& view = shown.view;
  view.setTableShown(true);
  view.search()->setFocus();
  const RowId task = shown.document.session().tasks().front().row.id;
  shown.document.selection().selectTask(task);
  QCOMPARE(view.table()->currentIndex().data(TaskRole).toLongLong(), task);
  QTest::qWait(50);
  QVERIFY(view.details()->isHidden());
  QCOMPARE(view.details()->node(), -1);
}

void TaskGraphViewTest::edgesTellWhatFlows() {
  ShownGraph shown({"resnet18"});
  TaskGraphCanvas& canvas = shown.canvas();
  const GraphScene& scene = canvas.scene();
  const int conv = titled(canvas, "Conv 7x7/2");
  int edge = -1;
  for (int e = 0; e < static_cast<int>(scene.picture->drawn.edges.size()); ++e)
    if (scene.picture->drawn.edges[std::size_t(e)].from == conv) edge = e;
  QVERIFY(edge >= 0);
  const QPointF middle = ui::middleOf(scene.layout().edges[std::size_t(edge)]);
  QCOMPARE(scene.edgeAt(middle, 2), edge);
  QCOMPARE(scene.edgeAt(scene.layout().nodes[std::size_t(conv)].center(), 5), -1);
  QHelpEvent help(QEvent::ToolTip, canvas.toWidget(middle).toPoint(),
                  canvas.mapToGlobal(canvas.toWidget(middle).toPoint()));
  QApplication::sendEvent(&canvas, &help);
  QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("1x112x112x64 float32, 3.1 MiB")));
  // Read from near, the shape stands beside the edge: something is written there.
  canvas.setFocusNode(conv, true);
  canvas.zoomBy(1.2 / canvas.scale());
  QTRY_VERIFY(canvas.scale() > 0.8);
  QTest::qWait(300); // it moves there
  const QPoint beside =
      canvas.toWidget(ui::middleOf(scene.layout().edges[std::size_t(edge)]) + QPointF(5, -7))
          .toPoint();
  const QImage picture = canvas.grab(QRect(beside, QSize(60, 14))).toImage();
  QVERIFY(!picture.isNull());
  std::set<QRgb> inks;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      inks.insert(picture.pixel(x, y));
  QVERIFY2(inks.size() > 4, qPrintable(QString::number(inks.size())));
}

void TaskGraphViewTest::keysWalkAlongEdges() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  ShownGraph shown({"resnet18"});
  Document& document = shown.document;
  TaskGraphCanvas& canvas = shown.canvas();
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
      QCOMPARE(document.selection().current().task, task->task);
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
  ShownGraph shown({"resnet50"});
  TaskGraphView& view = shown.view;
  TaskGraphCanvas& canvas = shown.canvas();
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
  ShownGraph shown({"resnet18"});
  TaskGraphView& view = shown.view;
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
  ShownGraph shown({"resnet18"});
  TaskGraphCanvas& canvas = shown.canvas();
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

/// The largest network, all of its operators unfolded: prints how long a frame of panning and
/// zooming takes to paint. 60 frames a second leave 16.7 ms to each.
void TaskGraphViewTest::pansAndZoomsFluidly() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  ShownGraph shown({"densenet121"});
  TaskGraphCanvas& canvas = shown.canvas();
  canvas.resize(1600, 1000);
  shown.view.setFolded(false);
  QTRY_COMPARE_WITH_TIMEOUT(canvas.scene().picture->drawn.nodes.size(),
                            canvas.scene().picture->source->graph.nodes.size(), 60'000);
  const std::size_t nodes = canvas.scene().picture->drawn.nodes.size();
  canvas.fit();
  std::vector<double> frames;
  const auto frame = [&] {
    QElapsedTimer clock;
    clock.start();
    canvas.repaint();
    frames.push_back(double(clock.nsecsElapsed()) / 1e6);
  };
  for (int i = 0; i < 120; ++i) { // in, to and fro, and out again
    if (i < 40)
      canvas.zoomBy(1.07);
    else if (i < 80)
      canvas.panBy(QPointF(i % 20 < 10 ? 25 : -25, 9));
    else
      canvas.zoomBy(1 / 1.07);
    frame();
  }
  std::ranges::sort(frames);
  qInfo(
      "%d nodes, %dx%d pixels: a frame takes %.2f ms (median), %.2f ms (95th percentile), %.2f ms "
      "(longest); 16.7 ms are 60 frames a second",
      int(nodes), canvas.width(), canvas.height(), frames[frames.size() / 2],
      frames[frames.size() * 95 / 100], frames.back());
  QVERIFY2(nodes >= 150, qPrintable(QString::number(nodes)));
}

void TaskGraphViewTest::severalNetworksAreChosen() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  ShownGraph shown({"resnet18", "bert_tiny"});
  TaskGraphView& view = shown.view;
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
  ShownGraph shown({"conv2d:n=1,h=14,w=14,ci=8,co=8,k=3,s=1,p=1,relu=1"});
  TaskGraphView& view = shown.view;
  QVERIFY2(view.canvas()->scene().picture, qPrintable(view.message()));
  QVERIFY(!view.canvas()->scene().picture->source->isNetwork);
  QVERIFY(nodeOf(*view.canvas(), shown.document.session().tasks()[0].row.id) >= 0);
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
  document.selection().selectTask(sample->tasks[1]);
  QCOMPARE(view.table()->currentIndex().data(TaskRole).toLongLong(), sample->tasks[1]);
  view.table()->selectRow(2);
  QCOMPARE(document.selection().current().task, sample->tasks[2]);
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
    shares += model.index(row, TaskGraphModel::Time).data(ExportRole).toDouble() * (3 - row);
  QVERIFY(std::abs(shares - 1) < 1e-9);
  QVERIFY(model.index(0, TaskGraphModel::SpeedUp).data().toString().endsWith(QChar(0x00d7)));
  for (int column = 0; column < TaskGraphModel::ColumnCount; ++column) {
    QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    QVERIFY(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().size() > 20);
  }
}

void TaskGraphViewTest::pictureIsExported() {
  if (!hasDot()) QSKIP("Graphviz's dot is not installed");
  ShownGraph shown({"resnet18"});
  TaskGraphView& view = shown.view;
  const Exports exports = view.exports();
  QVERIFY(exports.size.width() > 300 && exports.draw && exports.table);
  const QImage image = pictureOf(exports);
  std::set<QRgb> inked;
  for (int y = 0; y < image.height(); y += 3)
    for (int x = 0; x < image.width(); x += 3)
      inked.insert(image.pixel(x, y));
  QVERIFY(inked.size() > 30);
  QVERIFY(!inked.contains(kBlank.rgb()));
}

NW_TEST_GUI(TaskGraphViewTest)

} // namespace nestwright::task_graph_view_test

#include "task_graph_view.moc"
