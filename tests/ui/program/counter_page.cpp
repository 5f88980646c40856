/// The page of the program panel that shows what the processor counts.

#include "ui/program/counter_page.h"

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/gpu_sample.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/program_bench.h"
#include "tests/ui/replaying.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/program/program_view.h"

#include <QAbstractItemModel>
#include <QScopeGuard>
#include <QTableView>
#include <QTest>
#include <QToolButton>

namespace nestwright::counter_page_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

struct Bench : ProgramBench {
  Bench() : ProgramBench(ProgramView::CounterTab) {}
  CounterPage& page() { return *view.counters(); }
  void press() { QTest::mouseClick(page().button(), Qt::LeftButton); }
};

QString text(const QTableView* table, const QString& name, int column) {
  const QAbstractItemModel& model = *table->model();
  for (int row = 0; row < model.rowCount(); ++row)
    if (model.index(row, CounterPage::Name).data().toString() == name)
      return model.index(row, column).data().toString();
  return QStringLiteral("no row %1").arg(name);
}

/// Some counters, as of a virtual machine: those of the system alone.
ProgramCounts someCounts() {
  ProgramCounts counts;
  counts.seconds = 1e-3;
  counts.runs = 250;
  counts.threads = 2;
  counts.flops = 4e6;
  counts.counters = {{Counter::Cycles, std::nullopt, 1, "the machine has none"},
                     {Counter::Branches, 2e6, 0.4, {}},
                     {Counter::BranchMisses, 1e3, 1, {}},
                     {Counter::TaskClock, 1.5e6, 1, {}}};
  counts.energy = {"package-0", 0.02, 5.0, {}};
  return counts;
}

class CounterPageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void countsAndWhatFollowsFromThem();
  void countsStayWithTheirProgram();
  void countsGoWithTheirFile();
  void aReplayDisturbsNothing();
  void theButtonSaysWhyNot();
  void whatFailsIsSaidAtTheButton();
  void aPressCounts();
};

void CounterPageTest::countsAndWhatFollowsFromThem() {
  Bench bench;
  QVERIFY(bench.page().state().startsWith(QLatin1String("Not counted yet")));
  QCOMPARE(bench.page().figures()->model()->rowCount(), 0);
  bench.page().showCounts(someCounts());
  const QTableView *figures = bench.page().figures(), *counters = bench.page().counters();
  QCOMPARE(text(figures, "busy cores", CounterPage::Value), QString("1.500"));
  QCOMPARE(text(figures, "branches predicted wrong", CounterPage::Value), percentText(5e-4));
  QCOMPARE(text(figures, "energy of a run", CounterPage::Value), QString("20.00 mJ"));
  QCOMPARE(text(figures, "energy above idle", CounterPage::Value), QString("15.00 mJ"));
  QCOMPARE(text(figures, "operations per joule", CounterPage::Value), flopsText(2e8) + "/J");
  // What is missing says why, in both tables.
  QCOMPARE(text(figures, "instructions per cycle", CounterPage::Value), noValue());
  QCOMPARE(text(figures, "operations per cycle", CounterPage::Note),
           QString("cycles: the machine has none"));
  QCOMPARE(text(counters, "cycles", CounterPage::Note), QString("the machine has none"));
  QCOMPARE(text(counters, "branches", CounterPage::Value), QString("2,000,000"));
  QCOMPARE(text(counters, "branches", CounterPage::Note), QString("counted 40.0 % of the time"));
  QCOMPARE(text(counters, "task-clock", CounterPage::Value), timeText(1.5e-3));
  QCOMPARE(text(counters, "power when idle", CounterPage::Value), QString("5.00 W"));
  QVERIFY2(bench.page().state().contains("250 runs of 1.000 ms each on this machine, counted on "
                                         "2 threads of the worker; 1 of 4 counters"),
           qPrintable(bench.page().state()));
  QVERIFY(bench.view.exports().text.contains(QLatin1String("busy cores\t1.500")));
}

void CounterPageTest::countsStayWithTheirProgram() {
  Bench bench;
  const RowId first = bench.document.session().tasks().front().row.id;
  bench.page().showCounts(someCounts());
  bench.document.selection().selectTask(bench.document.session().tasks().back().row.id);
  QTRY_VERIFY(bench.view.program().task != first && bench.view.program().task != 0);
  QCOMPARE(bench.page().figures()->model()->rowCount(), 0);
  bench.document.selection().selectTask(first);
  QTRY_COMPARE(bench.view.program().task, first);
  QCOMPARE(text(bench.page().figures(), "busy cores", CounterPage::Value), QString("1.500"));
}

