/// The window at first sight: few panels, nothing cut on a small screen, and what the session is
/// after within reach.

#include "core/story/plan.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/opened_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/document/policy_offer.h"
#include "ui/document/sample.h"
#include "ui/document/steering.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/look/elide.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/first_size.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QComboBox>
#include <QDataStream>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTabBar>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

#include <map>
#include <memory>
#include <set>

namespace nestwright::calm_window_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// Tabs of panels that can be seen.
QStringList tabsOf(MainWindow& window) {
  QStringList titles;
  for (const QTabBar* bar :
       window.panels().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    for (int tab = 0; bar->isVisible() && tab < bar->count(); ++tab)
      titles.append(bar->tabText(tab));
  return titles;
}

QStringList shownPanels(MainWindow& window) {
  QStringList names;
  for (const Panel* panel : window.panels().panels())
    if (!panel->isHidden()) names.append(panel->name());
  return names;
}

QMenu* menuOf(const MainWindow& window, const QString& title) {
  for (QAction* top : window.menuBar()->actions())
    if (top->text().remove(QLatin1Char('&')) == title) return top->menu();
  return nullptr;
}

QToolBar& toolBarOf(const MainWindow& window) {
  return *window.findChild<QToolBar*>(QStringLiteral("sessionBar"));
}

/// By the name that it has for screen readers; null: there is none.
QToolButton* toolButton(const MainWindow& window, const char* name) {
  for (auto* button : toolBarOf(window).findChildren<QToolButton*>())
    if (button->accessibleName() == QLatin1String(name)) return button;
  return nullptr;
}

QComboBox* comboNamed(const QWidget& window, const char* name) {
  for (auto* list : window.findChildren<QComboBox*>())
    if (list->accessibleName() == QLatin1String(name)) return list;
  qFatal("no list %s", name);
}

/// The letters behind an "&", each with what has it.
QStringList doubledMnemonics(const QWidget& window) {
  std::map<QChar, QStringList> owners;
  const auto note = [&](const QWidget* widget, const QString& text) {
    if (widget->isVisibleTo(&window))
      if (const QKeySequence keys = QKeySequence::mnemonic(text); !keys.isEmpty())
        owners[keys.toString().back()].append(text);
  };
  for (const auto* label : window.findChildren<QLabel*>())
    if (label->buddy()) note(label, label->text());
  for (const auto* button : window.findChildren<QAbstractButton*>())
    note(button, button->text());
  QStringList doubled;
  for (const auto& [letter, texts] : owners)
    if (texts.size() > 1) doubled.append(texts.join(QStringLiteral(" / ")));
  return doubled;
}

/// What a workbench of former days kept: more panels, of which each was one view.
QByteArray formerArrangement() {
  const QStringList names{
      "tasks",   "curves",           "scheduler", "task_graph",     "records",
      "program", "compare",          "inspector", "recombination",  "cost_model",
      "travel",  "roofline",         "log",       "budget",         "notes",
      "import",  "compare-sessions", "data-set",  "compare-models", "training"};
  QMainWindow host;
  QList<QDockWidget*> docks;
  for (const QString& name : names) {
    auto* dock = new QDockWidget(name, &host);
    dock->setObjectName(name + QStringLiteral("Panel"));
    host.addDockWidget(docks.size() % 2 ? Qt::RightDockWidgetArea : Qt::LeftDockWidgetArea, dock);
    if (docks.size() > 1) host.tabifyDockWidget(docks[docks.size() % 2], dock);
    docks.append(dock);
  }
  QByteArray bytes;
  QDataStream stream(&bytes, QIODevice::WriteOnly);
  stream << 4 << QStringList{"tasks", "curves", "notes", "budget", "roofline", "import"}
         << host.saveState();
  return bytes;
}

class CalmWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init() { QSettings().clear(); }
  void tenPanelsAtFirstSight();
  void nothingIsCutOnASmallScreen();
  void layoutsAreAClickAway();
  void menusAreShort();
  void emptyPanelsWaitForData();
  void formerArrangementsOpen();
  void viewsAreFoundByTheirNames_data();
  void viewsAreFoundByTheirNames();
  void policyAndObjectiveAreInTheToolBar();
  void thePaletteChangesThePlan();
  void thePaletteKnowsOtherWords_data();
  void thePaletteKnowsOtherWords();
  void thePaletteSaysThatThereIsNothing();
  void whatNeedsAModelOffersOne();
  void newSessionHasEachMnemonicOnce();
  void newSessionSaysWhyRandomWillDo();
  void theFirstWindowIsOnTheScreen();

 private:
  QTemporaryDir settings_, folder_;
  QString copy_;
};

