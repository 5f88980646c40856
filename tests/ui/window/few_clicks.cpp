/// What people do with the window from end to end, with the mouse, on the sample document: few
/// clicks, and no dialog in between. Trials are measured by a made-up machine.

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/session_compare_model.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"
#include "ui/program/comparison_head.h"
#include "ui/program/diff_page.h"
#include "ui/program/program_compare_view.h"
#include "ui/scheduler/scheduler_model.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/guidance/guidance_line.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/welcome_page.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

namespace nestwright::few_clicks_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// A user who only has a mouse, counts clicks, and meets no dialog.
class Mouse {
 public:
  void click(QWidget* on, const QPoint& at = {}) {
    QVERIFY2(on && on->isVisible(), "there is nothing to click");
    QTRY_VERIFY_WITH_TIMEOUT(on->isEnabled(), 20'000);
    QTest::mouseClick(on, Qt::LeftButton, {}, at);
    ++clicks_;
    QVERIFY2(!QApplication::activeModalWidget(), "a dialog stands in the way");
  }
  void clickTab(const QWidget& window, const QString& title) {
    for (QTabBar* bar : window.findChildren<QTabBar*>())
      for (int tab = 0; bar->isVisible() && tab < bar->count(); ++tab)
        if (bar->tabText(tab) == title) return click(bar, bar->tabRect(tab).center());
    QFAIL(qPrintable(QStringLiteral("no tab ") + title));
  }
  /// The sample document, on the welcome page.
  void clickSample(MainWindow& window) {
    for (QToolButton* button : window.page()->findChildren<QToolButton*>())
      if (button->defaultAction() == window.actions().sample) click(button);
  }
  void clickAction(const QMainWindow& window, QAction* action) {
    auto* bar = window.findChild<QToolBar*>(QStringLiteral("sessionBar"));
    click(bar->widgetForAction(action));
  }
  /// A menu and its command: two clicks.
  void clickMenu(MainWindow& window, const QString& menu, const QString& command) {
    for (QAction* top : window.menuBar()->actions())
      if (top->text().remove(QLatin1Char('&')) == menu)
        for (QAction* action : top->menu()->actions())
          if (action->text().remove(QLatin1Char('&')) == command) {
            QVERIFY2(action->isEnabled(), qPrintable(command));
            clicks_ += 2;
            return action->trigger();
          }
    QFAIL(qPrintable(QStringLiteral("no command ") + command));
  }
  void clickCell(QTableView* table, int row, int column) {
    const QModelIndex index = table->model()->index(row, column);
    table->scrollTo(index);
    click(table->viewport(), table->visualRect(index).center());
  }
  int clicks() const { return clicks_; }
  void begin() { clicks_ = 0; }

 private:
  int clicks_ = 0;
};

class FlowsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aNewcomerKnowsWhereToLook();
  void fromTheSampleToAPicture();
  void isTodayFasterThanLastWeek();

 private:
  QTemporaryDir folder_;
};

void FlowsTest::initTestCase() {
  qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
  keepSettingsIn(folder_);
  Settings::setFolder(folder_.path());
}

