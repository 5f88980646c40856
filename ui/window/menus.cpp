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
#include "ui/window/lesson_commands.h"
#include "ui/window/note_actions.h"
#include "ui/window/panel.h"
#include "ui/window/panel_export.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_exchange.h"
#include "ui/window/report/report_command.h"
#include "ui/window/steering_actions.h"

#include <QMainWindow>
#include <QMenuBar>
#include <QToolBar>

namespace nestwright::ui {

void buildToolBar(QMainWindow& window, Actions& actions) {
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
  // Whose numbers all panels show; the separator goes with the actions where there is no choice.
  QAction* before = bar->addSeparator();
  for (const Scope scope : {Scope::ThisSession, Scope::WholeFile}) {
    QAction* action = actions.scopes[int(scope)];
    bar->addAction(action);
    QObject::connect(action, &QAction::changed, before,
                     [before, action] { before->setVisible(action->isVisible()); });
  }
  before->setVisible(actions.scopes.front()->isVisible());
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
  const QList<QList<QAction*>> groups{
      {actions_.start, actions_.pause, actions_.stop, actions_.tuneShortly},
      {actions_.moreTrials},
      commands_.steering.taskActions(),
      commands_.steering.recordActions(),
      {actions_.step, actions_.stepping},
      QList<QAction*>{actions_.replay, actions_.endReplay} + commands_.lessons.actions(),
      {actions_.runAgain, actions_.runChanged, actions_.measureAgain, actions_.workerCommand}};
  for (const QList<QAction*>& group : groups) {
    if (!session->isEmpty()) session->addSeparator();
    session->addActions(group);
  }
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
  file->addActions({actions_.newSession, actions_.newWindow});
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
  file->addAction(actions_.close);
  file->addAction(actions_.quit);
}

void Menus::buildViewMenu() {
  QMenu* view = window_.menuBar()->addMenu(tr("&View"));
  int number = 1;
  for (Panel* panel : host_.panels()) {
    view->addAction(panel->toggleViewAction());
    // Ctrl+1 to Ctrl+9 go to the panels; the window, not a menu, has these.
    auto* go = actions_.add(tr("Go to %1").arg(panel->windowTitle()), "",
                            number < 10 ? QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + number))
                                        : QKeySequence(),
                            tr("Show the panel %1 and work in it.").arg(panel->windowTitle()));
    connect(go, &QAction::triggered, &host_, [this, panel] { host_.raise(panel); });
    connect(panel->toggleViewAction(), &QAction::enabledChanged, go,
            [go, panel] { enableUnless(go, whyNot(panel->toggleViewAction())); });
    window_.addAction(go);
    ++number;
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
  menu.addAction(actions_.help->text(), this, [this, panel] { Q_EMIT helpWanted(panel->name()); });
  menu.exec(at);
}

} // namespace nestwright::ui

#include "moc_menus.cpp"
