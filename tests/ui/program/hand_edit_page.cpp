/// A program changed by hand, measured, and offered to the search.

#include "ui/program/hand_edit_page.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/session/run/tuning_state.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/program_bench.h"
#include "ui/document/demand_watch.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/program/program_view.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include <algorithm>
#include <cmath>

namespace nestwright::hand_edit_page_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

struct Bench : ProgramBench {
  explicit Bench(const SessionConfig& config = madeUpConfig("random"))
      : ProgramBench(ProgramView::EditTab, config) {
    waitForSteps();
  }
  HandEditPage& edit() { return *view.edit(); }
  void waitForSteps() { QTRY_VERIFY(!edit().outcome().steps.empty()); }
  void settle() { QTRY_VERIFY(!edit().isBusy() && !edit().verdict().startsWith("Checking")); }
  /// The first split with several sizes.
  const EditableStep& split() {
    return *std::ranges::find_if(edit().outcome().steps, [&](const EditableStep& row) {
      const auto* step = std::get_if<SplitStep>(&edit().steps()[std::size_t(row.step)]);
      return step && step->factors.size() > 1;
    });
  }
};

class HandEditPageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void startsWithTheProgram();
  void editsAreWeighed();
  void refusesAndTellsIllegal();
  void isMeasuredAndSeeded();
  void undoIsForTheProgramThatWasEdited();
};

void HandEditPageTest::startsWithTheProgram() {
  Bench bench;
  QVERIFY(!bench.edit().isEdited());
  QCOMPARE(bench.edit().steps(), bench.view.program().program);
  QVERIFY(!bench.edit().measureButton()->isEnabled());
  QVERIFY(!bench.edit().seedButton()->isEnabled());
  QVERIFY(!bench.edit().resetButton()->isEnabled());
  QVERIFY(bench.edit().loopTable()->model()->rowCount() > 3);
  QVERIFY(bench.edit().stepTable()->model()->rowCount() > 4);
}

void HandEditPageTest::editsAreWeighed() {
  SessionConfig config = madeUpConfig("random");
  config.subjects = {"matmul:m=16,n=256,k=64"}; // more than a first-level cache
  Bench bench(config);
  const EditableStep split = bench.split();
  const QString sizes = QString::fromStdString(split.value);
  QString ones = QStringLiteral("1");
  for (qsizetype i = 0; i < sizes.count(QLatin1Char(',')); ++i)
    ones += QStringLiteral(", 1");
  QVERIFY(ones != sizes);
  // As by hand: in the table.
  QAbstractItemModel* rows = bench.edit().stepTable()->model();
  int row = 0;
  while (bench.edit().outcome().steps[std::size_t(row)].step != split.step)
    ++row;
  QVERIFY(rows->setData(rows->index(row, 1), ones));
  bench.settle();
  QVERIFY(bench.edit().isEdited());
  QVERIFY2(bench.edit().verdict().contains(QStringLiteral("Legal")),
           qPrintable(bench.edit().verdict()));
  QCOMPARE(rows->index(row, 1).data().toString(), ones);
  QCOMPARE(rows->index(row, 2).data().toString(), sizes);
  QVERIFY(bench.edit().measureButton()->isEnabled());
  const EditOutcome& outcome = bench.edit().outcome();
  QVERIFY(outcome.before.moved[2] > 0 && outcome.after.moved[2] > 0);
  QVERIFY(outcome.before.moved != outcome.after.moved);
  QVERIFY(bench.edit().estimateTable()->model()->rowCount() > 4);
  // An annotation, by the loop.
  const EditableLoop loop = *std::ranges::find(bench.edit().outcome().loops, Annotation::Parallel,
                                               &EditableLoop::annotation);
  const auto annotation = [&] {
    for (const EditableLoop& now : bench.edit().outcome().loops)
      if (now.stage == loop.stage && now.iterator == loop.iterator) return now.annotation;
    return Annotation::None; // of extent 1 now
  };
  QVERIFY(bench.edit().outcome().after.parallel > 1);
  bench.edit().annotate(loop.stage, loop.iterator, Annotation::None);
  bench.settle();
  QCOMPARE(annotation(), Annotation::None);
  bench.document.undoStack().undo();
  bench.settle();
  QCOMPARE(annotation(), Annotation::Parallel);
  bench.document.undoStack().undo();
  bench.settle();
  QVERIFY(!bench.edit().isEdited());
  bench.document.undoStack().redo();
  bench.settle();
  QVERIFY(bench.edit().isEdited());
  bench.edit().reset();
  bench.settle();
  QVERIFY(!bench.edit().isEdited());
  QVERIFY(!bench.edit().measureButton()->isEnabled());
}