/// Another file may lie there next under the same name.
void CounterPageTest::countsGoWithTheirFile() {
  Bench bench;
  const RowId task = bench.view.program().task;
  bench.page().showCounts(someCounts());
  bool wasLeft = false;
  connect(&bench.view, &ProgramView::shown, &bench.view,
          [&] { wasLeft |= bench.view.program().task == 0; });
  bench.document.open(bench.path);
  QTRY_VERIFY(wasLeft);
  QTRY_COMPARE(bench.document.state(), DocumentState::Ready);
  bench.document.selection().selectTask(task);
  QTRY_COMPARE(bench.view.program().task, task);
  QCOMPARE(bench.page().figures()->model()->rowCount(), 0);
}

/// A session whose past is shown measures nothing, also where it did in that moment.
void CounterPageTest::aReplayDisturbsNothing() {
  Bench bench;
  replayFrom(bench.document);
  while (!bench.document.session().isRunning()) {
    QVERIFY(!bench.document.replayMode().replay()->atEnd());
    bench.document.replayMode().replay()->stepForward();
  }
  QTRY_VERIFY2(bench.page().button()->isEnabled(), qPrintable(whyNot(bench.page().button())));
}

void CounterPageTest::theButtonSaysWhyNot() {
  {
    const GpuSample sample;
    Document document;
    ProgramView view(document);
    view.setVisible(true);
    view.showPage(ProgramView::CounterTab);
    QVERIFY(!view.counters()->button()->isEnabled());
    QCOMPARE(whyNot(view.counters()->button()), QString("Select a program to count it."));
    document.open(sample.path);
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    document.selection().selectTask(document.session().tasks().front().row.id);
    QTRY_VERIFY(view.program().target.gpu);
    QVERIFY(!view.counters()->button()->isEnabled());
    QVERIFY(whyNot(view.counters()->button()).contains("one for a GPU"));
  }
  // A session that measures is not disturbed.
  const std::unique_ptr<Sample> sample = makeSample(20);
  SessionScript script;
  Document document(scripted(script));
  ProgramView view(document);
  view.setVisible(true);
  document.open(sample->path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  document.selection().selectTask(document.session().tasks().front().row.id);
  view.showPage(ProgramView::CounterTab);
  QTRY_VERIFY2(view.counters()->button()->isEnabled(),
               qPrintable(whyNot(view.counters()->button())));
  document.steering().start();
  QTRY_VERIFY(!view.counters()->button()->isEnabled());
  QVERIFY(whyNot(view.counters()->button()).contains("A session is running"));
}

void CounterPageTest::whatFailsIsSaidAtTheButton() {
  Bench bench;
  Settings::setWorkerCommand(QStringLiteral("/nonexistent/worker"));
  const auto restore = qScopeGuard([] { Settings::setWorkerCommand({}); });
  bench.press();
  QCOMPARE(bench.page().button()->text(), QString("Counting …"));
  QVERIFY(!bench.page().button()->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(!bench.page().isBusy(), 60'000);
  QVERIFY2(bench.page().state().startsWith("✗ ") &&
               bench.page().state().contains("/nonexistent/worker"),
           qPrintable(bench.page().state()));
  QVERIFY(bench.page().button()->isEnabled());
}

void CounterPageTest::aPressCounts() {
#ifdef HAS_BACKEND
  Bench bench;
  bench.press();
  QVERIFY(bench.page().state().startsWith(QLatin1String("Compiling")));
  QTRY_VERIFY_WITH_TIMEOUT(!bench.page().isBusy(), 120'000);
  QVERIFY2(bench.page().state().startsWith("✓ "), qPrintable(bench.page().state()));
  QCOMPARE(bench.page().counters()->model()->rowCount(), kCounters + 2);
  const QAbstractItemModel& model = *bench.page().counters()->model();
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString value = model.index(row, CounterPage::Value).data().toString();
    const QString note = model.index(row, CounterPage::Note).data().toString();
    QVERIFY2(value != noValue() || !note.isEmpty(), qPrintable(QString::number(row)));
  }
#else
  QSKIP("there is no backend to compile the program");
#endif
}

NW_TEST_GUI(CounterPageTest)

} // namespace nestwright::counter_page_test

#include "counter_page.moc"
