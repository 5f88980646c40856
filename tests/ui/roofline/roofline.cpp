/// The roofline of a task: what programs move, the roofs, and the path of the best.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/target/bandwidth.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/replaying.h"
#include "ui/charts/plot_labels.h"
#include "ui/document/notices.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/roofline/roofline_plot.h"
#include "ui/roofline/roofline_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QMouseEvent>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <memory>

namespace nestwright::roofline_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The view of a document that is being opened.
struct ShownRoofline {
  Document document{madeUpSessions()};
  RooflineView view{document};

  explicit ShownRoofline(const QString& path) {
    view.resize(900, 600);
    view.show();
    document.open(path);
  }
};

class RooflineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init() { QSettings().clear(); }
  void pointsAreThePrograms();
  void theRoofHasASlopeOnceMeasured();
  void namesStandOffTheirLines();
  void aGpuHasRoofsOfItsOwn();
  void pointsSelectAndOpen();
  void draggingOutlastsNewPoints();
  void recordsCanBeDropped();
  void droppedRecordsAreKept();
  void followsAReplay();
  void saysWhenThereIsNothing();
  void answersOfTheDocumentBeforeAreDropped();
  void exportsAndKeepsItsState();

 private:
  QTemporaryDir folder_, settings_;
  QString path_;
};

void RooflineTest::initTestCase() {
  keepSettingsIn(settings_);
  path_ = folder_.filePath(QStringLiteral("roof.nwdb"));
  runMadeUpSession(path_, madeUpConfig("random"));
}

void RooflineTest::pointsAreThePrograms() {
  const RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
  const TaskRow task = store.sessions().tasks(store.sessions().all().front().id).front();
  RooflineQuery query;
  query.session = store.sessions().all().front().id;
  query.task = task.id;
  query.newest = std::numeric_limits<RowId>::max();
  for (const CurvePoint& best : store.trials().bestHistory(task.id))
    query.bests.push_back(best.record);
  QVERIFY(!query.bests.empty());
  query.programs = 5;
  TrafficCache cache;
  const Roofline roofline = readRoofline(store, query, cache, {});
  QVERIFY(roofline.here);
  QVERIFY(roofline.roofs.peakFlops > 1e9);
  QCOMPARE(roofline.compulsoryBytes, 4.0 * 3 * 32 * 32); // a product of two 32 × 32 matrices
  std::size_t bests = 0;
  std::int64_t trial = 0;
  for (const RooflinePoint& point : roofline.points) {
    QVERIFY(point.trial > trial);
    trial = point.trial;
    bests += point.best ? 1 : 0;
    QCOMPARE(point.seconds, store.records().one(point.record)->result.latency());
    // What the nearer cache takes in is no less than what comes from farther away.
    QVERIFY(point.bytes[0] > 0);
    QVERIFY(point.bytes[2] >= point.bytes[1] * 0.999 && point.bytes[1] >= point.bytes[0] * 0.999);
  }
  QCOMPARE(bests, query.bests.size());
  QVERIFY(roofline.points.size() <= 5 + query.bests.size());
  QCOMPARE(cache.moved.size(), roofline.points.size() + std::size_t(roofline.left));
}

