/// Which programs are crossed in the lab: taken, dropped, removed, and all of that undone.

#include "core/record/store/record_rows.h"
#include "tests/support/test_program.h"
#include "tests/ui/crossing_bench.h"
#include "tests/ui/own_settings.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/program_drag.h"
#include "ui/document/shared_selection.h"
#include "ui/program/family_model.h"
#include "ui/window/main_window.h"
#include "ui/window/steering_actions.h"

#include <QAbstractItemModel>
#include <QAction>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QUndoStack>

namespace nestwright::crossing_parents_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class CrossingParentsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void parentsCanBeChosen();
  void choosingParentsCanBeUndone();
  void recordsAreSentToTheLab();
  void parentsMayBeOfAnotherSession();

 private:
  QTemporaryDir settings_;
};

void CrossingParentsTest::initTestCase() {
  keepSettingsIn(settings_);
}

void CrossingParentsTest::parentsCanBeChosen() {
  Bench bench;
  bench.click(bench.page()->takeButton());
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(10));
  const RowId fifth = bench.control().parents()[4].record;
  bench.page()->parentTable()->setFocus();
  bench.page()->parentTable()->selectRow(4);
  QTest::keyClick(bench.page()->parentTable(), Qt::Key_Delete);
  QCOMPARE(bench.control().parents().size(), std::size_t(9));
  // Dropped again it is the last one; one of another task begins anew, and a foreign file's is
  // not taken.
  QAbstractItemModel* model = bench.page()->parentTable()->model();
  const auto drop = [&](const QString& file, RowId task, RowId record) {
    const std::unique_ptr<QMimeData> data(toMimeData({file, task, record, false, {}}));
    return model->dropMimeData(data.get(), Qt::CopyAction, -1, -1, {});
  };
  QVERIFY(drop(bench.document->file().path(), bench.task, fifth));
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(10));
  QCOMPARE(bench.control().parents().back().record, fifth);
  QVERIFY(!drop(QStringLiteral("/elsewhere.nwdb"), bench.task, fifth));
  const TaskEntry& other = bench.document->session().tasks()[1];
  QVERIFY(drop(bench.document->file().path(), other.row.id, other.summary.bestRecord));
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(1));
  QCOMPARE(bench.control().task(), other.row.id);
  QVERIFY(!bench.page()->crossButton()->isEnabled());
  QSignalSpy warned(&bench.document->notices(), &Notices::warned);
  bench.control().take(other.row.id, {fifth}, 10); // of another task
  QTRY_COMPARE(warned.count(), 1);
  QVERIFY(warned.front().front().toString().contains(QStringLiteral("another task")));
}

/// With what came of crossing them.
void CrossingParentsTest::choosingParentsCanBeUndone() {
  Bench bench;
  QUndoStack& undo = bench.document->undoStack();
  bench.click(bench.page()->takeButton());
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(10));
  QCOMPARE(undo.undoText(), QStringLiteral("taking the fastest as parents"));
  bench.control().cross(20, 7);
  QTRY_COMPARE(bench.control().children().size(), std::size_t(20));
  const std::string first = bench.control().children()[3].programId;
  bench.control().remove({1, 2});
  QCOMPARE(bench.control().parents().size(), std::size_t(8));
  QVERIFY(bench.control().children().empty());
  QCOMPARE(undo.undoText(), QStringLiteral("removing 2 parents"));
  undo.undo();
  QCOMPARE(bench.control().parents().size(), std::size_t(10));
  QCOMPARE(bench.control().children().size(), std::size_t(20));
  QCOMPARE(bench.control().children()[3].programId, first);
  QCOMPARE(bench.control().seed(), std::uint64_t(7));
  QVERIFY(!bench.control().stepsOf(3).empty());
  QCOMPARE(bench.page()->parentTable()->model()->rowCount(), 10);
  undo.redo();
  QCOMPARE(bench.control().parents().size(), std::size_t(8));
  undo.undo();
  undo.undo(); // nothing was there before
  QVERIFY(bench.control().parents().empty() && bench.control().children().empty());
  QVERIFY(!bench.page()->crossButton()->isEnabled());
  undo.redo();
  QCOMPARE(bench.control().children().size(), std::size_t(20));
  // Undone while they are still being read, they are read when they are wanted again.
  const RowId best = bench.control().parents()[0].record;
  bench.control().take(bench.task, {best}, 0);
  QVERIFY(bench.control().isReading());
  undo.undo();
  QCOMPARE(bench.control().children().size(), std::size_t(20));
  QTest::qWait(100);
  QCOMPARE(bench.control().parents().size(), std::size_t(10));
  undo.redo();
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(1));
}

