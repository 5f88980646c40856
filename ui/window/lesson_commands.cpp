#include "ui/window/lesson_commands.h"

#include "ui/document/document_file.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/settings.h"
#include "ui/kit/exportable.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/message_page.h"
#include "ui/lesson/lesson_marks.h"
#include "ui/lesson/lesson_recorder.h"
#include "ui/lesson/replay_bar.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace nestwright::ui {
namespace {

/// The views that are in front, from the largest panel to the smallest.
std::vector<Exports> seenPanels(const PanelHost& host) {
  std::vector<const Panel*> seen;
  for (const Panel* panel : host.panels())
    if (!panel->view()->visibleRegion().isEmpty()) seen.push_back(panel);
  std::ranges::stable_sort(seen, std::greater<>(), [](const Panel* panel) {
    return panel->view()->width() * panel->view()->height();
  });
  std::vector<Exports> exports;
  for (const Panel* panel : seen)
    exports.push_back(exportsOf(panel->view(), panel->inFront().name, panel->inFront().title));
  return exports;
}

} // namespace

LessonCommands::LessonCommands(MainWindow& window, ReplayBar& bar)
    : QObject(&window), window_(window), bar_(bar) {
  Actions& actions = window.actions();
  mark_ =
      actions.add(tr("Mark This Mo&ment …"), "mark", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B),
                  tr("In a replay: keep the present moment with a sentence. Marks make a "
                     "lesson, which the document keeps."));
  previous_ =
      actions.add(tr("Previous Mark"), "previous_mark", QKeySequence(Qt::CTRL | Qt::Key_PageUp),
                  tr("In a replay: to the mark before, with its sentence."));
  next_ = actions.add(tr("Next Mark"), "next_mark", QKeySequence(Qt::CTRL | Qt::Key_PageDown),
                      tr("In a replay: to the next mark, with its sentence."));
  export_ =
      actions.add(tr("Export the &Lesson …"), "", {},
                  tr("In a replay with marks: one HTML file with every sentence and pictures "
                     "of the window and of each panel at its moment, with their numbers as text. "
                     "It needs neither Nestwright nor a network."));
  connect(mark_, &QAction::triggered, &bar_, &ReplayBar::askMark);
  connect(previous_, &QAction::triggered, &bar_, [this] { bar_.goToMark(-1); });
  connect(next_, &QAction::triggered, &bar_, [this] { bar_.goToMark(1); });
  connect(export_, &QAction::triggered, this, &LessonCommands::askExport);
  connect(&bar_, &ReplayBar::lessonExportRequested, this, &LessonCommands::askExport);
  connect(&bar_, &ReplayBar::moved, this, &LessonCommands::refresh);
  connect(&window.document().replayMode(), &ReplayMode::changed, this, &LessonCommands::refresh);
  refresh();
}

void LessonCommands::refresh() {
  const Replay* replay = window_.document().replayMode().replay();
  const bool ready = replay && replay->isReady();
  const QString absent = ready    ? QString()
                         : replay ? tr("The session's past is being read.")
                                  : tr("No replay is shown: Session ▸ Replay the Session.");
  const QString busy = ready && recorder_ ? tr("A lesson is being written.") : absent;
  const auto unlessNone = [&](bool some, const QString& none) {
    return absent.isEmpty() && !some ? none : absent;
  };
  enableUnless(mark_, busy);
  enableUnless(previous_, unlessNone(ready && bar_.canGoToMark(-1), tr("No mark is before this.")));
  enableUnless(next_, unlessNone(ready && bar_.canGoToMark(1), tr("No mark comes after this.")));
  enableUnless(export_,
               busy.isEmpty() && bar_.marks().all().empty() ? tr("There are no marks.") : busy);
}

void LessonCommands::askExport() {
  if (!export_->isEnabled()) return;
  const QString suggested = Settings::folder() + QLatin1Char('/') +
                            window_.document().file().title() + QStringLiteral("-lesson.html");
  QString file = QFileDialog::getSaveFileName(&window_, tr("Export the Lesson"), suggested,
                                              tr("Lesson for a browser (*.html)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".html");
  Settings::setFolder(QFileInfo(file).absolutePath());
  exportLesson(file);
}

void LessonCommands::exportLesson(const QString& file) {
  const Replay* replay = window_.document().replayMode().replay();
  if (recorder_ || !replay || !replay->isReady() || bar_.marks().all().empty()) return;
  recorder_ = new LessonRecorder(
      window_, [this] { return seenPanels(window_.panels()); }, window_.document(),
      bar_.marks().all(), file, this);
  connect(recorder_, &LessonRecorder::progressed, this, [this] {
    window_.statusLine()->showMessage(
        tr("Lesson: picture %1 of %2").arg(recorder_->taken()).arg(recorder_->count()));
  });
  connect(recorder_, &LessonRecorder::ended, this, [this](bool written, const QString& problem) {
    window_.statusLine()->clearMessage();
    LessonRecorder* ended = std::exchange(recorder_, nullptr);
    if (written)
      window_.statusLine()->showMessage(tr("%1 was written.").arg(ended->file()),
                                        kNoticeMilliseconds);
    else if (!window_.document().replayMode().isOn()) // the banner goes with the replay
      window_.statusLine()->showMessage(problem, kNoticeMilliseconds);
    else if (!problem.isEmpty())
      window_.banner()->show(problem);
    ended->deleteLater();
    refresh();
  });
  refresh();
}

} // namespace nestwright::ui

#include "moc_lesson_commands.cpp"
