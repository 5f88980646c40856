/// Who does what a tour says, on the sample that it opens, sees what it promises: each step is done
/// with the mouse and the keys, through the tour. Trials are measured by a made-up machine.

#include "core/record/rows/session_status.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/roles.h"
#include "ui/kit/step_player.h"
#include "ui/kit/theme.h"
#include "ui/lesson/tour.h"
#include "ui/program/loop_nest_page.h"
#include "ui/program/program_view.h"
#include "ui/records/record_model.h"
#include "ui/records/record_table.h"
#include "ui/records/record_view.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/help_commands.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"

#include <QAbstractButton>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTabBar>
#include <QTest>
#include <QTimer>

namespace nestwright::tours_can_be_followed_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

QString plain(QString text) {
  return text.remove(QLatin1Char('&')).remove(QStringLiteral(" …"));
}

/// The names of controls in a sentence: what is *slanted*, not **bold**.
QStringList namesIn(const QString& text) {
  static const QRegularExpression slanted(QStringLiteral("(?<!\\*)\\*([^*]+)\\*(?!\\*)"));
  QStringList names;
  for (auto found = slanted.globalMatch(text); found.hasNext();)
    names << found.next().captured(1);
  return names;
}

/// The command at the end of "View ▸ Layout" in the menus; null when there is none.
QAction* menuCommand(const MainWindow& window, const QString& path) {
  QList<QAction*> actions = window.menuBar()->actions();
  QAction* found = nullptr;
  for (const QString& part : path.split(QStringLiteral(" ▸ "))) {
    found = nullptr;
    for (QAction* action : actions)
      if (plain(action->text()) == part) found = action;
    if (!found) return nullptr;
    if (QMenu* menu = found->menu()) {
      Q_EMIT menu->aboutToShow();
      actions = menu->actions();
    }
  }
  return found;
}

bool hasColumn(QHeaderView* header, const QString& title) {
  if (!header || !header->model() || header->orientation() != Qt::Horizontal) return false;
  for (int column = 0; column < header->count(); ++column)
    if (header->model()->headerData(column, Qt::Horizontal).toString() == title)
      return !header->isSectionHidden(column);
  return false;
}

/// Whether something in the window that can be seen is called so: a control, a tab or a column.
bool isThere(const MainWindow& window, const QString& name) {
  if (name.contains(QStringLiteral(" ▸ "))) return menuCommand(window, name);
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    if (const auto* button = qobject_cast<QAbstractButton*>(widget))
      if (plain(button->text()) == name) return true;
    if (const auto* bar = qobject_cast<QTabBar*>(widget))
      for (int tab = 0; tab < bar->count(); ++tab)
        if (plain(bar->tabText(tab)) == name) return true;
    if (hasColumn(qobject_cast<QHeaderView*>(widget), name)) return true;
  }
  return false;
}

/// A user who follows a tour. What the tour covers cannot be clicked.
class Follower {
 public:
  explicit Follower(MainWindow& window) : window_(window) {}

  /// Where the tour covers the point, the click is the tour's.
  void click(QWidget* on, QPoint at = {}) {
    QVERIFY2(on && on->isVisible(), "there is nothing to click");
    if (at.isNull()) at = on->rect().center();
    const TourGuide* guide = window_.help().guide();
    const QPoint inGuide = on->mapTo(&window_, at);
    const bool covered = guide->isRunning() && !guide->isAncestorOf(on) &&
                         guide->geometry().contains(inGuide) && guide->mask().contains(inGuide);
    QVERIFY2(!covered, "the tour lies over what it says to click");
    QTest::mouseClick(on, Qt::LeftButton, {}, at);
  }
  void clickButton(QWidget* in, const QString& text) {
    for (QAbstractButton* button : in->findChildren<QAbstractButton*>())
      if (button->isVisible() && plain(button->text()) == text) {
        QVERIFY2(button->isEnabled(), qPrintable(text));
        return click(button);
      }
    QFAIL(qPrintable(QStringLiteral("no button ") + text));
  }
  void clickTab(QWidget* in, const QString& text) {
    for (QTabBar* bar : in->findChildren<QTabBar*>())
      for (int tab = 0; bar->isVisible() && tab < bar->count(); ++tab)
        if (bar->tabText(tab) == text) return click(bar, bar->tabRect(tab).center());
    QFAIL(qPrintable(QStringLiteral("no tab ") + text));
  }
  int clickTitle(QHeaderView* header, const QString& title) {
    for (int column = 0; column < header->count(); ++column)
      if (header->model()->headerData(column, Qt::Horizontal).toString() == title) {
        click(header->viewport(),
              {header->sectionViewportPosition(column) + 8, header->height() / 2});
        return column;
      }
    return -1;
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(window_.focusWidget() ? window_.focusWidget() : &window_, key, modifiers);
  }

