/// Views that show the same records: what one filters, selects or walks through, the others follow.

#include "core/record/rows/record_statistics.h"
#include "tests/support/test_program.h"
#include "tests/ui/opened_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/charts/point_figures.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/table/row_table.h"
#include "ui/kit/table/table_setup.h"
#include "ui/records/latency_histogram.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_statistics.h"
#include "ui/records/record_view.h"
#include "ui/scheduler/allocation_plot.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/tasks/task_view.h"
#include "ui/window/panel_host.h"

#include <QApplication>
#include <QClipboard>
#include <QItemSelectionModel>
#include <QTabWidget>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::views_follow_one_another_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class TogetherTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void oneFilterForAllViews();
  void listedDotsComeFirst();
  void selectedRecordsAlwaysHaveFigures();
  void curvesByTheKeyboard();
  void brushedPointsAreTheFilter();
  void chartsByTheKeyboard();
  void figuresOfPoints();
  void rowsAreCopied();

 private:
  QTemporaryDir settings_;
};

void TogetherTest::initTestCase() {
  keepSettingsIn(settings_);
}

void TogetherTest::oneFilterForAllViews() {
  OpenedSample opened(60);
  MainWindow& window = opened.window;
  Document& document = window.document();
  QTRY_VERIFY(!document.session().historyLoading());
  CurvePlot& curves = *window.panels().view<CurveView>()->plot();
  RecordView& records = *window.panels().view<RecordView>();
  const RowId task = opened.sample->tasks[0];
  document.selection().selectTask(task);
  const auto& trials = document.session().history().find(task)->trials;
  const auto good = std::ranges::count(trials, Verdict::Ok, &TrialPoint::verdict);
  QTRY_COMPARE(std::ptrdiff_t(curves.trials().listedDots()), good);
  QCOMPARE(curves.trials().otherDots(), 0);
  QVERIFY(!records.listed().has);
  // Half of them, by the filter of the table.
  const auto latest = trials[trials.size() / 2].trial;
  records.scope()->setFilter(parseRecordFilter("trial<=" + std::to_string(latest)));
  const auto left = std::ranges::count_if(trials, [&](const TrialPoint& trial) {
    return trial.verdict == Verdict::Ok && trial.trial <= latest;
  });
  QVERIFY(left > 0 && left < good);
  QTRY_COMPARE(std::ptrdiff_t(curves.trials().listedDots()), left);
  QCOMPARE(std::ptrdiff_t(curves.trials().otherDots()), good - left);
  QVERIFY(records.listed().lists(trials.front().record));
  QVERIFY(!records.listed().lists(trials.back().record));
  // The whole picture again, by undo as by any other way.
  document.undoStack().undo();
  QTRY_COMPARE(std::ptrdiff_t(curves.trials().listedDots()), good);
  QCOMPARE(curves.trials().otherDots(), 0);
}

/// Where two dots fall into one cell, the listed one is seen.
void TogetherTest::listedDotsComeFirst() {
  TaskHistory task;
  task.task = 1, task.flops = 1e9, task.naiveSeconds = 1;
  for (int i = 1; i <= 40; ++i)
    task.trials.push_back({i, i, float(i), 0.5F, i % 4 == 0 ? Verdict::RunError : Verdict::Ok});
  const CurveOptions options;
  const auto dots = [&](int columns, const std::function<bool(RowId)>& listed) {
    return trialDots(task, options, 0, 41, 1, 1000, columns, 10, listed);
  };
  const Dots all = dots(400, {});
  QCOMPARE(all.measured.x.size(), 30);
  QCOMPARE(all.errors.size(), 10);
  const Dots some = dots(400, [](RowId record) { return record <= 20; });
  QCOMPARE(some.measured.x.size(), 15);
  QCOMPARE(some.others.x.size(), 15);
  QCOMPARE(some.errors.size(), 5);
  QCOMPARE(some.otherErrors.size(), 5);
  QVERIFY(std::ranges::is_sorted(some.others.x));
  // In a single cell the newest is drawn, and over it the one that is listed.
  const Dots crowded = dots(1, [](RowId record) { return record == 2; });
  QCOMPARE(crowded.measured.x, std::vector<double>{2});
  QCOMPARE(crowded.others.x, std::vector<double>{39});
}

