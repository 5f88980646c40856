#include "ui/window/actions.h"

#include "core/session/run/finish/polish_session.h"
#include "core/session/run/row_contents.h"
#include "core/story/scope.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/import/import_following.h"
#include "ui/document/import/importer.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QUndoStack>

#include <utility>

namespace nestwright::ui {

Actions::Actions(Document& document, QObject* parent) : QObject(parent), document_(document) {
  newSession = add(tr("&New Session …"), "new", QKeySequence::New,
                   tr("Choose a network or an operator and tune it."));
  open = add(tr("&Open …"), "open", QKeySequence::Open, tr("Open a document (.nwdb)."));
  sample =
      add(tr("Open &Sample"), "", {}, tr("A session that was tuned before, to look around in."));
  newWindow = add(tr("New &Window"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N),
                  tr("A second workbench, for another document beside this one."));
  saveCopy = add(tr("Save a Cop&y …"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
                 tr("Write all that is in the document to another file; tuning goes on."));
  close = add(tr("&Close"), "", QKeySequence::Close,
              tr("Close the document. A running session pauses and is saved."));
  quit =
      add(tr("&Quit"), "", QKeySequence::Quit, tr("Close everything; a running session is saved."));
  addEdit();
  addSession();
  addPhases();
  addView();
  addScopes();
  addPanels();
  help = add(tr("&Help on This Panel"), "", QKeySequence(Qt::Key_F1),
             tr("The page of the panel in use."));
  helpIndex = add(tr("&Manual"), "", {}, tr("All pages of the manual."));
  glossary = add(tr("&Glossary"), "", {}, tr("The field's words, each explained."));
  shortcuts = add(tr("&Keyboard Shortcuts"), "", QKeySequence(Qt::CTRL | Qt::Key_F1),
                  tr("List all shortcuts."));
  about = add(tr("&About Nestwright"), "", {}, tr("Version, licence, and what it is built on."));
  connect(&document, &Document::stateChanged, this, &Actions::refresh);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &Actions::refresh);
  connect(&document.follower(), &SessionFollower::progressChanged, this, &Actions::refresh);
  connect(&Theme::instance(), &Theme::changed, this, &Actions::refreshIcons);
  refreshIcons();
  refresh();
}

QAction* Actions::add(const QString& text, const char* icon, const QKeySequence& shortcut,
                      const QString& toolTip) {
  auto* action = new QAction(text, this);
  action->setShortcut(shortcut);
  action->setData(QString::fromLatin1(icon));
  action->setObjectName(QString::fromLatin1(icon)); // what tours point at
  action->setToolTip(
      shortcut.isEmpty()
          ? toolTip
          : QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
  action->setWhatsThis(toolTip);
  all_.push_back(action);
  return action;
}

void Actions::addEdit() {
  undo = document_.undoStack().createUndoAction(this, tr("&Undo"));
  undo->setShortcuts(QKeySequence::Undo);
  undo->setWhatsThis(tr("Take back the last change of a weight, a filter or a tag."));
  redo = document_.undoStack().createRedoAction(this, tr("&Redo"));
  redo->setShortcuts(QKeySequence::Redo);
  redo->setWhatsThis(tr("Do again what was taken back."));
  const auto told = [this] {
    enableUnless(undo, document_.undoStack().canUndo() ? QString()
                                                       : tr("There is no change to take back."));
    enableUnless(redo, document_.undoStack().canRedo() ? QString() : tr("Nothing was taken back."));
  };
  connect(&document_.undoStack(), &QUndoStack::canUndoChanged, this, told);
  connect(&document_.undoStack(), &QUndoStack::canRedoChanged, this, told);
  for (QAction* action : {undo, redo}) {
    action->setToolTip(action->whatsThis());
    all_.push_back(action);
  }
  told();
  palette = add(tr("&Command Palette …"), "", QKeySequence(Qt::CTRL | Qt::Key_K),
                tr("Find commands, tasks, sessions and records by name."));
  palette->setShortcuts(
      {QKeySequence(Qt::CTRL | Qt::Key_K), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)});
  exportView = add(tr("&Export …"), "", QKeySequence(Qt::CTRL | Qt::Key_E),
                   tr("Save the panel in use as PNG, SVG, PDF or, where it is a table, CSV."));
  copyImage = add(tr("Copy as &Picture"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
                  tr("The panel in use as a picture to the clipboard."));
  copyTable = add(tr("Copy as &Table"), "", {},
                  tr("The rows of the panel in use, tab-separated with headers."));
  copyMarkdown =
      add(tr("Copy as &Markdown"), "", {}, tr("The rows of the panel in use as a Markdown table."));
  copyText = add(tr("Copy as Te&xt"), "", {}, tr("What the panel in use says, as text."));
  showTable = add(tr("Show as &Table"), "", QKeySequence(Qt::CTRL | Qt::Key_T),
                  tr("The numbers that the panel in use shows, also those of its charts, as a "
                     "table to read, sort and copy."));
  printColours = add(tr("Export on &White"), "", {},
                     tr("Pictures in the light colours, for paper and slides, whatever the window "
                        "has."));
  printColours->setCheckable(true);
}

void Actions::addSession() {
  start = add(tr("&Start"), "start", QKeySequence(Qt::Key_F5),
              tr("Start tuning, or go on after a pause."));
  pause = add(tr("&Pause"), "pause", QKeySequence(Qt::Key_F6),
              tr("Pause after the measurement under way. Everything is kept."));
  stop = add(tr("St&op"), "stop", QKeySequence(Qt::SHIFT | Qt::Key_F5),
             tr("Finish the session with what has been measured."));
  tuneShortly = add(tr("&Tune 2 Minutes"), "", QKeySequence(Qt::Key_F7),
                    tr("Begin or go on, with two more minutes of tuning as the time budget."));
  tuneShortly->setObjectName(QStringLiteral("tuneShortly"));
  runAgain = add(tr("Run &Again"), "", QKeySequence(Qt::CTRL | Qt::Key_R),
                 tr("Tune the same once more: a new session with the same settings in this "
                    "document."));
  runChanged =
      add(tr("Run Again with &Changes …"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R),
          tr("A new session that begins with this one's settings; you change what you "
             "like."));
  measureAgain = add(tr("&Measure Again …"), "", {},
                     tr("Measure the programs of records once more: of logs here, with another "
                        "lowering or evaluator. A session of its own compares old times with new "
                        "ones."));
  workerCommand =
      add(tr("&Worker Command …"), "", {},
          tr("The program that measures, where it is not this machine's own nestwright worker: "
             "through ssh, or numactl. It is yours and holds for all documents; none can change "
             "it."));
  policyProgram = add(
      tr("Polic&y Program …"), "", {},
      tr("A program of yours that is a search policy, in any language: New Session and the plan "
         "then have it among the policies. It holds for all documents; none can change it."));
  moreTrials = add(tr("&Trial Budget …"), "", {},
                   tr("Change how many trials the session makes; a "
                      "finished one can go on with more."));
  connect(start, &QAction::triggered, &document_.steering(), &Steering::start);
  connect(pause, &QAction::triggered, &document_.steering(), &Steering::pause);
  connect(stop, &QAction::triggered, &document_.steering(), &Steering::stop);
  connect(tuneShortly, &QAction::triggered, &document_,
          [this] { document_.steering().tuneFor(120); });
}

void Actions::addPhases() {
  step = add(tr("Step One P&hase"), "step", QKeySequence(Qt::Key_F10),
             tr("Go on until the next phase of the round has ended (sketches, sampling, evolution, "
                "selection, measuring, training), and pause there."));
  stepping = add(tr("Pause After &Each Phase"), "", {},
                 tr("The session pauses whenever a phase of a round has ended."));
  stepping->setCheckable(true);
  replay = add(tr("&Replay the Session"), "replay", QKeySequence(Qt::Key_F9),
               tr("Show the session's past from its beginning, at any speed; all views follow."));
  endReplay = add(tr("&End the Replay"), "", {}, tr("Back to the present of the session."));
  connect(step, &QAction::triggered, &document_,
          [this] { document_.steering().steer(RunPhase{}); });
  connect(stepping, &QAction::triggered, &document_,
          [this](bool on) { document_.steering().steer(PauseAfterPhases{on}); });
  connect(replay, &QAction::triggered, &document_.replayMode(), &ReplayMode::start);
  connect(endReplay, &QAction::triggered, &document_.replayMode(), &ReplayMode::end);
  connect(&document_.follower(), &SessionFollower::roundChanged, this, &Actions::refresh);
  connect(&document_.replayMode(), &ReplayMode::changed, this, &Actions::refresh);
  connect(&document_.follower(), &SessionFollower::historyChanged, this, &Actions::refresh);
}

void Actions::refreshPhases() {
  const Steering& steering = document_.steering();
  enableUnless(step, steering.canPause() ? QString() : steering.whyNotStart());
  enableUnless(stepping, steering.whyNotChange());
  stepping->setChecked(document_.session().round().stepping);
  enableUnless(replay, document_.replayMode().whyNotStart());
  enableUnless(endReplay, document_.replayMode().isOn() ? QString() : tr("No replay is shown."));
}

void Actions::addView() {
  zoomIn = add(tr("Zoom &In"), "", QKeySequence(Qt::CTRL | Qt::Key_Equal), tr("Larger text."));
  zoomIn->setShortcuts(
      {QKeySequence(Qt::CTRL | Qt::Key_Equal), QKeySequence(Qt::CTRL | Qt::Key_Plus)});
  zoomOut = add(tr("Zoom &Out"), "", QKeySequence(Qt::CTRL | Qt::Key_Minus), tr("Smaller text."));
  zoomReset = add(tr("Actual Si&ze"), "", QKeySequence(Qt::CTRL | Qt::Key_0),
                  tr("Text in the desktop's size."));
  themeSystem = add(tr("As the &Desktop"), "", {}, tr("Light or dark as the desktop is."));
  themeLight = add(tr("&Light"), "", {}, tr("Dark text on a light ground."));
  themeDark = add(tr("&Dark"), "", {}, tr("Light text on a dark ground."));
  auto* themes = new QActionGroup(this);
  for (QAction* theme : {themeSystem, themeLight, themeDark}) {
    theme->setCheckable(true);
    themes->addAction(theme);
  }
  selectNone = add(tr("Show &All Tasks"), "", QKeySequence(Qt::Key_Escape),
                   tr("No single task selected: records and curves of all."));
  connect(selectNone, &QAction::triggered, &document_,
          [this] { document_.selection().select({}); });
  connect(zoomIn, &QAction::triggered, this,
          [] { Theme::instance().setZoomSoon(Theme::instance().zoom() * 1.1); });
  connect(zoomOut, &QAction::triggered, this,
          [] { Theme::instance().setZoomSoon(Theme::instance().zoom() / 1.1); });
  connect(zoomReset, &QAction::triggered, this, [] { Theme::instance().setZoomSoon(1); });
  // A theme of the command line or of a picture is none that was chosen.
  for (const auto& [action, choice] : {std::pair{themeSystem, ThemeChoice::System},
                                       {themeLight, ThemeChoice::Light},
                                       {themeDark, ThemeChoice::Dark}})
    connect(action, &QAction::triggered, this, [chosen = choice] {
      Theme::instance().chooseSoon(chosen);
      Settings::setTheme(chosen);
    });
}

void Actions::addScopes() {
  auto* group = new QActionGroup(this);
  const auto make = [&](Scope scope, const QString& text, const QString& tip) {
    QAction* action = add(text, "", {}, tip);
    action->setCheckable(true);
    group->addAction(action);
    connect(action, &QAction::triggered, &document_.follower(),
            [this, scope] { document_.follower().setScope(scope); });
    scopes[int(scope)] = action;
  };
  make(Scope::ThisSession, tr("This &Session"),
       tr("Bests, trials, curves and records of the session in hand alone: what it found by "
          "itself."));
  make(Scope::WholeFile, tr("&Whole File"),
       tr("Bests, trials, curves and records of all sessions of the file: what its networks run "
          "with."));
  connect(&document_.follower(), &SessionFollower::scopeChanged, this, &Actions::refreshScopes);
}

/// With one session both are the same, and there is nothing to choose.
void Actions::refreshScopes() {
  const bool several = document_.state() == DocumentState::Ready &&
                       document_.session().contents().sessions.size() > 1;
  const bool past = document_.replayMode().isOn();
  const QString absent = document_.whyNotReady();
  const QString why =
      several && past
          ? tr("A replay shows what the session knew then: the bests of the whole file.")
      : several          ? QString()
      : absent.isEmpty() ? tr("The file has one session.")
                         : absent;
  for (QAction* action : scopes) {
    action->setVisible(several);
    enableUnless(action, why);
  }
  scopes[int(document_.follower().scope())]->setChecked(true);
}

void Actions::addPanels() {
  auto* group = new QActionGroup(this);
  for (const Layout layout : kLayouts) {
    const auto i = int(layout);
    layouts[i] = add(tr("&%1 %2").arg(i + 1).arg(title(layout)), "",
                     QKeySequence(Qt::ALT | Qt::Key(Qt::Key_1 + i)), purpose(layout));
    layouts[i]->setCheckable(true);
    layouts[i]->setData(QString());
    layouts[i]->setIconText(title(layout));
    group->addAction(layouts[i]);
  }
  guidance =
      add(tr("What &Now?"), "", {},
          tr("A line above the panels that says where to look next, and what is to be gained "
             "there."));
  guidance->setCheckable(true);
  resetLayout = add(tr("&Reset Layout"), "", {}, tr("All panels back to their places."));
  saveLayout = add(tr("&Save Layout …"), "", {},
                   tr("Keep where the panels are now, under a name of your own."));
  maximise = add(tr("&Maximise Panel"), "", QKeySequence(Qt::Key_F11),
                 tr("Give the panel in use the whole window, and back."));
  maximise->setCheckable(true);
}

void Actions::refresh() {
  const bool ready = document_.state() == DocumentState::Ready;
  const Steering& steering = document_.steering();
  const bool starting = document_.session().pending() == Pending::Start;
  enableUnless(start, steering.whyNotStart());
  start->setText(starting                  ? tr("Starting …")
                 : steering.startResumes() ? tr("Re&sume")
                                           : tr("&Start"));
  const bool imported = ready && isImport(document_.session().row());
  enableUnless(pause, steering.whyNotPause());
  enableUnless(stop, steering.whyNotStop());
  enableUnless(tuneShortly, steering.whyNotTuneLonger());
  const QString absent = document_.whyNotReady();
  const QString noSettings =
      imported ? tr("These records were imported from logs: there are no settings to go by.")
               : absent;
  const QString noAgain =
      ready && isPolishSession(document_.session().row())
          ? tr("This session polishes one program: Polish … begins another one.")
          : noSettings;
  enableUnless(moreTrials, noSettings.isEmpty() ? steering.whyNotChange() : noSettings);
  for (QAction* again : {runAgain, runChanged})
    enableUnless(again, noAgain.isEmpty() && document_.replayMode().isOn() ? steering.whyNotChange()
                                                                           : noAgain);
  enableUnless(measureAgain, ready && isImporting(document_)
                                 ? tr("Records are being imported into this document.")
                                 : steering.whyNotMeasure());
  refreshPhases();
  refreshScopes();
  enableUnless(selectNone, absent);
  for (QAction* action :
       {saveCopy, exportView, copyImage, copyTable, copyMarkdown, copyText, showTable})
    enableUnless(action, absent);
  for (QAction* action : layouts)
    enableUnless(action, absent);
  for (QAction* action : {resetLayout, saveLayout, maximise})
    enableUnless(action, absent);
  enableUnless(close, document_.state() == DocumentState::Empty ? absent : QString());
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

#include "moc_actions.cpp"