void CalmWindowTest::initTestCase() {
  keepSettingsIn(settings_);
  copy_ = folder_.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(samplePath(), copy_));
  QVERIFY(QFile(copy_).setPermissions(QFile::ReadOwner | QFile::WriteOwner));
}

/// The sample that is delivered, as it opens on a small screen.
struct SmallScreen {
  MainWindow window{coreCatalogue()};
  explicit SmallScreen(const QString& path) {
    window.resize(1280, 800);
    window.show();
    window.openFile(path);
    wait();
  }
  void wait() {
    QTRY_COMPARE_WITH_TIMEOUT(window.document().state(), DocumentState::Ready, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().session().historyLoading(), 20'000);
    QTest::qWait(100); // tabs are put together after the panels
  }
};

void CalmWindowTest::tenPanelsAtFirstSight() {
  SmallScreen small(copy_);
  QVERIFY2(shownPanels(small.window).size() <= 10, qPrintable(shownPanels(small.window).join(' ')));
  const QStringList tabs = tabsOf(small.window);
  QVERIFY2(tabs.size() >= 5 && tabs.size() <= 10, qPrintable(tabs.join(' ')));
  QVERIFY(panelSpecs().size() <= 10);
}

void CalmWindowTest::nothingIsCutOnASmallScreen() {
  SmallScreen small(copy_);
  MainWindow& window = small.window;
  QCOMPARE(window.size(), QSize(1280, 800)); // nothing has widened it
  const TaskView& view = *window.panels().view<TaskView>();
  const QHeaderView& header = *view.horizontalHeader();
  int lastInSight = -1;
  for (int column = 0; column < TaskModel::ColumnCount; ++column) {
    if (view.isColumnHidden(column)) continue;
    const QString title = view.model()->headerData(column, Qt::Horizontal).toString();
    QVERIFY2(header.sectionSize(column) >= header.fontMetrics().horizontalAdvance(title) + 8,
             qPrintable(title));
    const int right = view.columnViewportPosition(column) + view.columnWidth(column);
    if (right <= view.viewport()->width()) lastInSight = column;
  }
  QVERIFY2(lastInSight >= TaskModel::Paused, "pin and pause are in reach");
  // Names that are cut differ where they are not.
  QStringList names;
  for (int row = 0; row < view.model()->rowCount(); ++row)
    names.append(view.model()->index(row, TaskModel::Name).data().toString());
  std::set<QString> shown;
  for (const QString& name : names)
    shown.insert(elidedApart(name, names, view.fontMetrics(),
                             view.columnWidth(TaskModel::Name) - 2 * view.fontMetrics().height()));
  QCOMPARE(shown.size(), std::set<QString>(names.begin(), names.end()).size());
  // The status line is on the screen, with all that it says.
  const QWidget* status = window.statusLine();
  QVERIFY(status->mapTo(&window, QPoint(0, status->height())).y() <= 800);
  for (const auto* label : status->findChildren<QLabel*>())
    if (label->isVisible() && !label->text().isEmpty())
      QVERIFY2(label->mapTo(&window, QPoint(label->width(), 0)).x() <= 1280,
               qPrintable(label->text()));
  // No button of the tool bar hides behind its end.
  for (const auto* button : toolBarOf(window).findChildren<QToolButton*>())
    if (button->objectName() == QLatin1String("qt_toolbar_ext_button"))
      QVERIFY2(!button->isVisible(), "the tool bar is too long");
  for (const QTabBar* tabs :
       window.panels().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab)
      QVERIFY2(tabs->rect().contains(tabs->tabRect(tab)), qPrintable(tabs->tabText(tab)));
}

void CalmWindowTest::layoutsAreAClickAway() {
  SmallScreen small(copy_);
  for (const ui::Layout layout : {ui::Layout::Browse, ui::Layout::Teach, ui::Layout::Tune}) {
    QAction* action = small.window.actions().layouts[std::size_t(layout)];
    auto* button = qobject_cast<QToolButton*>(toolBarOf(small.window).widgetForAction(action));
    QVERIFY(button && button->isVisible());
    QCOMPARE(button->text(), title(layout));
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(action->isChecked() && button->isChecked());
  }
}

void CalmWindowTest::menusAreShort() {
  MainWindow window(coreCatalogue());
  const QMenu* session = menuOf(window, QStringLiteral("Session"));
  QVERIFY(session);
  int entries = 0;
  QStringList letters;
  for (const QAction* action : session->actions()) {
    if (action->isSeparator()) continue;
    ++entries;
    const QString keys = QKeySequence::mnemonic(action->text()).toString();
    QVERIFY2(!letters.contains(keys) && !keys.isEmpty(), qPrintable(action->text()));
    letters.append(keys);
  }
  QVERIFY2(entries <= 14, qPrintable(QString::number(entries)));
}

/// A session that learns nothing has nothing for the lab, until it learns.
void CalmWindowTest::emptyPanelsWaitForData() {
  SessionScript script;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  const Panel* lab = window.panels().panel(QStringLiteral("cost_model"));
  QVERIFY(lab->isHidden());
  QVERIFY(!window.panels().panel(QStringLiteral("inspector"))->isHidden());
  Plan plan = planOf(window.document().session().config());
  plan.search.policy = "evolutionary";
  window.document().steering().setPlan(plan);
  QTRY_VERIFY(!lab->isHidden());
  // It comes behind what is seen.
  QVERIFY(window.panels().panel(QStringLiteral("program"))->isVisible());
}

void CalmWindowTest::formerArrangementsOpen() {
  SmallScreen small(copy_);
  QVERIFY(small.window.panels().restore(formerArrangement()));
  // What is a view of another panel now shows that one.
  QCOMPARE(shownPanels(small.window),
           (QStringList{"tasks", "curves", "scheduler", "program", "log"}));
  QVERIFY(!small.window.panels().restore("nonsense"));
}

void CalmWindowTest::viewsAreFoundByTheirNames_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("panel");
  for (const auto& [name, panel] :
       {std::pair{"log", "log"}, std::pair{"notes", "log"}, std::pair{"budget", "scheduler"},
        std::pair{"scheduler", "scheduler"}, std::pair{"compare-sessions", "compare"},
        std::pair{"races", "compare"}, std::pair{"recombination", "inspector"},
        std::pair{"inspector", "inspector"}, std::pair{"roofline", "program"},
        std::pair{"program", "program"}, std::pair{"travel", "cost_model"},
        std::pair{"training", "cost_model"}, std::pair{"cost_model", "cost_model"},
        std::pair{"data-set", "cost_model"}})
    QTest::newRow(name) << QString::fromLatin1(name) << QString::fromLatin1(panel);
}