void TogetherTest::selectedRecordsAlwaysHaveFigures() {
  OpenedSample opened(60);
  RecordView& records = *opened.window.panels().view<RecordView>();
  records.scope()->setFollowing(false);
  QTRY_COMPARE(records.model()->rowCount(), 60);
  // Nobody asked for figures, and there is little room for them.
  records.window()->resize(900, 700);
  QTRY_VERIFY(!records.statistics()->isVisible());
  QItemSelectionModel* selection = records.table()->selectionModel();
  const auto rows = [&](int first, int last) {
    return QItemSelection(records.model()->index(first, 0),
                          records.model()->index(last, RecordModel::ColumnCount - 1));
  };
  selection->select(rows(3, 12), QItemSelectionModel::ClearAndSelect);
  QTRY_VERIFY(records.statistics()->isVisible());
  QTRY_VERIFY(records.figures()->statistics() && records.figures()->isOfChosen());
  QCOMPARE(records.figures()->statistics()->records, 10);
  for (const char* word : {"records", "fastest", "median", "mean", "slowest", "spread"})
    QVERIFY2(records.statistics()->text().contains(QLatin1String(word)), word);
  selection->select(rows(3, 3), QItemSelectionModel::ClearAndSelect);
  QTRY_VERIFY(!records.statistics()->isVisible());
}

void TogetherTest::curvesByTheKeyboard() {
  const auto sample = makeSample(60);
  Document document;
  CurvePlot plot(document);
  plot.resize(600, 400);
  plot.show();
  openSample(document, *sample);
  QVERIFY(plot.focusPolicy() & Qt::TabFocus);
  document.selection().select({});
  QTest::keyClick(&plot, Qt::Key_Down);
  QCOMPARE(document.selection().current(), (Selection{sample->tasks[0], 0}));
  QTest::keyClick(&plot, Qt::Key_Down);
  QCOMPARE(document.selection().current().task, sample->tasks[1]);
  const TaskHistory& task = *document.session().history().find(sample->tasks[1]);
  QTest::keyClick(&plot, Qt::Key_Left);
  QCOMPARE(document.selection().current().record, task.trials.back().record);
  QTest::keyClick(&plot, Qt::Key_Left);
  QCOMPARE(document.selection().current().record, task.trials[task.trials.size() - 2].record);
  QTest::keyClick(&plot, Qt::Key_Right);
  QTest::keyClick(&plot, Qt::Key_Right); // there is no later one
  QCOMPARE(document.selection().current().record, task.trials.back().record);
  document.selection().selectTask(task.task);
  QTest::keyClick(&plot, Qt::Key_Right, Qt::ControlModifier);
  QCOMPARE(document.selection().current().record, task.bests.back().record);
}

