#include "ui/actions.h"

#include "ui/document.h"
#include "ui/theme.h"

#include <QAction>
#include <QActionGroup>

namespace nestwright::ui {

Actions::Actions(Document& document, QObject* parent) : QObject(parent), document_(document) {
  newSession = add(tr("&New Session …"), "new", QKeySequence::New,
                   tr("Choose a network or an operator and tune it."));
  open = add(tr("&Open …"), "open", QKeySequence::Open, tr("Open a document (.nwdb)."));
  close = add(tr("&Close"), "", QKeySequence::Close,
              tr("Close the document. A running session pauses and is saved."));
  quit =
      add(tr("&Quit"), "", QKeySequence::Quit, tr("Close everything; a running session is saved."));
  addSession();
  addView();
  shortcuts = add(tr("&Keyboard Shortcuts"), "", QKeySequence(Qt::CTRL | Qt::Key_F1),
                  tr("List all shortcuts."));
  about = add(tr("&About Nestwright"), "", {}, tr("Version, licence, and what it is built on."));
  connect(&document, &Document::stateChanged, this, &Actions::refresh);
  connect(&document, &Document::statusChanged, this, &Actions::refresh);
  connect(&document, &Document::progressChanged, this, &Actions::refresh);
  connect(&Theme::instance(), &Theme::changed, this, &Actions::refreshIcons);
  refreshIcons();
  refresh();
}

QAction* Actions::add(const QString& text, const char* icon, const QKeySequence& shortcut,
                      const QString& toolTip) {
  auto* action = new QAction(text, this);
  action->setShortcut(shortcut);
  action->setData(QString::fromLatin1(icon));
  action->setToolTip(
      shortcut.isEmpty()
          ? toolTip
          : QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
  action->setWhatsThis(toolTip);
  all_.push_back(action);
  return action;
}

void Actions::addSession() {
  start = add(tr("&Start"), "start", QKeySequence(Qt::Key_F5),
              tr("Start tuning, or go on after a pause."));
  pause = add(tr("&Pause"), "pause", QKeySequence(Qt::Key_F6),
              tr("Pause after the measurement under way. Everything is kept."));
  stop = add(tr("S&top"), "stop", QKeySequence(Qt::SHIFT | Qt::Key_F5),
             tr("Finish the session with what has been measured."));
  moreTrials = add(tr("&Trial Budget …"), "", {},
                   tr("Change how many trials the session makes; a "
                      "finished one can go on with more."));
  connect(start, &QAction::triggered, &document_, &Document::start);
  connect(pause, &QAction::triggered, &document_, &Document::pause);
  connect(stop, &QAction::triggered, &document_, &Document::stop);
}

void Actions::addView() {
  zoomIn = add(tr("Zoom &In"), "", QKeySequence(Qt::CTRL | Qt::Key_Equal), tr("Larger text."));
  zoomIn->setShortcuts(
      {QKeySequence(Qt::CTRL | Qt::Key_Equal), QKeySequence(Qt::CTRL | Qt::Key_Plus)});
  zoomOut = add(tr("Zoom &Out"), "", QKeySequence(Qt::CTRL | Qt::Key_Minus), tr("Smaller text."));
  zoomReset = add(tr("&Actual Size"), "", QKeySequence(Qt::CTRL | Qt::Key_0),
                  tr("Text in the desktop's size."));
  themeSystem = add(tr("As the &Desktop"), "", {}, tr("Light or dark as the desktop is."));
  themeLight = add(tr("&Light"), "", {}, tr("Dark text on a light ground."));
  themeDark = add(tr("&Dark"), "", {}, tr("Light text on a dark ground."));
  auto* themes = new QActionGroup(this);
  for (QAction* theme : {themeSystem, themeLight, themeDark}) {
    theme->setCheckable(true);
    themes->addAction(theme);
  }
  resetLayout = add(tr("&Reset Layout"), "", {}, tr("All panels back to their places."));
  selectNone = add(tr("Show &All Tasks"), "", QKeySequence(Qt::Key_Escape),
                   tr("No single task selected: records and curves of all."));
  connect(selectNone, &QAction::triggered, &document_, [this] { document_.select({}); });
  connect(zoomIn, &QAction::triggered, this,
          [] { Theme::instance().setZoom(Theme::instance().zoom() * 1.1); });
  connect(zoomOut, &QAction::triggered, this,
          [] { Theme::instance().setZoom(Theme::instance().zoom() / 1.1); });
  connect(zoomReset, &QAction::triggered, this, [] { Theme::instance().setZoom(1); });
  connect(themeSystem, &QAction::triggered, this,
          [] { Theme::instance().choose(ThemeChoice::System); });
  connect(themeLight, &QAction::triggered, this,
          [] { Theme::instance().choose(ThemeChoice::Light); });
  connect(themeDark, &QAction::triggered, this,
          [] { Theme::instance().choose(ThemeChoice::Dark); });
}

void Actions::refresh() {
  const bool ready = document_.state() == DocumentState::Ready;
  start->setEnabled(document_.canStart());
  start->setText(document_.startResumes() ? tr("Re&sume") : tr("&Start"));
  const bool used = ready && document_.status() == SessionStatus::Finished && !document_.canStart();
  start->setToolTip(used ? tr("The trials are used up. Session ▸ Trial Budget allows more.")
                         : tr("%1 (F5)").arg(start->whatsThis()));
  pause->setEnabled(document_.canPause());
  stop->setEnabled(document_.canStop());
  moreTrials->setEnabled(ready);
  selectNone->setEnabled(ready);
  close->setEnabled(document_.state() != DocumentState::Empty);
}

void Actions::refreshIcons() {
  const ThemeChoice choice = Theme::instance().choice();
  themeSystem->setChecked(choice == ThemeChoice::System);
  themeLight->setChecked(choice == ThemeChoice::Light);
  themeDark->setChecked(choice == ThemeChoice::Dark);
  for (QAction* action : all_)
    if (const QString name = action->data().toString(); !name.isEmpty())
      action->setIcon(Theme::instance().icon(name));
}

} // namespace nestwright::ui
