/// In a file of several sessions all views count the same: those of the session or those of the
/// file, as the switch says.

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/sample.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/program/program_view.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_view.h"
#include "ui/scheduler/scheduler_model.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QFile>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace nestwright::one_truth_per_number_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class OneTruthTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void noTwoNumbersDisagree_data();
  void noTwoNumbersDisagree();
  void bestsSayWhoseTheyAre();
  void theScopeIsRemembered();
  void aReplayHasItsOwn();

 private:
  void show(RowId session, Scope scope);
  Document& document() { return window_->document(); }
  template <class View>
  View& view() {
    return *window_->panels().view<View>();
  }

  QTemporaryDir settings_, folder_;
  std::unique_ptr<MainWindow> window_;
};

void OneTruthTest::initTestCase() {
  keepSettingsIn(settings_);
}

void OneTruthTest::init() {
  window_.reset();
  const QString copy =
      folder_.filePath(QStringLiteral("%1.nwdb").arg(QTest::currentTestFunction()));
  if (!QFile::exists(copy)) {
    QVERIFY(QFile::copy(samplePath(), copy));
    QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
  }
  window_ = std::make_unique<MainWindow>(coreCatalogue());
  window_->resize(1600, 1000);
  window_->show();
  window_->openFile(copy);
  QTRY_COMPARE(document().state(), DocumentState::Ready);
  QTRY_VERIFY(!document().session().historyLoading());
}

void OneTruthTest::show(RowId session, Scope scope) {
  document().showSession(session);
  QTRY_COMPARE(document().state(), DocumentState::Ready);
  QTRY_VERIFY(!document().session().historyLoading());
  window_->actions().scopes[int(scope)]->trigger(); // the tool bar's
  QTRY_COMPARE(document().session().scope(), scope);
  QTRY_VERIFY(!document().session().historyLoading());
}

void OneTruthTest::noTwoNumbersDisagree_data() {
  QTest::addColumn<int>("session");
  QTest::addColumn<int>("scope");
  for (const int session : {0, 1})
    for (const Scope scope : {Scope::ThisSession, Scope::WholeFile})
      QTest::addRow("session %d, %s", session + 1, kScopeNames.of(scope)) << session << int(scope);
}

void OneTruthTest::noTwoNumbersDisagree() {
  QFETCH(const int, session);
  QFETCH(const int, scope);
  const RowId shown = document().session().contents().sessions[std::size_t(session)].id;
  show(shown, Scope(scope));
  const auto& tasks = *view<TaskView>().model();
  const auto& given = *view<SchedulerView>().table()->model();
  QCOMPARE(tasks.rowCount(), int(document().session().tasks().size()));
  double total = 0;
  bool complete = true;
  std::int64_t trials = 0;
  for (int row = 0; row < tasks.rowCount(); ++row) {
    const RowId task = tasks.index(row, TaskModel::Name).data(TaskRole).toLongLong();
    const double best = tasks.index(row, TaskModel::Best).data(SortRole).toDouble();
    const auto made = tasks.index(row, TaskModel::Trials).data(SortRole).toLongLong();
    trials += made;
    total += best * tasks.index(row, TaskModel::Weight).data(SortRole).toDouble();
    // The curve.
    const TaskHistory* curve = document().session().history().find(task);
    QVERIFY(curve != nullptr);
    QCOMPARE(curve->best(), best);
    // The scheduler.
    bool listed = false;
    for (int other = 0; other < given.rowCount(); ++other) {
      if (given.index(other, SchedulerModel::Name).data(TaskRole).toLongLong() != task) continue;
      QCOMPARE(given.index(other, SchedulerModel::Trials).data(SortRole).toLongLong(), made);
      listed = true;
    }
    QVERIFY(listed);
    // The program and its record.
    document().selection().selectTask(task);
    ProgramView& program = view<ProgramView>();
    QTRY_COMPARE(program.program().task, task);
    if (curve->bests.empty()) { // all that was below the file's best is contested
      QCOMPARE(Scope(scope), Scope::ThisSession);
      QTRY_COMPARE(program.program().ref.naive, true);
      complete = false;
    } else {
      QTRY_COMPARE(program.program().record, curve->bests.back().record);
      QVERIFY(program.program().isBest);
      QCOMPARE(program.program().result.latency(), best);
    }
    // The records and their figures.
    const RecordFigures& figures = *view<RecordView>().figures();
    QTRY_VERIFY(figures.count().has_value());
    QTRY_COMPARE(*figures.count(), made);
  }
  // The status line: the total, and what was measured for it.
  const QString status = window_->statusLine()->text();
  const QString told = complete ? timeText(total) : noValue();
  QVERIFY2(status.contains(QStringLiteral("best %1").arg(told)), qPrintable(status));
  const TotalPoint& last = document().session().history().total().back();
  QCOMPARE(last.complete, complete);
  if (complete) QCOMPARE(last.seconds, total);
  QCOMPARE(status.contains(QStringLiteral("(%1 in the file)").arg(trials)),
           Scope(scope) == Scope::WholeFile);
  if (Scope(scope) == Scope::ThisSession) QCOMPARE(trials, document().session().progress().trials);
}

void OneTruthTest::bestsSayWhoseTheyAre() {
  const auto tip = [&] {
    return view<TaskView>().model()->index(0, TaskModel::Best).data(Qt::ToolTipRole).toString();
  };
  const RowId first = document().session().contents().sessions.front().id;
  show(first, Scope::WholeFile);
  QVERIFY2(tip().contains(QStringLiteral("of the whole file, 2 sessions")), qPrintable(tip()));
  show(first, Scope::ThisSession);
  QVERIFY2(tip().contains(QStringLiteral("of this session")), qPrintable(tip()));
  for (const QAction* action : window_->actions().scopes)
    QVERIFY(action->isVisible());
}

void OneTruthTest::theScopeIsRemembered() {
  QCOMPARE(document().follower().scope(), Scope::WholeFile); // at first
  show(document().session().row().id, Scope::ThisSession);
  const QString path = document().file().path();
  document().close();
  QTRY_COMPARE(document().state(), DocumentState::Empty);
  window_->openFile(path);
  QTRY_COMPARE(document().state(), DocumentState::Ready);
  QCOMPARE(document().session().scope(), Scope::ThisSession);
  QVERIFY(window_->actions().scopes[int(Scope::ThisSession)]->isChecked());
  // A document with one session has nothing to choose.
  const auto one = makeSample(20);
  window_->openFile(one->path);
  QTRY_COMPARE(document().file().path(), one->path);
  QTRY_COMPARE(document().state(), DocumentState::Ready);
  QCOMPARE(document().session().scope(), Scope::WholeFile);
  for (const QAction* action : window_->actions().scopes)
    QVERIFY(!action->isVisible());
}

void OneTruthTest::aReplayHasItsOwn() {
  show(document().session().contents().sessions.back().id, Scope::ThisSession);
  document().replayMode().start();
  QTRY_COMPARE(document().session().scope(), Scope::WholeFile); // what the session knew
  for (const QAction* action : window_->actions().scopes)
    QVERIFY(!action->isEnabled() && action->toolTip().contains(QStringLiteral("replay")));
  document().replayMode().end();
  QTRY_VERIFY(!document().replayMode().isOn());
  QTRY_COMPARE(document().state(), DocumentState::Ready);
  QCOMPARE(document().session().scope(), Scope::ThisSession);
  QVERIFY(window_->actions().scopes[int(Scope::ThisSession)]->isEnabled());
}

NW_TEST_GUI(OneTruthTest)

} // namespace nestwright::one_truth_per_number_test

#include "one_truth_per_number.moc"