void CrossingParentsTest::recordsAreSentToTheLab() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  MainWindow window(coreCatalogue(), madeUpSessions());
  window.show();
  window.document().open(path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  window.document().selection().selectTask(window.document().session().tasks()[1].row.id);
  auto* view = window.findChild<RecombinationView*>();
  QTRY_VERIFY(window.steering().cross->isEnabled());
  window.steering().cross->trigger();
  QTRY_COMPARE(view->crossing().parents().size(), std::size_t(10));
  QCOMPARE(view->crossing().task(), window.document().session().tasks()[1].row.id);
  QTRY_VERIFY(view->isVisible());
  QCOMPARE(view->tabs()->currentIndex(), int(RecombinationView::Crossing));
  window.document().selection().cross(
      window.document().session().tasks()[1].row.id,
      {view->crossing().parents()[1].record, view->crossing().parents()[3].record});
  QTRY_COMPARE(view->crossing().parents().size(), std::size_t(2));
}

void CrossingParentsTest::parentsMayBeOfAnotherSession() {
  Bench bench;
  RecordQuery query;
  query.session = bench.session;
  query.task = bench.task;
  query.order = RecordQuery::Order::Fastest;
  query.limit = 2;
  const std::vector<Record> parents = bench.store().records().page(query);
  bench.document->create(bench.path, madeUpConfig("random"), false);
  QTRY_COMPARE(bench.document->session().contents().sessions.size(), std::size_t(2));
  QTRY_COMPARE(bench.document->state(), DocumentState::Ready);
  QVERIFY(bench.document->session().row().id != bench.session);
  bench.control().take(bench.task, {parents[0].id, parents[1].id}, 0);
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(2));
  bench.control().cross(50, 3);
  QTRY_COMPARE(bench.control().children().size(), std::size_t(50));
  int legal = -1;
  for (int i = 0; i < 50 && legal < 0; ++i)
    if (bench.control().canMeasure(i)) legal = i;
  QVERIFY(legal >= 0);
  bench.control().measure({legal});
  QTRY_VERIFY(bench.control().measured(legal).has_value());
  std::vector<Ancestor> family;
  bench.control().readFamily(legal, [&](std::vector<Ancestor> read) { family = std::move(read); });
  QTRY_VERIFY(!family.empty());
  QCOMPARE(family.front().session, 0);
  QCOMPARE(family.front().parents.size(), std::size_t(2));
  for (const Record& parent : parents) {
    const auto found = std::ranges::find(family, parent.program, &Ancestor::program);
    QVERIFY(found != family.end());
    QCOMPARE(found->session, bench.session);
    QCOMPARE(found->record, parent.id);
    QCOMPARE(found->seconds, parent.result.latency());
  }
  FamilyModel model;
  model.show(family);
  const QString origin = model.index(0, FamilyModel::Origin, model.index(0, 0)).data().toString();
  QVERIFY2(origin.contains(QStringLiteral("session %1").arg(bench.session)), qPrintable(origin));
}

NW_TEST_GUI(CrossingParentsTest)

} // namespace nestwright::crossing_parents_test

#include "crossing_parents.moc"