 private:
  MainWindow& window_;
};

class ToursTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void lookAtASession();
  void tuneAndSteer();
  void understandTheSearch();

 private:
  void begin(const char* tour);
  /// Checks that the tour is at this step, of which everything that it names is there, and does it.
  void step(const std::function<void()>& act = [] {});
  Document& document() { return window_->document(); }
  template <class View>
  View* view() {
    return window_->panels().view<View>();
  }
  QWidget* panel(const char* name) { return window_->panels().panel(QString::fromLatin1(name)); }

  QTemporaryDir settings_;
  std::unique_ptr<MainWindow> window_;
  std::unique_ptr<Follower> user_;
  QString tour_;
  int step_ = 0;
};

void ToursTest::initTestCase() {
  qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
  keepSettingsIn(settings_);
  Settings::setFolder(settings_.path());
}

void ToursTest::init() {
  window_ = std::make_unique<MainWindow>(coreCatalogue(), pacedSessions());
  window_->resize(1280, 800);
  window_->show();
  user_ = std::make_unique<Follower>(*window_);
  step_ = 0;
}

void ToursTest::cleanup() {
  window_->close();
  QTRY_VERIFY_WITH_TIMEOUT(!window_->isVisible(), 20'000);
  user_.reset();
  window_.reset();
  Theme::instance().setZoom(1);
}

void ToursTest::begin(const char* tour) {
  tour_ = QLatin1String(tour);
  window_->help().startTour(tour_); // without a document: it opens the sample
  QTRY_VERIFY_WITH_TIMEOUT(window_->help().guide()->isRunning(), 30'000);
  QTRY_VERIFY_WITH_TIMEOUT(!document().session().historyLoading(), 30'000);
}

void ToursTest::step(const std::function<void()>& act) {
  if (QTest::currentTestFailed()) return;
  TourGuide& guide = *window_->help().guide();
  QCOMPARE(guide.step(), step_);
  const auto all = tours();
  const auto tour = std::ranges::find(all, tour_, &Tour::name);
  QVERIFY(tour != all.end());
  const TourStep& now = tour->steps.at(step_);
  if (now.target != QStringLiteral("window")) QTRY_VERIFY2(guide.target(), qPrintable(now.target));
  QTest::qWait(60); // a panel that has come to the front has its size
  for (const QString& name : namesIn(now.text))
    QVERIFY2(isThere(*window_, name),
             qPrintable(QStringLiteral("nothing is called \"%1\": %2").arg(name, now.text)));
  act();
  if (QTest::currentTestFailed()) return;
  QVERIFY2(guide.isRunning(), "doing what a step says ended the tour");
  ++step_;
  user_->clickButton(&guide,
                     step_ == tour->steps.size() ? QStringLiteral("Done") : QStringLiteral("Next"));
}

void ToursTest::lookAtASession() {
  begin("1-look");
  step();
  step([this] {
    auto* tasks = view<TaskView>();
    const int column = user_->clickTitle(tasks->horizontalHeader(), QStringLiteral("Share"));
    QCOMPARE(tasks->horizontalHeader()->sortIndicatorSection(), column);
  });
  step([this] {
    auto* plot = view<CurveView>()->plot();
    const bool shown = plot->options().showTasks;
    user_->clickButton(panel("curves"), QStringLiteral("Tasks"));
    QVERIFY(plot->options().showTasks != shown);
  });
  RowId chosen = 0;
  step([this, &chosen] {
    auto* records = view<RecordView>();
    user_->clickTitle(records->table()->horizontalHeader(), QStringLiteral("Latency"));
    const auto latency = [records](int row) {
      return records->model()->index(row, RecordModel::Latency).data(ExportRole).toDouble();
    };
    QTRY_VERIFY(latency(1) > 0 && latency(0) > 0 && latency(0) <= latency(1));
    user_->click(records->table()->viewport(),
                 records->table()->visualRect(records->model()->index(0, 0)).center());
    QTRY_VERIFY(document().selection().current().record != 0);
    chosen = document().selection().current().record;
  });
  step([this, &chosen] {
    user_->clickTab(panel("program"), QStringLiteral("Loop nest"));
    QTRY_COMPARE(view<ProgramView>()->program().record, chosen);
    QVERIFY(view<ProgramView>()->loopNest()->player()->steps() > 0);
  });
  step([this] { QVERIFY(window_->statusLine()->isVisible()); });
  step([this] {
    user_->press(Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(window_->commandPalette().isVisible());
    QTest::keyClick(&window_->commandPalette(), Qt::Key_Escape);
    QTRY_VERIFY(!window_->commandPalette().isVisible());
    user_->press(Qt::Key_F1);
    auto* help = window_->findChild<HelpWindow*>();
    QVERIFY(help && help->isVisible());
    help->close();
    user_->press(Qt::Key_F11);
    QVERIFY(window_->panels().maximised());
    user_->press(Qt::Key_F11);
    QVERIFY(!window_->panels().maximised());
  });
  QVERIFY(!window_->help().guide()->isRunning());
}

void ToursTest::tuneAndSteer() {
  begin("2-tune");
  const std::int64_t before = document().session().progress().trials;
  step([this] {
    user_->click(window_->help().guide()->target());
    QTRY_VERIFY_WITH_TIMEOUT(document().session().isRunning(), 20'000);
  });
  step([this] {
    auto* tasks = view<TaskView>();
    const QModelIndex cell = tasks->model()->index(0, TaskModel::Importance);
    const QRect at = tasks->visualRect(cell);
    QVERIFY2(tasks->viewport()->rect().contains(at), "the column is out of sight");
    user_->click(tasks->viewport(), {at.left() + 12, at.center().y()});
    const auto changed = [this] {
      const auto isOther = [](const TaskEntry& task) { return task.importance != 1; };
      return std::ranges::count_if(document().session().tasks(), isOther);
    };
    QTRY_COMPARE(changed(), 1);
    user_->press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(changed(), 0);
  });
  step([this] { QTRY_VERIFY(view<SchedulerView>()->table()->model()->rowCount() > 0); });
  step([this, before] {
    auto* plot = view<CurveView>()->plot();
    const bool shown = plot->options().showTrials;
    user_->clickButton(panel("curves"), QStringLiteral("Trials"));
    QVERIFY(plot->options().showTrials != shown);
    QTRY_VERIFY_WITH_TIMEOUT(document().session().progress().trials > before, 30'000);
  });
  step([this] {
    user_->click(window_->help().guide()->target());
    QTRY_COMPARE_WITH_TIMEOUT(document().session().status(), SessionStatus::Paused, 20'000);
  });
  step();
  step([this] {
    bool asked = false;
    QTimer::singleShot(0, this, [&asked] {
      auto* dialog = qobject_cast<NewSessionDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog);
      asked = true;
      dialog->reject();
    });
    user_->click(window_->help().guide()->target());
    QVERIFY(asked);
  });
  QVERIFY(!window_->help().guide()->isRunning());
}

void ToursTest::understandTheSearch() {
  begin("3-understand");
  step([this] {
    QVERIFY(window_->actions().layouts[int(ui::Layout::Teach)]->isChecked());
    user_->press(Qt::Key_Equal, Qt::ControlModifier);
    QTRY_VERIFY(Theme::instance().zoom() > 1);
    user_->press(Qt::Key_0, Qt::ControlModifier);
    QTRY_COMPARE(Theme::instance().zoom(), 1.0);
  });
  step([this] {
    auto* inspector = view<InspectorView>();
    user_->clickTab(panel("inspector"), QStringLiteral("Generations"));
    QCOMPARE(inspector->pages()->currentWidget(), static_cast<QWidget*>(inspector->generations()));
    user_->clickTab(panel("inspector"), QStringLiteral("Sketches"));
    QVERIFY(inspector->pages()->currentWidget() != static_cast<QWidget*>(inspector->generations()));
  });
  step([this] {
    user_->clickTab(panel("program"), QStringLiteral("Loop nest"));
    StepPlayer* player = view<ProgramView>()->loopNest()->player();
    QTRY_VERIFY(player->steps() > 1);
    const int position = player->position();
    for (QAbstractButton* button : player->findChildren<QAbstractButton*>())
      if (button->isEnabled() && player->position() == position) user_->click(button);
    QVERIFY(player->position() != position);
  });
  step();
  step();
  step([this] {
    QAction* glossary = menuCommand(*window_, QStringLiteral("Help ▸ Glossary"));
    QVERIFY(glossary && glossary->isEnabled());
    glossary->trigger();
    auto* help = window_->findChild<HelpWindow*>();
    QVERIFY(help && help->isVisible());
    help->close();
  });
  QVERIFY(!window_->help().guide()->isRunning());
}

NW_TEST_GUI(ToursTest)

} // namespace nestwright::tours_can_be_followed_test

#include "tours_can_be_followed.moc"