void TogetherTest::brushedPointsAreTheFilter() {
  OpenedSample opened(60);
  MainWindow& window = opened.window;
  Document& document = window.document();
  QTRY_VERIFY(!document.session().historyLoading());
  CurvePlot& curves = *window.panels().view<CurveView>()->plot();
  document.selection().selectTask(opened.sample->tasks[0]);
  QTRY_VERIFY(curves.trials().listedDots() > 5);
  QVERIFY(curves.listedText().isEmpty());
  curves.replot();
  const auto brush = [&curves](const QRect& area) {
    QTest::mousePress(&curves, Qt::LeftButton, Qt::ShiftModifier, area.topLeft());
    QMouseEvent move(QEvent::MouseMove, area.bottomRight(), curves.mapToGlobal(area.bottomRight()),
                     Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(&curves, &move);
    QTest::mouseRelease(&curves, Qt::LeftButton, Qt::ShiftModifier, area.bottomRight());
  };
  // The left half, from top to bottom.
  const QRect all = curves.axisRect()->rect();
  brush(QRect(all.topLeft(), QSize(all.width() / 2, all.height())));
  QVERIFY(!curves.isZoomed());
  RecordView& records = *window.panels().view<RecordView>();
  QTRY_VERIFY(records.listed().has);
  const double middle = curves.xAxis->pixelToCoord(all.left() + all.width() / 2);
  for (const TrialPoint& trial : document.session().history().find(opened.sample->tasks[0])->trials)
    if (trial.verdict == Verdict::Ok && std::abs(double(trial.trial) - middle) > 1)
      QCOMPARE(records.listed().lists(trial.record), double(trial.trial) < middle);
  QTRY_VERIFY(curves.trials().otherDots() > 0);
  QVERIFY2(curves.listedText().contains(QStringLiteral("median")), qPrintable(curves.listedText()));
  // Too small a rectangle is a click that slipped.
  const QString filter = records.listed().filter;
  brush(QRect(all.center(), QSize(2, 2)));
  QTest::qWait(50);
  QCOMPARE(records.listed().filter, filter);
  document.undoStack().undo();
  QTRY_COMPARE(curves.trials().otherDots(), 0);
  QVERIFY(curves.listedText().isEmpty());
}

void TogetherTest::chartsByTheKeyboard() {
  OpenedSample opened(60);
  Document& document = opened.window.document();
  AllocationPlot& areas = *opened.window.panels().view<SchedulerView>()->plot();
  QTRY_VERIFY(!document.session().historyLoading());
  areas.refreshNow();
  document.selection().select({});
  QTest::keyClick(&areas, Qt::Key_Up);
  QCOMPARE(document.selection().current().task, areas.shown().bands[0].task);
  QTest::keyClick(&areas, Qt::Key_Up);
  QCOMPARE(document.selection().current().task, areas.shown().bands[1].task);
  QTest::keyClick(&areas, Qt::Key_Down);
  QCOMPARE(document.selection().current().task, areas.shown().bands[0].task);
  LatencyHistogram histogram;
  RecordStatistics figures;
  figures.records = figures.measured = 6;
  figures.best = 1e-3, figures.worst = 8e-3, figures.median = figures.mean = 2e-3;
  figures.bins = {3, 2, 1};
  histogram.show(&figures, {});
  std::pair<double, double> range;
  connect(&histogram, &LatencyHistogram::rangeChosen, &histogram, [&](double low, double high) {
    range = {low, high};
  });
  QTest::keyClick(&histogram, Qt::Key_Right);
  QTest::keyClick(&histogram, Qt::Key_Right);
  QTest::keyClick(&histogram, Qt::Key_Right, Qt::ShiftModifier);
  QTest::keyClick(&histogram, Qt::Key_Return);
  QCOMPARE(range.first, 2e-3);
  QCOMPARE(range.second, 8e-3);
}

void TogetherTest::figuresOfPoints() {
  QCOMPARE(pointFigures({3e-3, 1e-3, 2e-3, 6e-3}, 2),
           QStringLiteral("4 with a time: min 1.000 ms, median 2.500 ms, mean 3.000 ms, max "
                          "6.000 ms, spread 72.0 %; 2 failed"));
  QCOMPARE(pointFigures(std::vector<double>(), 0), QStringLiteral("none with a time"));
  // Of a task's trials those that are listed; of too many, where they are told.
  TaskHistory task;
  for (int i = 1; i <= 6; ++i)
    task.trials.push_back({i, i, 0, float(i), i == 2 ? Verdict::RunError : Verdict::Ok});
  const FilteredRecords early{[](RowId record) { return record <= 3; },
                              QStringLiteral("record<=3")};
  QVERIFY(pointFigures(task, early).startsWith(QStringLiteral("2 with a time: min 1.000 s")));
  QVERIFY(pointFigures(task, early).endsWith(QStringLiteral("1 failed")));
  task.trials.resize(kMostFigured + 1);
  QVERIFY(pointFigures(task, early).contains(QStringLiteral("Statistics")));
}

void TogetherTest::rowsAreCopied() {
  QTreeWidget tree;
  tree.setHeaderLabels({QStringLiteral("name"), QStringLiteral("value")});
  auto* top = new QTreeWidgetItem(&tree, {QStringLiteral("a|b"), QStringLiteral("1 ms")});
  new QTreeWidgetItem(top, {QStringLiteral("inner"), QStringLiteral("2 ms")});
  addCopying(&tree);
  tree.setCurrentItem(top->child(0));
  tree.show();
  tree.setFocus();
  QVERIFY(QTest::qWaitForWindowActive(&tree));
  QTest::keyClick(&tree, Qt::Key_C, Qt::ControlModifier);
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("name\tvalue\ninner\t2 ms"));
  tree.setCurrentItem(top);
  QCOMPARE(tree.actions().size(), 2);
  tree.actions()[1]->trigger();
  QCOMPARE(QApplication::clipboard()->text(),
           QStringLiteral("| name | value |\n| --- | --- |\n| a\\|b | 1 ms |"));
}

NW_TEST_GUI(TogetherTest)

} // namespace nestwright::views_follow_one_another_test

#include "views_follow_one_another.moc"