void RooflineTest::theRoofHasASlopeOnceMeasured() {
  ShownRoofline shown(path_);
  auto& [document, view] = shown;
  QTRY_VERIFY_WITH_TIMEOUT(view.plot()->pointCount() > 0, 30'000);
  QVERIFY2(view.note().contains(QStringLiteral("has not been measured")), qPrintable(view.note()));
  const double flat = view.plot()->roofAt(1e-3);
  QCOMPARE(flat, view.plot()->roofAt(1e6));
  QVERIFY(view.measureButton()->isEnabled());
  view.measureButton()->click();
  QVERIFY(!view.measureButton()->isEnabled());
  QCOMPARE(view.measureButton()->text(), QStringLiteral("Measuring …"));
  QTRY_VERIFY_WITH_TIMEOUT(view.measureButton()->isEnabled(), 60'000);
  QCOMPARE(view.measureButton()->text(), QStringLiteral("Measure memory"));
  QVERIFY(std::ranges::any_of(view.findChildren<QLabel*>(), [](const QLabel* label) {
    return label->isVisible() && label->text().endsWith(QStringLiteral(" GB/s"));
  }));
  const double low = view.plot()->roofAt(1e-3);
  QVERIFY2(low > 1e5 && low < flat, qPrintable(QString::number(low)));
  QVERIFY(std::abs(view.plot()->roofAt(2e-3) / low - 2) < 1e-9);
  QVERIFY(view.note().isEmpty());
  // Between caches no slope is known.
  view.traffic()->setCurrentIndex(1);
  QCOMPARE(view.plot()->roofAt(1e-3), flat);
  QVERIFY(!view.note().isEmpty());
}

/// A name that its own line runs through cannot be read, and a ground behind it hides the line.
void RooflineTest::namesStandOffTheirLines() {
  ShownRoofline shown(path_);
  RooflinePlot& plot = *shown.view.plot();
  QTRY_VERIFY_WITH_TIMEOUT(plot.pointCount() > 0, 30'000);
  plot.replot();
  int roofs = 0;
  for (int i = 0; i < plot.itemCount(); ++i) {
    const auto* label = qobject_cast<QCPItemText*>(plot.item(i));
    if (!label || !label->visible() || !label->text().startsWith(QStringLiteral("at most")))
      continue;
    ++roofs;
    const double line = plot.yAxis->coordToPixel(plot.roofAt(1e6) / 1e9);
    const double bottom = PlotLabels::rectOf(*label).bottom() - label->padding().bottom();
    QVERIFY2(bottom <= line - 3, qPrintable(QStringLiteral("%1 of %2").arg(bottom).arg(line)));
    QCOMPARE(label->brush().style(), Qt::NoBrush);
  }
  QCOMPARE(roofs, 1);
}

void RooflineTest::aGpuHasRoofsOfItsOwn() {
  const GpuFacts gpu = gpuPreset({9, 0});
  Roofline roofline;
  roofline.task = 1, roofline.flops = 2e9, roofline.compulsoryBytes = 12e6;
  roofline.roofs = roofsOf(cudaTarget(gpu));
  for (int i = 1; i <= 5; ++i) {
    RooflinePoint point;
    point.record = point.trial = i, point.seconds = 1e-4 / i;
    point.bytes = {2e7, 1e8, 1e9};
    roofline.points.push_back(point);
  }
  RooflinePlot plot;
  plot.resize(900, 600);
  plot.setVisible(true);
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  for (const Traffic traffic : {Traffic::Memory, Traffic::L2, Traffic::L1}) {
    const double bandwidth = roofline.roofs.bandwidths[static_cast<std::size_t>(traffic)];
    plot.show(roofline, traffic, bandwidth, 0);
    QCOMPARE(plot.roofAt(1e-3), bandwidth * 1e-3); // the slope is that of the chosen bytes
    QCOMPARE(plot.roofAt(1e6), gpu.peakFlops());   // tensor cores are lines of their own
    const QString names = plot.roofNames().join(QLatin1Char('|'));
    for (const char* roof :
         {"fp32: at most 66.9", "tensor cores, TF32", "tensor cores, bf16",
          "memory: at most 3.35 TB/s", "L2: at most 16.7 TB/s", "shared memory: at most 33.5 TB/s"})
      QVERIFY2(names.contains(QLatin1String(roof)), qPrintable(names));
    // Where each level's roof turns flat is seen.
    for (const double level : roofline.roofs.bandwidths)
      QVERIFY(plot.xAxis->range().contains(gpu.peakFlops() / level));
  }
  // Beyond fp32 a program is held against the tensor cores.
  roofline.points.push_back({.record = 6, .trial = 6, .seconds = 1e-5, .bytes = {2e6, 4e6, 8e6}});
  plot.show(roofline, Traffic::Memory, roofline.roofs.bandwidths[0], 0);
  plot.replot();
  QTest::mouseMove(&plot, plot.pixelOf(6)->toPoint());
  QTRY_VERIFY2(plot.readout().contains(QStringLiteral("of the roof above it (tensor cores, TF32)")),
               qPrintable(plot.readout()));
  // A processor's has none of these.
  roofline.points.pop_back();
  roofline.roofs = {};
  roofline.roofs.peakFlops = 1e12;
  plot.show(roofline, Traffic::Memory, 1e11, 0);
  QCOMPARE(plot.roofNames().size(), 2);
}

void RooflineTest::pointsSelectAndOpen() {
  ShownRoofline shown(path_);
  auto& [document, view] = shown;
  QTRY_VERIFY_WITH_TIMEOUT(view.plot()->pointCount() > 3, 30'000);
  QTRY_VERIFY(view.plot()->pathLength() > 0); // the history is read on its own
  view.plot()->replot();
  const RowId best =
      document.session().task(document.selection().current().task)->summary.bestRecord;
  const std::optional<QPointF> pixel = view.plot()->pixelOf(best);
  QVERIFY(pixel);
  QVERIFY(view.plot()->axisRect()->rect().contains(pixel->toPoint()));
  QTest::mouseClick(view.plot(), Qt::LeftButton, {}, pixel->toPoint());
  QCOMPARE(document.selection().current().record, best);
  QSignalSpy opened(&view, &RooflineView::programOpened);
  QTest::mouseDClick(view.plot(), Qt::LeftButton, {}, pixel->toPoint());
  QCOMPARE(opened.count(), 1);
  QTest::keyClick(view.plot(), Qt::Key_Left);
  QTest::keyClick(view.plot(), Qt::Key_Left);
  QVERIFY(document.selection().current().record != best);
  // The other task has other programs.
  const int before = view.plot()->pointCount();
  document.selection().selectTask(document.session().tasks()[1].row.id ==
                                          document.selection().current().task
                                      ? document.session().tasks()[0].row.id
                                      : document.session().tasks()[1].row.id);
  QTRY_VERIFY(view.plot()->pointCount() > 3 && !view.plot()->pixelOf(best));
  QVERIFY(before > 3);
}

/// A running session draws the programs anew every second, also while one of them is held.
void RooflineTest::draggingOutlastsNewPoints() {
  Roofline roofline;
  roofline.task = 1, roofline.flops = 1e6;
  for (RowId record = 1; record <= 5; ++record)
    roofline.points.push_back({.record = record,
                               .trial = record,
                               .seconds = 1e-3 / double(record),
                               .bytes = {1e5 * double(record), 2e5, 3e5}});
  RooflinePlot plot;
  plot.resize(600, 400);
  plot.setVisible(true);
  plot.show(roofline, Traffic::Memory, 0, 0);
  plot.replot();
  QSignalSpy dragged(&plot, &RooflinePlot::dragged);
  const QPoint from = plot.pixelOf(3)->toPoint();
  QTest::mousePress(&plot, Qt::LeftButton, {}, from);
  roofline.points.erase(roofline.points.begin()); // its number is another one now
  plot.show(roofline, Traffic::Memory, 0, 0);
  const QPointF to(from + QPoint(3 * QApplication::startDragDistance(), 0));
  QMouseEvent move(QEvent::MouseMove, to, plot.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(&plot, &move);
  QCOMPARE(dragged.count(), 1);
  QCOMPARE(dragged[0][0].toLongLong(), RowId(3));
  QTest::mouseRelease(&plot, Qt::LeftButton, {}, to.toPoint());
  QCOMPARE(dragged.count(), 1);
}

void RooflineTest::recordsCanBeDropped() {
  ShownRoofline shown(path_);
  QTRY_COMPARE(shown.document.state(), DocumentState::Ready);
  const TaskEntry& task = shown.document.session().tasks().front();
  QVERIFY(!shown.view.clearButton()->isVisible());
  const RowId best = task.summary.bestRecord;
  const auto drop = [&](const ProgramRef& program) {
    const std::unique_ptr<QMimeData> data(toMimeData(program));
    QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, data.get(), Qt::LeftButton, {});
    QApplication::sendEvent(&shown.view, &enter);
    QDropEvent drop(QPointF(9, 9), Qt::CopyAction, data.get(), Qt::LeftButton, {});
    QApplication::sendEvent(&shown.view, &drop);
  };
  // A task's best by the task alone; it is selected and stays marked.
  drop({path_, task.row.id, 0, false, {}});
  QCOMPARE(shown.document.selection().current(), (Selection{task.row.id, best}));
  QTRY_VERIFY(shown.view.clearButton()->isVisible());
  QTRY_COMPARE(shown.view.plot()->droppedCount(), 1);
  shown.document.selection().selectTask(task.row.id);
  QTRY_COMPARE(shown.view.plot()->droppedCount(), 1);
  shown.view.clearButton()->click();
  QTRY_COMPARE(shown.view.plot()->droppedCount(), 0);
  QVERIFY(!shown.view.clearButton()->isVisible());
  // What was not measured here has no place under this roof.
  QSignalSpy warned(&shown.document.notices(), &Notices::warned);
  drop({QStringLiteral("/elsewhere.nwdb"), task.row.id, best, false, {}});
  QCOMPARE(warned.count(), 1);
  QCOMPARE(shown.view.plot()->droppedCount(), 0);
}

/// Reopening the document gives the same drawing, and so does the end of a replay.
void RooflineTest::droppedRecordsAreKept() {
  const QString path = folder_.filePath(QStringLiteral("kept.nwdb"));
  QVERIFY(QFile::copy(path_, path));
  RowId task = 0, best = 0;
  const auto viewOf = [](MainWindow& window) {
    auto* view = window.findChild<RooflineView*>();
    window.panels().raise(QStringLiteral("roofline"));
    return view;
  };
  {
    MainWindow window(coreCatalogue(), madeUpSessions());
    window.show();
    window.openFile(path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    task = window.document().session().tasks().front().row.id;
    best = window.document().session().tasks().front().summary.bestRecord;
    RooflineView& view = *viewOf(window);
    const std::unique_ptr<QMimeData> data(toMimeData({path, task, best, false, {}}));
    QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, data.get(), Qt::LeftButton, {});
    QApplication::sendEvent(&view, &enter);
    QDropEvent drop(QPointF(9, 9), Qt::CopyAction, data.get(), Qt::LeftButton, {});
    QApplication::sendEvent(&view, &drop);
    QTRY_COMPARE_WITH_TIMEOUT(view.plot()->droppedCount(), 1, 10'000);
    startReplay(window.document());
    if (QTest::currentTestFailed()) return;
    QTRY_COMPARE(view.plot()->droppedCount(), 0); // not measured yet
    window.document().replayMode().end();
    QTRY_COMPARE_WITH_TIMEOUT(view.plot()->droppedCount(), 1, 10'000);
    window.close();
    QTRY_COMPARE(window.document().state(), DocumentState::Empty);
  }
  MainWindow window(coreCatalogue(), madeUpSessions());
  window.show();
  window.openFile(path);
  RooflineView& view = *viewOf(window);
  QTRY_COMPARE_WITH_TIMEOUT(view.plot()->droppedCount(), 1, 10'000);
  QVERIFY(view.clearButton()->isVisible());
  // State that somebody else wrote does no harm.
  view.restoreViewState({{"dropped", {{{"task", "x"}}, 7, {{"task", task}, {"records", "all"}}}}});
  QTRY_COMPARE(view.plot()->droppedCount(), 0);
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

void RooflineTest::followsAReplay() {
  ShownRoofline shown(path_);
  auto& [document, view] = shown;
  QTRY_VERIFY_WITH_TIMEOUT(view.plot()->pointCount() > 3, 30'000);
  const int all = view.plot()->pointCount();
  startReplay(document);
  if (QTest::currentTestFailed()) return;
  QTRY_COMPARE_WITH_TIMEOUT(view.plot()->pointCount(), 0, 30'000);
  document.replayMode().replay()->seek(document.replayMode().replay()->size());
  QTRY_COMPARE_WITH_TIMEOUT(view.plot()->pointCount(), all, 30'000);
}

void RooflineTest::saysWhenThereIsNothing() {
  Document document;
  RooflineView view(document);
  view.resize(600, 400);
  view.show();
  QCOMPARE(view.plot()->pointCount(), 0);
  QVERIFY(!view.measureButton()->isEnabled());
  // A file whose target tells nothing of the machine.
  const auto sample = makeSample(20);
  openSample(document, *sample);
  QTest::qWait(300);
  QCOMPARE(view.plot()->pointCount(), 0);
}

/// What is being read as the document is closed is not shown.
void RooflineTest::answersOfTheDocumentBeforeAreDropped() {
  Document document(madeUpSessions());
  RooflineView view(document);
  view.resize(600, 400);
  document.open(path_);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  bool shownAfterwards = false;
  connect(view.plot(), &QCustomPlot::beforeReplot, &view, [&] {
    shownAfterwards |= document.state() != DocumentState::Ready && view.plot()->pointCount() > 0;
  });
  view.show(); // asks
  document.close();
  QTRY_VERIFY(!view.plot()->message().isEmpty() &&
              view.plot()->message().contains(QStringLiteral("once a document is open")));
  QVERIFY(!shownAfterwards);
}

void RooflineTest::exportsAndKeepsItsState() {
  Document document(madeUpSessions());
  RooflineView view(document);
  view.resize(900, 600);
  view.show();
  view.traffic()->setCurrentIndex(2);
  const nlohmann::json state = view.viewState();
  view.restoreViewState({});
  QCOMPARE(view.traffic()->currentIndex(), 0);
  view.restoreViewState(state);
  QCOMPARE(view.traffic()->currentIndex(), 2);
  document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(view.plot()->pointCount() > 3, 30'000);
  const Exports exports = view.exports();
  QVERIFY(pictureOf(exports).pixelColor(2, 2) != kBlank);
  QCOMPARE(rowsOf(exports), view.plot()->pointCount());
}

NW_TEST_GUI(RooflineTest)

} // namespace nestwright::roofline_test

#include "roofline.moc"
