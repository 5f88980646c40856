/// What the workbench is for, from a new document to the same screen on the next day: the story of
/// a session in one window. Trials are measured by a made-up machine, the whole network by this
/// one.

#include "core/record/rows/session_status.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/layout.h"
#include "ui/kit/roles.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/recombination/recombination_page.h"
#include "ui/recombination/recombination_view.h"
#include "ui/records/record_model.h"
#include "ui/records/record_view.h"
#include "ui/scheduler/scheduler_model.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_export.h"
#include "ui/window/panel_host.h"

#include <QAction>
#include <QFileInfo>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>

namespace nestwright::from_new_document_to_next_day_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

constexpr int kTrialsPerRound = 4;

QStringList shownPanels(MainWindow& window) {
  QStringList names;
  for (const Panel* panel : window.panels().panels())
    if (!panel->isHidden()) names.append(panel->name());
  return names;
}

template <class View>
View* viewIn(MainWindow& window, const char* panel) {
  for (const PanelView& view : window.panels().views())
    if (view.name == QLatin1String(panel)) return qobject_cast<View*>(view.widget);
  return static_cast<View*>(nullptr);
}

std::int64_t trialsOf(const Document& document) {
  std::int64_t trials = 0;
  for (const TaskEntry& task : document.session().tasks())
    trials += task.summary.trials;
  return trials;
}

SessionConfig config() {
  SessionConfig config;
  config.subjects = {"resnet18"};
  config.trials = 2000;
  config.trialsPerRound = kTrialsPerRound;
  config.policy = "random";
  config.scheduler = "round-robin";
  config.seed = 3;
  return config;
}

class WholeStoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void fromANewDocumentToTheNextDay();

 private:
  void begin(MainWindow& window);
  void pause(MainWindow& window);
  void changeWeights(MainWindow& window);
  void compare(MainWindow& window);
  void recombine(MainWindow& window);
  void exportCurves(MainWindow& window);

  QTemporaryDir settings_, folder_;
  QString path_;
  RowId task_ = 0, record_ = 0; // chosen by the user
};

void WholeStoryTest::initTestCase() {
  qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
  keepSettingsIn(settings_);
  path_ = folder_.filePath(QStringLiteral("resnet18.nwdb"));
}

void WholeStoryTest::fromANewDocumentToTheNextDay() {
  QStringList shown;
  {
    MainWindow window(coreCatalogue(), pacedSessions());
    window.resize(1280, 800);
    window.show();
    begin(window);
    if (QTest::currentTestFailed()) return;
    pause(window);
    changeWeights(window);
    if (QTest::currentTestFailed()) return;
    compare(window);
    if (QTest::currentTestFailed()) return;
    recombine(window);
    if (QTest::currentTestFailed()) return;
    exportCurves(window);
    window.actions().layouts[int(ui::Layout::Browse)]->trigger();
    window.panels().panel(QStringLiteral("tasks"))->hide();
    shown = shownPanels(window);
    window.close();
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 10'000);
  }
  MainWindow window(coreCatalogue(), pacedSessions());
  window.show();
  window.openFile(path_);
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state(), DocumentState::Ready, 10'000);
  QCOMPARE(shownPanels(window), shown);
  QCOMPARE(window.document().selection().current(), (Selection{task_, record_}));
  QCOMPARE(window.document().session().task(task_)->importance, 2.0);
  QTRY_COMPARE(window.panels().view<ProgramView>()->program().record, record_);
  const RecombinationControl& recombination =
      viewIn<RecombinationView>(window, "recombination")->control();
  QTRY_VERIFY(recombination.recombination().exists());
  QCOMPARE(recombination.recombination().status, SessionStatus::Finished);
  QVERIFY(recombination.recombination().kept);
}