void CalmWindowTest::viewsAreFoundByTheirNames() {
  QFETCH(QString, name);
  QFETCH(QString, panel);
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  window.showView(name);
  const Panel* found = window.panels().panel(name);
  QVERIFY(found && found->name() == panel && !found->isHidden());
  QCOMPARE(found->inFront().name, name);
  QTRY_VERIFY(found->view()->isVisible());
}

/// By clicks on what stands there.
void CalmWindowTest::policyAndObjectiveAreInTheToolBar() {
  SessionScript script;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  const auto button = [&](const char* name) { return toolButton(window, name); };
  const auto choose = [&](const char* name, const char* entry) {
    QToolButton* at = button(name);
    QTRY_VERIFY(at && at->isVisible() && at->isEnabled());
    for (QAction* action : at->menu()->actions())
      if (action->text().contains(QLatin1String(entry))) return action->trigger();
    QFAIL(entry);
  };
  QCOMPARE(button("Search policy")->text(), QStringLiteral("random"));
  QVERIFY(button("Search policy")->toolTip().contains(QStringLiteral("0.999 ms")));
  QCOMPARE(button("Objective")->text(), QStringLiteral("total latency"));
  QCOMPARE(button("Budget")->text(), QStringLiteral("1,000 trials"));
  choose("Search policy", "evolutionary");
  QCOMPARE(window.document().session().config().policy, std::string("evolutionary"));
  QCOMPARE(button("Search policy")->text(), QStringLiteral("evolutionary"));
  QTRY_VERIFY(!script.commands.empty());
  QVERIFY(std::holds_alternative<SetSearchOptions>(script.commands.back()));
  choose("Objective", "mean speed-up");
  QTRY_VERIFY(std::holds_alternative<SetObjective>(script.commands.back()));
  QCOMPARE(window.document().session().config().objective.kind, ObjectiveKind::SpeedUp);
  window.actions().undo->trigger();
  QCOMPARE(button("Objective")->text(), QStringLiteral("total latency"));
  // All of it is in the form.
  choose("Budget", "Plan and Budget");
  QCOMPARE(window.panels().panel(QStringLiteral("scheduler"))->inFront().name,
           QStringLiteral("budget"));
}

