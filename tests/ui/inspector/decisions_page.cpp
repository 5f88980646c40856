/// The search inspector of sessions over sketches: programs as lines across their decisions.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/story/plan.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/knob_drag.h"
#include "tests/ui/made_up_session.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/inspector/configurations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/inspector/knob_plot.h"
#include "ui/inspector/knob_reader.h"

#include <QApplication>
#include <QCheckBox>
#include <QPushButton>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>

#include <set>

namespace nestwright::decisions_page_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The decisions of a task's programs.
struct Bench {
  Document document;
  InspectorView inspector{document};

  explicit Bench(const QString& path, SessionFactory sessions = madeUpSessions())
      : document(std::move(sessions)) {
    inspector.resize(1100, 560);
    inspector.show();
    document.open(path);
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    inspector.pages()->setCurrentWidget(inspector.configurations());
    select(document.session().tasks().front().row.id);
  }
  void select(RowId task) {
    document.selection().selectTask(task);
    QTRY_VERIFY_WITH_TIMEOUT(!lines().lines.empty() && lines().lines.front().trial.task == task,
                             30'000);
    plot().replot();
  }
  ConfigurationsView& page() { return *inspector.configurations(); }
  KnobPlot& plot() { return *page().plot(); }
  const KnobLines& lines() { return plot().lines(); }
  void drag(std::size_t axis, double from, double to) { dragAlong(plot(), axis, from, to); }
};

class DecisionsPageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    path_ = folder_.filePath(QStringLiteral("a.nwdb"));
    runMadeUpSession(path_, madeUpConfig("random"));
  }
  void everyProgramOfTheTaskIsALine();
  void axesTellTheirImportance();
  void draggingFiltersAndClickingSelects();
  void allDecisionsCanBeShown();
  void axesThatChangePlacesAreFollowed();
  void whatCameWhileHiddenIsShownThen();
  void aTaskWithoutProgramsSaysSo();

 private:
  QTemporaryDir folder_;
  QString path_;
};

void DecisionsPageTest::everyProgramOfTheTaskIsALine() {
  Bench bench(path_);
  std::set<RowId> tasks;
  std::size_t programs = 0;
  for (const TaskEntry& task : bench.document.session().tasks()) {
    bench.select(task.row.id);
    programs += bench.lines().lines.size();
    for (const KnobLine& line : bench.lines().lines)
      tasks.insert(line.trial.task);
  }
  QCOMPARE(programs, std::size_t(64));
  QCOMPARE(tasks.size(), std::size_t(2));
  QCOMPARE(bench.plot().message(), QString());
  const QString note = bench.page().note();
  QVERIFY2(note.contains("programs of this session") && note.contains("most important") &&
               note.contains("share of the variation"),
           qPrintable(note));
  // As a table every decision is a column, and every program a row.
  const Exports exports = bench.page().exports();
  QCOMPARE(exports.name, QStringLiteral("decisions"));
  std::size_t rows = 0;
  exports.table->rows([&](const QStringList&) { return ++rows > 0; });
  QCOMPARE(rows, bench.lines().lines.size());
  for (const KnobAxis& axis : bench.lines().knobs)
    QVERIFY(exports.table->headers.contains(QString::fromStdString(axis.knob)));
}

void DecisionsPageTest::axesTellTheirImportance() {
  Bench bench(path_);
  const KnobAxis& first = bench.lines().knobs.front();
  QVERIFY(first.importance && *first.importance > 0);
  const QPoint head(bench.plot().pixelOf(0, 1).toPoint().x(), 12); // its bar
  QTest::mouseMove(&bench.plot(), head);
  QTRY_VERIFY2(bench.plot().readout().contains(QString::fromStdString(first.knob)) &&
                   bench.plot().readout().contains(QStringLiteral("importance")),
               qPrintable(bench.plot().readout()));
  // The bar is painted above its axis: where it ends, the colour changes.
  const QImage picture = bench.plot().grab().toImage();
  const auto at = [&](int x, int y) { return picture.pixelColor(x, y); };
  QVERIFY(at(head.x(), 24) != at(head.x() + 30, 24));
}

void DecisionsPageTest::draggingFiltersAndClickingSelects() {
  Bench bench(path_);
  std::vector<FilterCondition> told;
  connect(&bench.page(), &ConfigurationsView::brushed, &bench.document,
          [&](const std::vector<FilterCondition>& conditions) { told = conditions; });
  bench.drag(0, -0.02, 0.4);
  QCOMPARE(bench.plot().brushes().size(), std::size_t(1));
  QCOMPARE(told.size(), std::size_t(1));
  std::set<RowId> selected, wanted;
  for (const FilterValue& value : told[0].values)
    for (RowId record = RowId(value.low); record <= RowId(value.high); ++record)
      selected.insert(record);
  for (const KnobLine& line : bench.lines().lines)
    if (line.places[0] <= bench.plot().brushes()[0].high) wanted.insert(line.trial.record);
  QVERIFY(!wanted.empty() && wanted.size() < bench.lines().lines.size());
  QCOMPARE(selected, wanted);
  QVERIFY(bench.page().note().contains(QStringLiteral("Selected: ")));
  bench.page().release()->click();
  QVERIFY(bench.plot().brushes().empty());
  // The fastest program is on top.
  const KnobLine& fastest = *bench.lines().fastest();
  const QPoint between =
      ((bench.plot().pixelOf(0, fastest.places[0]) + bench.plot().pixelOf(1, fastest.places[1])) /
       2)
          .toPoint();
  QTest::mouseClick(&bench.plot(), Qt::LeftButton, {}, between);
  const RowId record = bench.document.selection().current().record;
  QVERIFY(bench.lines().find(record) != nullptr);
}