void HandEditPageTest::refusesAndTellsIllegal() {
  Bench bench;
  const EditableStep split = bench.split();
  const Steps before = bench.edit().steps();
  bench.edit().setValue(split.step, QStringLiteral("banana"));
  QVERIFY2(bench.edit().verdict().contains(QStringLiteral("Not taken")),
           qPrintable(bench.edit().verdict()));
  QCOMPARE(bench.edit().steps(), before);
  QVERIFY(!bench.document.undoStack().canUndo());
  // A vectorised loop around others is what no backend takes; the order of a reorder that is no
  // order is refused; whatever is illegal cannot be measured.
  const EditableLoop outer = bench.edit().outcome().loops.front();
  bench.edit().annotate(outer.stage, outer.iterator, Annotation::Vectorize);
  bench.settle();
  QVERIFY(bench.edit().isEdited());
  if (bench.edit().verdict().contains(QStringLiteral("Illegal")))
    QVERIFY(!bench.edit().measureButton()->isEnabled());
}

void HandEditPageTest::isMeasuredAndSeeded() {
  Bench bench;
  const EditableStep split = bench.split();
  const Record original = *RecordStore::open(bench.path.toStdString(), OpenMode::ReadOnly)
                               .records()
                               .one(bench.view.program().record);
  QString ones = QStringLiteral("1");
  for (std::ptrdiff_t i = 0; i < std::ranges::count(split.value, ','); ++i)
    ones += QStringLiteral(", 1");
  bench.edit().setValue(split.step, ones);
  bench.settle();
  QVERIFY(bench.edit().isReady());
  const Steps edited = bench.edit().steps();
  bench.document.selection().selectTask(bench.document.selection().current().task);
  QTest::mouseClick(bench.edit().seedButton(), Qt::LeftButton);
  QSignalSpy added(&bench.document.follower(), &SessionFollower::recordsAdded);
  QTest::mouseClick(bench.edit().measureButton(), Qt::LeftButton);
  // What becomes of it is told where it was asked for.
  QVERIFY(!bench.edit().measureButton()->isEnabled());
  QCOMPARE(bench.edit().measureButton()->text(), QStringLiteral("Waiting …"));
  QVERIFY2(bench.edit().verdict().startsWith(QStringLiteral("Waiting")),
           qPrintable(bench.edit().verdict()));
  QVERIFY(bench.edit().measureButton()->statusTip().startsWith(QStringLiteral("Waiting")));
  QTRY_VERIFY_WITH_TIMEOUT(added.count() > 0, 30'000);
  QTRY_VERIFY(bench.edit().demand().state() == DemandWatch::State::Ended);
  const Record& measured = *bench.edit().demand().record();
  QTRY_VERIFY2(
      bench.edit().verdict().contains(QStringLiteral("Record %1 measured it").arg(measured.id)),
      qPrintable(bench.edit().verdict()));
  QVERIFY(bench.edit().verdict().contains(std::isfinite(measured.result.latency())
                                              ? timeText(measured.result.latency())
                                              : QStringLiteral("It failed: ")));
  if (!measured.best && std::isfinite(measured.result.latency()))
    QVERIFY(bench.edit().verdict().contains(QStringLiteral("the best")));
  QTRY_COMPARE(bench.edit().measureButton()->text(), QStringLiteral("Measure It"));
  const RecordStore store = RecordStore::open(bench.path.toStdString(), OpenMode::ReadOnly);
  RecordQuery query;
  query.session = bench.session;
  query.limit = 1;
  const Record record = store.records().page(query).front();
  QVERIFY(record.onDemand);
  QCOMPARE(record.steps, edited);
  const Trace trace = traceFromJson(nlohmann::json::parse(record.trace));
  QCOMPARE(trace.origin, Origin::HandEdit);
  QCOMPARE(trace.parents, std::vector<std::string>{original.program});
  const TuningState state =
      tuningStateFromText(store.sessions().one(bench.session)->schedulerState);
  const auto& seeds = state.tasks.at(bench.view.program().task).seeds;
  QCOMPARE(seeds.size(), std::size_t(1));
  QCOMPARE(seeds.front().steps, edited);
}

void HandEditPageTest::undoIsForTheProgramThatWasEdited() {
  Bench bench;
  const EditableStep split = bench.split();
  QString ones = QStringLiteral("1");
  for (std::ptrdiff_t i = 0; i < std::ranges::count(split.value, ','); ++i)
    ones += QStringLiteral(", 1");
  bench.edit().setValue(split.step, ones);
  bench.settle();
  QVERIFY(bench.edit().isEdited());
  bench.document.selection().selectTask(bench.document.session().tasks()[1].row.id);
  QTRY_COMPARE(bench.view.program().task, bench.document.session().tasks()[1].row.id);
  QTRY_VERIFY(!bench.edit().outcome().steps.empty());
  const Steps other = bench.edit().steps();
  QVERIFY(!bench.edit().isEdited());
  bench.document.undoStack().undo();
  QCOMPARE(bench.edit().steps(), other);
  QVERIFY(!bench.edit().isEdited());
}

NW_TEST_GUI(HandEditPageTest)

} // namespace nestwright::hand_edit_page_test

#include "hand_edit_page.moc"