void CalmWindowTest::thePaletteChangesThePlan() {
  SessionScript script;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  CommandPalette& palette = window.commandPalette();
  palette.popUp();
  palette.line()->setText(QStringLiteral("policy: evol"));
  QTest::keyClick(palette.line(), Qt::Key_Return);
  QCOMPARE(window.document().session().config().policy, std::string("evolutionary"));
}

void CalmWindowTest::thePaletteKnowsOtherWords_data() {
  QTest::addColumn<QString>("typed");
  QTest::addColumn<QString>("title");
  QTest::newRow("algorithm") << "algorithm"
                             << "Search Policy: random";
  QTest::newRow("diff") << "diff"
                        << "Go to Compare";
  QTest::newRow("dark mode") << "dark mode"
                             << "Dark";
  QTest::newRow("documentation") << "documentation"
                                 << "Manual";
  QTest::newRow("goal") << "goal"
                        << "Objective: total latency";
  QTest::newRow("convergence") << "convergence"
                               << "Go to Tuning Curves";
}

void CalmWindowTest::thePaletteKnowsOtherWords() {
  QFETCH(QString, typed);
  QFETCH(QString, title);
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  CommandPalette& palette = window.commandPalette();
  palette.popUp();
  palette.line()->setText(typed);
  QStringList found;
  for (const PaletteItem& item : palette.items())
    found.append(item.title);
  QVERIFY2(found.contains(title), qPrintable(found.mid(0, 12).join(QStringLiteral(", "))));
}

void CalmWindowTest::thePaletteSaysThatThereIsNothing() {
  MainWindow window(coreCatalogue());
  window.show();
  CommandPalette& palette = window.commandPalette();
  palette.popUp();
  palette.line()->setText(QStringLiteral("zzqxj"));
  QVERIFY(palette.items().empty());
  const auto* list = palette.findChild<QListView*>();
  QVERIFY(list->model()->rowCount() > 0);
  QVERIFY(list->model()->index(0, 0).data().toString().contains(QStringLiteral("zzqxj")));
  QTest::keyClick(palette.line(), Qt::Key_Return); // nothing to run
  QVERIFY(palette.isVisible());
}

void CalmWindowTest::whatNeedsAModelOffersOne() {
  SessionScript script;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  window.showView(QStringLiteral("cost_model"));
  auto* offer = window.panels().view<CostModelView>()->findChild<PolicyOffer*>();
  QVERIFY(offer);
  QTRY_VERIFY(offer->button()->isVisible());
  QVERIFY2(offer->button()->text().contains(QStringLiteral("evolutionary")),
           qPrintable(offer->button()->text()));
  QTest::mouseClick(offer->button(), Qt::LeftButton);
  QCOMPARE(window.document().session().config().policy, std::string("evolutionary"));
  QVERIFY(!offer->isVisible());
  QTRY_VERIFY(!script.commands.empty());
  window.actions().undo->trigger();
  QVERIFY(offer->isVisible());
}

void CalmWindowTest::newSessionHasEachMnemonicOnce() {
  NewSessionDialog dialog(coreCatalogue());
  dialog.show();
  for (auto* button : dialog.findChildren<QToolButton*>())
    if (button->isCheckable() && button->text() == QLatin1String("More")) button->setChecked(true);
  const QStringList doubled = doubledMnemonics(dialog);
  QVERIFY2(doubled.isEmpty(), qPrintable(doubled.join(QStringLiteral("; "))));
}

void CalmWindowTest::newSessionSaysWhyRandomWillDo() {
  NewSessionDialog dialog(coreCatalogue());
  dialog.show();
  const auto says = [&](const char* words) {
    for (const auto* label : dialog.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(QLatin1String(words))) return true;
    return false;
  };
  auto* method = comboNamed(dialog, "Method"); // an effort breeds them
  method->setCurrentIndex(method->findData(QStringLiteral("nestwright")));
  Q_EMIT method->activated(method->currentIndex());
  QVERIFY(says("random programs were as fast"));
  QVERIFY(says("Packing and register tiling"));
}

/// With the frame that a desktop gives it.
void CalmWindowTest::theFirstWindowIsOnTheScreen() {
  const QRect small(0, 0, 1280, 800);
  QCOMPARE(firstSize({1000, 600}, small), QSize(1000, 600));
  const QSize size = firstSize({1400, 900}, small);
  QVERIFY(size.width() <= 1280 && size.height() + 32 <= 800);
  MainWindow window(coreCatalogue());
  window.resize(size);
  window.show();
  QCOMPARE(window.size(), size); // its parts have room
}

NW_TEST_GUI(CalmWindowTest)

} // namespace nestwright::calm_window_test

#include "calm_window.moc"
