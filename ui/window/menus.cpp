#include "ui/window/menus.h"

#include "core/story/scope.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/settings.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lesson/tour.h"
#include "ui/window/actions.h"
#include "ui/window/deploy/deploy_command.h"
#include "ui/window/deploy/emit_command.h"
#include "ui/window/lesson_commands.h"
#include "ui/window/note_actions.h"
#include "ui/window/panel.h"
#include "ui/window/panel_export.h"
#include "ui/window/panel_host.h"
#include "ui/window/plan_bar.h"
#include "ui/window/polish/polish_command.h"
#include "ui/window/race/race_command.h"
#include "ui/window/record_exchange.h"
#include "ui/window/report/report_command.h"
#include "ui/window/steering_actions.h"

#include <QMainWindow>
#include <QMenuBar>
#include <QToolBar>

namespace nestwright::ui {

PlanBar* buildToolBar(QMainWindow& window, Document& document, Actions& actions) {
  QToolBar* bar = window.addToolBar(Menus::tr("Session"));
  bar->setObjectName(QStringLiteral("sessionBar"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  const auto scale = [bar] {
    const int side = qRound(16 * Theme::instance().zoom());
    bar->setIconSize(QSize(side, side));
  };
  scale();
  QObject::connect(&Theme::instance(), &Theme::changed, bar, scale);
  bar->addAction(actions.newSession);
  bar->addAction(actions.open);
  bar->addSeparator();
  for (QAction* action : {actions.start, actions.pause, actions.stop, actions.tuneShortly})
    bar->addAction(action);
  bar->addSeparator();
  auto* plan = new PlanBar(document, actions, *bar);
  // Whose numbers all panels show; the separator goes with the actions where there is no choice.
  QAction* before = bar->addSeparator();
  for (const Scope scope : {Scope::ThisSession, Scope::WholeFile}) {
    QAction* action = actions.scopes[int(scope)];
    bar->addAction(action);
    QObject::connect(action, &QAction::changed, before,
                     [before, action] { before->setVisible(action->isVisible()); });
  }
  before->setVisible(actions.scopes.front()->isVisible());
  auto* room = new QWidget(bar);
  room->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(room);
  for (const Layout layout : kLayouts)
    bar->addAction(actions.layouts[static_cast<std::size_t>(layout)]);
  return plan;
}

Menus::Menus(QMainWindow& window, Document& document, PanelHost& host, const Commands& commands)
    : QObject(&window), window_(window), document_(document), host_(host), commands_(commands),
      actions_(commands.actions) {
  buildFileMenu();
  buildEditMenu();
  buildSessionMenu();
  buildViewMenu();
  buildHelpMenu();
  connect(&host, &PanelHost::menuRequested, this, &Menus::showPanelMenu);
}

void Menus::buildEditMenu() {
  QMenu* edit = window_.menuBar()->addMenu(tr("&Edit"));
  edit->addActions({actions_.undo, actions_.redo});
  edit->addSeparator();
  edit->addActions(
      {actions_.copyText, actions_.copyTable, actions_.copyMarkdown, actions_.copyImage});
  edit->addSeparator();
  edit->addActions(commands_.notes.actions());
  edit->addSeparator();
  edit->addAction(actions_.palette);
}

void Menus::buildSessionMenu() {
  QMenu* session = window_.menuBar()->addMenu(tr("&Session"));
  session->addActions({actions_.start, actions_.pause, actions_.stop, actions_.tuneShortly});
  session->addSeparator();
  QMenu* plan = session->addMenu(tr("Pla&n"));
  for (QMenu* menu : commands_.plan.menus())
    plan->addMenu(menu);
  plan->addAction(actions_.policyProgram);
  const auto below = [session](const QString& title, const QList<QAction*>& actions) {
    QMenu* menu = session->addMenu(title);
    menu->addActions(actions);
    return menu;
  };
  below(tr("Selected Tas&k"), commands_.steering.taskActions());
  below(tr("Selected Pro&gram"),
        commands_.steering.recordActions() + QList{commands_.polish.action()});
  session->addSeparator();
  session->addActions({actions_.step, actions_.stepping});
  below(tr("&Lesson"),
        QList<QAction*>{actions_.replay, actions_.endReplay} + commands_.lessons.actions());
  session->addSeparator();
  session->addActions({actions_.runAgain, actions_.runChanged, actions_.measureAgain});
  session->addAction(actions_.workerCommand);
}

void Menus::buildHelpMenu() {
  QMenu* help = window_.menuBar()->addMenu(tr("&Help"));
  help->addActions({actions_.help, actions_.helpIndex, actions_.glossary});
  QMenu* guided = help->addMenu(tr("Guided &Tours"));
  for (const Tour& tour : tours())
    guided->addAction(tour.title, this, [this, name = tour.name] { Q_EMIT tourChosen(name); })
        ->setToolTip(tour.purpose);
  help->addSeparator();
  help->addActions({actions_.shortcuts, actions_.about});
}

void Menus::buildFileMenu() {
  QMenu* file = window_.menuBar()->addMenu(tr("&File"));
  file->addActions({actions_.newSession, commands_.race.action(), actions_.newWindow});
  file->addAction(actions_.open);
  QMenu* recent = file->addMenu(tr("Open &Recent"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecent(recent); });
  file->addAction(actions_.sample);
  QMenu* sessions = file->addMenu(tr("Sessions in &This File"));
  connect(sessions, &QMenu::aboutToShow, this, [this, sessions] { fillSessions(sessions); });
  file->addSeparator();
  file->addActions(commands_.exchange.actions());
  file->addSeparator();
  file->addActions({actions_.saveCopy, commands_.report.action(), actions_.exportView,
                    commands_.exporting.svg(), actions_.printColours});
  file->addSeparator();
  file->addActions({commands_.deploy.action(), commands_.emit.action()});
  file->addSeparator();
  file->addAction(actions_.close);
  file->addAction(actions_.quit);
}

void Menus::buildViewMenu() {
  QMenu* view = window_.menuBar()->addMenu(tr("&View"));
  const std::vector<PanelSpec> specs = panelSpecs();
  for (const PanelSpec& spec : specs) {
    Panel* panel = host_.panel(spec.name);
    view->addAction(panel->toggleViewAction());
    for (const ViewSpec& one : spec.views)
      addGoTo(*panel, one, &one == &spec.views.front() ? spec.key : QString());
  }
  view->addSeparator();
  view->addActions({actions_.maximise, actions_.showTable, actions_.guidance});
  QMenu* layouts = view->addMenu(tr("&Layout"));
  connect(layouts, &QMenu::aboutToShow, this, [this, layouts] { fillLayouts(layouts); });
  // Shortcuts work although the menu is filled only when it is seen.
  for (QAction* layout : actions_.layouts)
    window_.addAction(layout);
  view->addSeparator();
  view->addAction(actions_.selectNone);
  view->addActions(
      {actions_.scopes[int(Scope::ThisSession)], actions_.scopes[int(Scope::WholeFile)]});
  view->addSeparator();
  QMenu* theme = view->addMenu(tr("&Theme"));
  theme->addActions({actions_.themeSystem, actions_.themeLight, actions_.themeDark});
  view->addActions({actions_.zoomIn, actions_.zoomOut, actions_.zoomReset});
}

/// A command that leads to a view. The window, not a menu, has these.
void Menus::addGoTo(Panel& panel, const ViewSpec& view, const QString& key) {
  const QString title = panel.views().front().name == view.name
                            ? panel.windowTitle()
                            : tr("%1: %2").arg(panel.windowTitle(), view.title);
  auto* go = actions_.add(tr("Go to %1").arg(title), "", QKeySequence(key),
                          tr("Show the view %1 and work in it.").arg(title));
  connect(go, &QAction::triggered, &host_, [this, name = view.name] { host_.raise(name); });
  connect(panel.toggleViewAction(), &QAction::enabledChanged, go,
          [go, toggle = panel.toggleViewAction()] { enableUnless(go, whyNot(toggle)); });
  window_.addAction(go);
}

void Menus::fillRecent(QMenu* menu) {
  menu->clear();
  for (const QString& path : Settings::recentFiles())
    menu->addAction(path, this, [this, path] { Q_EMIT fileChosen(path); });
  if (menu->isEmpty()) {
    menu->addAction(tr("No documents yet"))->setEnabled(false);
    return;
  }
  menu->addSeparator();
  menu->addAction(tr("Clear List"), this, [this] {
    Settings::clearRecentFiles();
    Q_EMIT recentCleared();
  });
}

void Menus::fillSessions(QMenu* menu) {
  menu->clear();
  for (const SessionRow& session : document_.session().contents().sessions) {
    QAction* action = menu->addAction(
        tr("%1  ·  %2  ·  %3")
            .arg(noteSign(document_.notes().note({NoteAbout::Session, session.id})) +
                     qs(session.title),
                 momentText(session.createdAt), qs(nestwright::name(session.status))),
        this, [this, id = session.id] { document_.showSession(id); });
    action->setCheckable(true);
    action->setChecked(session.id == document_.session().row().id);
  }
  if (menu->isEmpty()) menu->addAction(tr("No document"))->setEnabled(false);
}

void Menus::fillLayouts(QMenu* menu) {
  menu->clear();
  for (QAction* layout : actions_.layouts)
    menu->addAction(layout);
  menu->addAction(actions_.resetLayout);
  menu->addSeparator();
  const QStringList names = Settings::layoutNames();
  for (const QString& name : names)
    menu->addAction(name, this, [this, name] { host_.restore(Settings::layout(name)); });
  menu->addAction(actions_.saveLayout);
  if (names.isEmpty()) return;
  QMenu* remove = menu->addMenu(tr("&Delete Layout"));
  for (const QString& name : names)
    remove->addAction(name, this, [name] { Settings::setLayout(name, {}); });
}

void Menus::showPanelMenu(Panel* panel, const QPoint& at) {
  QMenu menu(&window_);
  const Exports exports = commands_.exporting.exportsOf(panel);
  const auto copy = [&](QAction* form, bool offered) {
    if (offered)
      menu.addAction(form->text(), this,
                     [this, panel, form] { commands_.exporting.copy(panel, form); });
  };
  menu.addAction(actions_.exportView->text(), this,
                 [this, panel] { commands_.exporting.ask(panel); });
  if (exports.draw)
    menu.addAction(tr("Save as S&VG"), this, [this, panel] { commands_.exporting.saveSvg(panel); });
  copy(actions_.copyText, !exports.text.isEmpty());
  copy(actions_.copyTable, exports.table.has_value());
  copy(actions_.copyMarkdown, exports.table.has_value());
  copy(actions_.copyImage, bool(exports.draw));
  if (exports.table || !exports.more.empty())
    menu.addAction(actions_.showTable->text(), this,
                   [this, panel] { commands_.exporting.showTable(panel); });
  menu.addSeparator();
  menu.addAction(host_.maximised() == panel ? tr("&Restore All Panels") : tr("&Maximise"), &host_,
                 [this, panel] { host_.toggleMaximised(panel); });
  menu.addAction(panel->isFloating() ? tr("&Dock") : tr("&Float"), panel,
                 [panel] { panel->setFloating(!panel->isFloating()); });
  menu.addAction(tr("&Hide"), panel, &QWidget::close);
  menu.addSeparator();
  menu.addAction(actions_.help->text(), this,
                 [this, panel] { Q_EMIT helpWanted(panel->inFront().name); });
  menu.exec(at);
}

} // namespace nestwright::ui

#include "moc_menus.cpp"