/// From the first window to the task that is worth looking at, and why.
void FlowsTest::aNewcomerKnowsWhereToLook() {
  MainWindow window(coreCatalogue(), pacedSessions());
  window.resize(1280, 800);
  window.show();
  Document& document = window.document();
  Mouse mouse;
  mouse.clickSample(window);
  QTRY_COMPARE_WITH_TIMEOUT(document.state(), DocumentState::Ready, 20'000);
  GuidanceLine& line = *window.guidance();
  QTRY_VERIFY_WITH_TIMEOUT(line.isVisible() && line.shown() && line.shown()->task != 0, 20'000);
  const Guidance told = *line.shown();
  const QString task = taskTitle(document.session().task(told.task)->row.name);
  QVERIFY2(line.text().contains(task) && line.text().contains(percentText(told.gain)),
           qPrintable(line.text()));
  mouse.click(line.button());
  QCOMPARE(document.selection().current().task, told.task);
  QVERIFY(mouse.clicks() <= 3);
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

/// Flow 1: the sample → the slowest task → tune 2 minutes → pause → re-weight → resume → the curve
/// as SVG.
void FlowsTest::fromTheSampleToAPicture() {
  MainWindow window(coreCatalogue(), pacedSessions());
  window.resize(1400, 860);
  window.show();
  Document& document = window.document();
  Mouse mouse;
  mouse.clickSample(window);
  QTRY_COMPARE_WITH_TIMEOUT(document.state(), DocumentState::Ready, 20'000);
  QTRY_VERIFY_WITH_TIMEOUT(!document.session().historyLoading(), 20'000);
  // The slowest task: two clicks on the title of the column sort it to the top.
  TaskView* tasks = window.panels().view<TaskView>();
  QHeaderView* header = tasks->horizontalHeader();
  const QPoint title(header->sectionViewportPosition(TaskModel::Share) + 20, header->height() / 2);
  for (int times = 0;
       times < 2 && tasks->horizontalHeader()->sortIndicatorOrder() != Qt::DescendingOrder; ++times)
    mouse.click(header->viewport(), title);
  mouse.clickCell(tasks, 0, TaskModel::Name);
  const RowId slowest = document.selection().current().task;
  QVERIFY(slowest != 0);
  double largest = 0;
  RowId expected = 0;
  for (const TaskEntry& task : document.session().tasks())
    if (const double time = task.row.weight * task.summary.bestSeconds; time > largest)
      largest = time, expected = task.row.id;
  QCOMPARE(slowest, expected);

  mouse.clickAction(window, window.actions().tuneShortly);
  QTRY_VERIFY_WITH_TIMEOUT(document.session().isRunning(), 60'000);
  mouse.clickAction(window, window.actions().pause);
  QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Paused, 30'000);
  mouse.clickTab(window, QStringLiteral("Scheduler"));
  QTableView* scheduler = window.panels().view<SchedulerView>()->table();
  int row = 0;
  while (row < scheduler->model()->rowCount() &&
         scheduler->model()->index(row, 0).data(TaskRole).toLongLong() != slowest)
    ++row;
  const QModelIndex importance = scheduler->model()->index(row, SchedulerModel::Importance);
  scheduler->scrollTo(importance);
  const QRect cell = scheduler->visualRect(importance);
  mouse.click(scheduler->viewport(), QPoint(cell.left() + cell.width() / 2, cell.center().y()));
  QVERIFY2(document.session().task(slowest)->importance > 1,
           qPrintable(QString::number(document.session().task(slowest)->importance)));
  mouse.clickAction(window, window.actions().start);
  QTRY_VERIFY_WITH_TIMEOUT(document.session().isRunning(), 60'000);
  mouse.clickTab(window, QStringLiteral("Tuning Curves"));
  mouse.clickMenu(window, QStringLiteral("File"), QStringLiteral("Save as SVG"));
  const QString picture = folder_.filePath(QStringLiteral("sample-tuning-curves.svg"));
  QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(picture).size() > 3000, 20'000);
  QVERIFY(!QApplication::activeModalWidget());
  qInfo("%d clicks", mouse.clicks());
  QVERIFY(mouse.clicks() <= 12);
  // Once more is another file: nothing is overwritten without asking.
  mouse.clickMenu(window, QStringLiteral("File"), QStringLiteral("Save as SVG"));
  QTRY_VERIFY(QFileInfo::exists(folder_.filePath(QStringLiteral("sample-tuning-curves-2.svg"))));
  window.close();
  QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 30'000);
}

/// Flow 3: is it faster, by how much, is it noise, which task, which program, which step.
void FlowsTest::isTodayFasterThanLastWeek() {
  const QString copy = folder_.filePath(QStringLiteral("two.nwdb"));
  QVERIFY(QFile::copy(samplePath(), copy));
  QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
  MainWindow window(coreCatalogue(), pacedSessions());
  window.resize(1400, 860);
  window.show();
  window.openFile(copy);
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state(), DocumentState::Ready, 20'000);
  QVERIFY(window.document().session().contents().sessions.size() >= 2);
  Mouse mouse;
  mouse.clickTab(window, QStringLiteral("Compare"));
  mouse.clickTab(window, QStringLiteral("Sessions"));
  CompareView* view = window.panels().view<CompareView>();
  QTRY_VERIFY_WITH_TIMEOUT(view->model()->rowCount() > 10, 20'000);
  // Is it faster, by how much, is it noise: in words, with both times and the interval.
  const LatencyComparison& total = view->model()->comparison().total;
  QVERIFY(view->left().session < view->right().session);
  for (const QString& part : {QStringLiteral("noise"), QStringLiteral("95 %"), timeText(total.left),
                              timeText(total.right)})
    QVERIFY2(view->total().contains(part), qPrintable(view->total()));
  // Both on one chart: what is written at the other's curve says the same.
  auto* compare =
      window.panels().view<CurveView>()->findChild<QToolButton*>(QStringLiteral("compare"));
  Q_EMIT compare->menu()->aboutToShow();
  compare->menu()->actions().front()->trigger();
  const CurveOverlays& overlays = window.panels().view<CurveView>()->plot()->overlays();
  QTRY_COMPARE_WITH_TIMEOUT(overlays.names().size(), 1, 20'000);
  const QString other = overlays.names().front();
  const bool same = total.verdict == LatencyVerdict::NotSignificant;
  QVERIFY2(same == other.contains(QStringLiteral("within noise")) &&
               (same || other.contains(QStringLiteral("faster")) ||
                other.contains(QStringLiteral("slower"))),
           qPrintable(other));
  // Which task: the one on top. Its verdict can be read without scrolling.
  const QModelIndex verdict = view->table()->model()->index(0, SessionCompareModel::Verdict);
  QVERIFY(view->table()->viewport()->rect().contains(view->table()->visualRect(verdict)));
  mouse.clickCell(view->table(), 0, SessionCompareModel::Task);
  ProgramCompareView* programs = window.panels().view<ProgramCompareView>();
  QTRY_VERIFY_WITH_TIMEOUT(programs->isComplete(), 30'000);
  QVERIFY(programs->isVisible());
  QVERIFY(!programs->verdict().isEmpty());
  // Which step.
  mouse.clickTab(window, QStringLiteral("Steps"));
  const DiffPage* steps = programs->page(ProgramCompareView::StepTab);
  QTRY_VERIFY(steps->isVisible());
  QVERIFY2(steps->summary()->text().contains(QStringLiteral("step")),
           qPrintable(steps->summary()->text()));
  QVERIFY2(mouse.clicks() <= 4, qPrintable(QString::number(mouse.clicks())));
  // Side by side both are told apart.
  QVERIFY(programs->head(Side::A)->alias() != programs->head(Side::B)->alias());
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

NW_TEST_GUI(FlowsTest)

} // namespace nestwright::few_clicks_test

#include "few_clicks.moc"