void DecisionsPageTest::allDecisionsCanBeShown() {
  Bench bench(path_);
  QCOMPARE(bench.lines().knobs.size(), KnobReader::kMostDecisions);
  QVERIFY(bench.page().all()->isVisible());
  const std::string name = bench.lines().knobs[1].knob;
  bench.drag(1, -0.02, 0.4);
  QCOMPARE(bench.plot().brushes().size(), std::size_t(1));
  QTest::mouseClick(bench.page().all(), Qt::LeftButton, {},
                    QPoint(bench.page().all()->height() / 2, bench.page().all()->height() / 2));
  QTRY_VERIFY(bench.lines().knobs.size() > KnobReader::kMostDecisions);
  // What was selected stays that of its decision.
  QCOMPARE(bench.plot().brushes().size(), std::size_t(1));
  QCOMPARE(bench.lines().knobs[bench.plot().brushes()[0].axis].knob, name);
  QVERIFY(bench.page().note().contains(QStringLiteral("in which they differ")));
}

/// As programs are measured, other decisions matter most: who holds or marked one goes on with it.
void DecisionsPageTest::axesThatChangePlacesAreFollowed() {
  const auto lines = [](const std::vector<const char*>& names) {
    auto made = std::make_shared<KnobLines>();
    for (const char* name : names)
      made->knobs.push_back({name, {"1", "2", "4"}});
    KnobLine line;
    line.trial.record = 1, line.trial.seconds = 1;
    line.places.assign(names.size(), 0.5);
    made->lines.push_back(line);
    complete(*made);
    return made;
  };
  KnobPlot plot;
  plot.resize(900, 400);
  plot.setVisible(true);
  const auto show = [&](const std::vector<const char*>& names) {
    plot.show({{}, lines(names), 0, {}, {}});
    plot.replot();
  };
  show({"a", "b", "c"});
  const auto move = [&](std::size_t axis, double to) {
    const QPointF place = plot.pixelOf(axis, to);
    QMouseEvent event(QEvent::MouseMove, place, plot.mapToGlobal(place), Qt::NoButton,
                      Qt::LeftButton, {});
    QApplication::sendEvent(&plot, &event);
  };
  QTest::mousePress(&plot, Qt::LeftButton, {}, plot.pixelOf(0, 0).toPoint());
  move(0, 0.5);
  QCOMPARE(plot.brushes().size(), std::size_t(1));
  show({"b", "a"});
  QCOMPARE(plot.markedAxis(), std::size_t(1));
  move(1, 1);
  QCOMPARE(plot.brushes().size(), std::size_t(1));
  QCOMPARE(plot.brushes()[0].axis, std::size_t(1));
  QCOMPARE(valuesWithin(plot.lines(), plot.brushes()[0]),
           (std::pair<std::size_t, std::size_t>(0, 2)));
  // It matters no more: nothing else is selected in its place.
  show({"c"});
  move(0, 0);
  QVERIFY(plot.brushes().empty());
  QTest::mouseRelease(&plot, Qt::LeftButton, {}, plot.pixelOf(0, 0).toPoint());
  QVERIFY(plot.brushes().empty());
}

void DecisionsPageTest::whatCameWhileHiddenIsShownThen() {
  const QString path = folder_.filePath(QStringLiteral("grows.nwdb"));
  QVERIFY(QFile::copy(path_, path));
  SessionScript script;
  Bench bench(path, scripted(script));
  const std::size_t before = bench.lines().lines.size();
  Plan plan = planOf(bench.document.session().config());
  plan.trials += 16;
  bench.document.steering().setPlan(plan);
  QTRY_VERIFY(script.observer);
  script.tell(StateChanged{SessionStatus::Running, ""}); // then nobody else writes into the file
  QTRY_VERIFY(bench.document.session().isRunning());
  Record record;
  {
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
    record = *store.records().one(bench.lines().lines.front().trial.record);
    record.id = 0;
    record.trial += 1000;
    record.program = std::string(32, 'f');
    record.id = store.records().add(record);
  }
  // The page is hidden while the new record is being read.
  Reader& reader = bench.document.reader();
  const auto held = std::make_shared<QSemaphore>();
  reader.ask<int>(
      &bench.inspector, Reader::Channel::Log,
      [held](const RecordStore&) {
        held->tryAcquire(1, 20'000);
        return 0;
      },
      [](int) {});
  script.tell(Measured{record.id, record.task, record.trial, record.result.verdict,
                       record.result.latency(), 9, ""});
  QTRY_VERIFY(reader.busy(Reader::Channel::KnobTrials));
  bench.inspector.hide();
  held->release();
  QTRY_VERIFY(!reader.busy(Reader::Channel::KnobTrials));
  QVERIFY(!reader.busy(Reader::Channel::KnobSpace));
  QCOMPARE(bench.lines().lines.size(), before);
  bench.inspector.show();
  QTRY_COMPARE(bench.lines().lines.size(), before + 1);
}

void DecisionsPageTest::aTaskWithoutProgramsSaysSo() {
  const std::unique_ptr<Sample> sample = makeSample(0);
  Document document;
  InspectorView inspector(document);
  inspector.resize(900, 500);
  inspector.show();
  document.open(sample->path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  inspector.pages()->setCurrentWidget(inspector.configurations());
  document.selection().selectTask(document.session().tasks().front().row.id);
  QTRY_VERIFY2(inspector.configurations()->plot()->message().contains(
                   QStringLiteral("have been measured yet")),
               qPrintable(inspector.configurations()->plot()->message()));
}

NW_TEST_GUI(DecisionsPageTest)

} // namespace nestwright::decisions_page_test

#include "decisions_page.moc"