/// New document, resnet18, start.
void WholeStoryTest::begin(MainWindow& window) {
  QTimer::singleShot(0, this, [this] {
    auto* dialog = qobject_cast<NewSessionDialog*>(QApplication::activeModalWidget());
    QVERIFY(dialog);
    dialog->setConfig(config());
    dialog->setPath(path_);
    QVERIFY2(dialog->problem().isEmpty(), qPrintable(dialog->problem()));
    QVERIFY(dialog->startNow());
    dialog->accept();
  });
  window.actions().newSession->trigger();
  Document& document = window.document();
  QTRY_VERIFY_WITH_TIMEOUT(document.session().isRunning(), 60'000);
  // Round-robin: now every task has some programs.
  const auto enough = [&] {
    return std::ranges::all_of(document.session().tasks(), [](const TaskEntry& task) {
      return task.summary.trials >= kTrialsPerRound && task.summary.bestRecord > 0;
    });
  };
  QTRY_VERIFY_WITH_TIMEOUT(enough(), 120'000);
}

void WholeStoryTest::pause(MainWindow& window) {
  window.actions().pause->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(window.document().session().status(), SessionStatus::Paused, 10'000);
}

/// Only one task is left in: all further trials are its own.
void WholeStoryTest::changeWeights(MainWindow& window) {
  Document& document = window.document();
  task_ = document.session().tasks().back().row.id;
  QAbstractItemModel& table = *window.panels().view<SchedulerView>()->table()->model();
  for (int row = 0; row < table.rowCount(); ++row) {
    const QModelIndex cell = table.index(row, SchedulerModel::Importance);
    const bool chosen = cell.data(TaskRole).toLongLong() == task_;
    QVERIFY(table.setData(cell, chosen ? 2 : 0));
  }
  const std::int64_t before = document.session().task(task_)->summary.trials;
  const std::int64_t others = trialsOf(document) - before;
  window.actions().start->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(document.session().task(task_)->summary.trials >= before + 12, 60'000);
  pause(window);
  // The round that was chosen before the change is finished first.
  const std::int64_t now = trialsOf(document) - document.session().task(task_)->summary.trials;
  QVERIFY2(now <= others + kTrialsPerRound, qPrintable(QString::number(now - others)));
}

/// Select a task and one of its programs, and put that beside the best.
void WholeStoryTest::compare(MainWindow& window) {
  Document& document = window.document();
  document.selection().selectTask(task_);
  QTRY_VERIFY(window.panels().view<ProgramView>()->program().record > 0);
  const RowId best = document.session().task(task_)->summary.bestRecord;
  QAbstractItemModel& records = *window.panels().view<RecordView>()->model();
  QTRY_VERIFY(records.rowCount() > 2);
  for (int row = 0; row < records.rowCount() && record_ == 0; ++row) {
    const QModelIndex cell = records.index(row, 0);
    if (cell.data(RecordRole).toLongLong() != best) record_ = cell.data(RecordRole).toLongLong();
  }
  document.selection().select({task_, record_});
  QTRY_COMPARE(window.panels().view<ProgramView>()->program().record, record_);
  window.panels().view<ProgramView>()->head()->compareWithBest();
  const ProgramCompareView& both = *window.panels().view<ProgramCompareView>();
  QTRY_VERIFY_WITH_TIMEOUT(both.isComplete(), 30'000);
  QVERIFY(!both.isHidden());
  QVERIFY2(!both.verdict().isEmpty(), "the comparison says nothing");
}

void WholeStoryTest::recombine(MainWindow& window) {
  window.panels().raise(QStringLiteral("recombination"));
  auto& view = *viewIn<RecombinationView>(window, "recombination");
  RecombinationPage& page = *view.page();
  RecombinationControl& control = view.control();
  QTRY_VERIFY_WITH_TIMEOUT(page.startButton()->isEnabled(), 10'000);
  page.candidates()->setValue(2);
  page.samples()->setValue(2);
  page.startButton()->click();
  QTRY_VERIFY_WITH_TIMEOUT(control.recombination().exists(), 30'000);
  QTRY_COMPARE_WITH_TIMEOUT(control.recombination().status, SessionStatus::Finished, 240'000);
  QVERIFY(control.recombination().samples.size() >= 3); // the per-task bests, too
  QVERIFY2(!page.headline().isEmpty(), "no outcome is told");
  QVERIFY(page.table()->model()->rowCount() > 10);
  page.keepButton()->click();
  QTRY_VERIFY(control.recombination().kept);
}

void WholeStoryTest::exportCurves(MainWindow& window) {
  const QString figure = folder_.filePath(QStringLiteral("curves.svg"));
  std::optional<QString> problem;
  window.panelExport().write(QStringLiteral("curves"), figure,
                             [&](const QString& text) { problem = text; });
  QTRY_VERIFY(problem);
  QCOMPARE(*problem, QString());
  QVERIFY(QFileInfo(figure).size() > 3000);
}

NW_TEST_GUI(WholeStoryTest)

} // namespace nestwright::from_new_document_to_next_day_test

#include "from_new_document_to_next_day.moc"
