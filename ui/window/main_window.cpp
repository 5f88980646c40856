#include "ui/window/main_window.h"

#include "core/session/run/trouble.h"
#include "core/support/error.h"
#include "ui/compare/compare_view.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/importer.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/format.h"
#include "ui/kit/message_page.h"
#include "ui/kit/row_table.h"
#include "ui/kit/text.h"
#include "ui/lesson/replay_bar.h"
#include "ui/log/log_view.h"
#include "ui/notes/notes_view.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_view.h"
#include "ui/records/record_view.h"
#include "ui/roofline/roofline_plot.h"
#include "ui/roofline/roofline_view.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/task_graph/task_graph_view.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/lesson_commands.h"
#include "ui/window/new_session_dialog.h"
#include "ui/window/note_actions.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_exchange.h"
#include "ui/window/record_finder.h"
#include "ui/window/shortcut_editor.h"
#include "ui/window/status_line.h"
#include "ui/window/steering_actions.h"
#include "ui/window/welcome_page.h"

#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMimeData>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <climits>
#include <utility>

namespace nestwright::ui {
namespace {

QStringList droppedFiles(const QMimeData* data) {
  QStringList files;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) files.append(url.toLocalFile());
  return files;
}

template <class View>
View* viewOf(const PanelHost* host, const char* name) {
  const Panel* panel = host->panel(QLatin1String(name));
  return panel ? dynamic_cast<View*>(panel->view()) : nullptr;
}

} // namespace

MainWindow::MainWindow(Catalogue catalogue, SessionFactory sessions, QWidget* parent)
    : QMainWindow(parent), catalogue_(std::move(catalogue)), document_(std::move(sessions)) {
  Theme::instance().choose(Settings::theme());
  Theme::instance().setZoom(Settings::zoom());
  actions_ = new Actions(document_, this);
  actions_->sample->setVisible(!samplePath().isEmpty());
  setAcceptDrops(true);
  buildPages();
  buildSteering();
  buildToolBar();
  auto* replayBar = new ReplayBar(document_, this);
  addToolBar(Qt::BottomToolBarArea, replayBar);
  exchange_ = new RecordExchange(*this);
  lessons_ = new LessonCommands(*this, *replayBar);
  buildMenus();
  connectActions();
  connectPanels();
  connectExport();
  connectHelp();
  palette_ = new CommandPalette(this);
  finder_ = new RecordFinder(document_, this);
  fillPalette();
  restoreShortcuts(*actions_);
  status_ = new StatusLine(document_, this);
  setStatusBar(status_);
  setWindowIcon(QIcon(QStringLiteral(":/nestwright.svg")));
  resize(1400, 900);
  restoreGeometry(Settings::geometry());
  showState();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildSteering() {
  steering_ = new SteeringActions(
      document_, *actions_, [this] { return recordView()->selectedRecords(); }, this);
  taskView()->addActions(steering_->taskActions());
  schedulerView()->table()->addActions(steering_->taskActions());
  recordView()->table()->addActions(steering_->recordActions());
  notes_ = new NoteActions(document_, *actions_, this);
  taskView()->addActions(notes_->actions());
  recordView()->table()->addActions(notes_->actions());
  connect(recordView(), &RecordView::listedChanged, this, [this] {
    const ListedRecords listed = recordView()->listed();
    curveView()->plot()->setListed(listed);
    viewOf<RooflineView>(host_, "roofline")->setListed(listed);
    viewOf<CostModelView>(host_, "cost_model")->setListed(listed);
  });
  connect(curveView()->plot(), &CurvePlot::brushed, recordView(), &RecordView::narrow);
  connect(viewOf<RooflineView>(host_, "roofline")->plot(), &RooflinePlot::brushed, recordView(),
          &RecordView::narrow);
  connect(viewOf<CostModelView>(host_, "cost_model")->predictionPlot(), &PredictionPlot::brushed,
          recordView(), &RecordView::narrow);
  connect(notes_->write, &QAction::triggered, this, [this] {
    host_->raise(host_->panel(QStringLiteral("notes")));
    viewOf<NotesView>(host_, "notes")->write();
  });
}

void MainWindow::buildPages() {
  welcome_ = new WelcomePage({actions_->newSession, actions_->open, actions_->sample}, this);
  message_ = new MessagePage(this);
  host_ = new PanelHost(document_, panelSpecs(), this);
  pages_ = new QStackedWidget(this);
  for (QWidget* page : std::initializer_list<QWidget*>{welcome_, message_, host_})
    pages_->addWidget(page);
  banner_ = new Banner(this);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(pages_, 1);
  setCentralWidget(centre);
}

TaskView* MainWindow::taskView() const {
  return viewOf<TaskView>(host_, "tasks");
}
CurveView* MainWindow::curveView() const {
  return viewOf<CurveView>(host_, "curves");
}
ProgramView* MainWindow::programView() const {
  return viewOf<ProgramView>(host_, "program");
}
ProgramCompareView* MainWindow::programCompareView() const {
  return viewOf<ProgramCompareView>(host_, "compare");
}
CompareView* MainWindow::compareView() const {
  return viewOf<CompareView>(host_, "compare-sessions");
}
RecordView* MainWindow::recordView() const {
  return viewOf<RecordView>(host_, "records");
}
SchedulerView* MainWindow::schedulerView() const {
  return viewOf<SchedulerView>(host_, "scheduler");
}
LogView* MainWindow::logView() const {
  return viewOf<LogView>(host_, "log");
}

void MainWindow::connectActions() {
  connect(actions_->newSession, &QAction::triggered, this, [this] { newSession(); });
  connect(actions_->open, &QAction::triggered, this, &MainWindow::askOpen);
  connect(actions_->newWindow, &QAction::triggered, this, &MainWindow::windowRequested);
  connect(actions_->close, &QAction::triggered, &document_, &Document::close);
  connect(actions_->quit, &QAction::triggered, this, &QWidget::close);
  connect(actions_->moreTrials, &QAction::triggered, this, &MainWindow::askTrialBudget);
  connect(actions_->workerCommand, &QAction::triggered, this, &MainWindow::askWorkerCommand);
  connect(actions_->runAgain, &QAction::triggered, this, [this] { runAgain(false); });
  connect(actions_->runChanged, &QAction::triggered, this, [this] { runAgain(true); });
  connect(actions_->sample, &QAction::triggered, this, &MainWindow::openSample);
  connect(welcome_, &WelcomePage::openRequested, this,
          [this](const QString& path) { openFile(path); });
  connect(message_, &MessagePage::dismissed, &document_, &Document::close);
  connect(actions_->saveCopy, &QAction::triggered, this, &MainWindow::askSaveCopy);
  connect(viewOf<TaskGraphView>(host_, "task_graph"), &TaskGraphView::taskOpened, host_,
          [this] { host_->raise(host_->panel(QStringLiteral("program"))); });
  connect(viewOf<RooflineView>(host_, "roofline"), &RooflineView::programOpened, host_,
          [this] { host_->raise(host_->panel(QStringLiteral("program"))); });
  connect(actions_->palette, &QAction::triggered, this, [this] { palette_->popUp(); });
  connect(&document_, &Document::leaving, this, [this] { document_.keepViewState(viewState()); });
  connect(&document_, &Document::stateChanged, this, &MainWindow::showState);
  connect(&document_, &Document::statusChanged, this, &MainWindow::showStatus);
  connect(&document_, &Document::warning, banner_, &Banner::show);
  connect(&document_, &Document::comparedChanged, this, [this] {
    const ProgramPair& pair = document_.compared();
    if (pair.a.isValid() || pair.b.isValid()) host_->raise(host_->panel(QStringLiteral("compare")));
  });
  connect(&document_, &Document::crossingWanted, this,
          [this] { host_->raise(host_->panel(QStringLiteral("recombination"))); });
  // Queued, because a document without a running session closes at once, within closeEvent().
  connect(
      &document_, &Document::closed, this,
      [this] {
        if (closing_) close();
      },
      Qt::QueuedConnection);
  connect(&Theme::instance(), &Theme::changed, this, [] {
    Settings::setTheme(Theme::instance().choice());
    Settings::setZoom(Theme::instance().zoom());
  });
}

void MainWindow::connectPanels() {
  for (const Layout layout : kLayouts)
    connect(actions_->layouts[int(layout)], &QAction::triggered, this,
            [this, layout] { setLayout(layout); });
  connect(actions_->resetLayout, &QAction::triggered, this, [this] {
    for (const Layout layout : kLayouts)
      if (actions_->layouts[int(layout)]->isChecked()) return setLayout(layout);
    setLayout(Layout::Tune);
  });
  connect(actions_->saveLayout, &QAction::triggered, this, &MainWindow::askSaveLayout);
  connect(actions_->maximise, &QAction::triggered, this, [this] {
    if (Panel* panel = host_->maximised() ? host_->maximised() : host_->current())
      host_->toggleMaximised(panel);
    actions_->maximise->setChecked(host_->maximised() != nullptr);
  });
  connect(host_, &PanelHost::maximisedChanged, this,
          [this] { actions_->maximise->setChecked(host_->maximised() != nullptr); });
  connect(host_, &PanelHost::menuRequested, this, &MainWindow::showPanelMenu);
}

void MainWindow::setLayout(Layout layout) {
  host_->arrange(layout);
  actions_->layouts[int(layout)]->setChecked(true);
}

QWidget* MainWindow::page() const {
  return pages_->currentWidget();
}

// --- commands that ask first

void MainWindow::askOpen() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Open Document"), Settings::folder(),
                                   tr("Nestwright documents (*.nwdb);;All files (*)"));
  if (!file.isEmpty()) openFile(file);
}

void MainWindow::openFile(const QString& path, bool start) {
  Settings::setFolder(QFileInfo(path).absolutePath());
  document_.open(path, start);
}

void MainWindow::openSample() {
  const QString sample = samplePath();
  // A copy, so that looking around and tuning on never changes the original.
  const QString copy = copyOfSample(sample);
  if (copy.isEmpty())
    banner_->show(tr("The sample %1 could not be copied to your data folder.").arg(sample));
  else
    document_.open(copy);
}

void MainWindow::newSession(const QString& subject) {
  NewSessionDialog dialog(catalogue_, this);
  if (!subject.isEmpty()) dialog.setSubject(subject);
  if (dialog.exec() != QDialog::Accepted) return;
  Settings::setFolder(QFileInfo(dialog.path()).absolutePath());
  document_.create(dialog.path(), dialog.config(), dialog.startNow());
}

void MainWindow::runAgain(bool ask) {
  if (document_.state() != DocumentState::Ready) return;
  if (!ask) return document_.create(document_.path(), document_.config(), true);
  NewSessionDialog dialog(catalogue_, this);
  dialog.setConfig(document_.config());
  dialog.setPath(document_.path());
  if (dialog.exec() == QDialog::Accepted)
    document_.create(dialog.path(), dialog.config(), dialog.startNow());
}

void MainWindow::askTrialBudget() {
  bool ok = false;
  const int made = static_cast<int>(document_.progress().trials);
  const int budget = QInputDialog::getInt(
      this, tr("Trial Budget"),
      tr("Trials of the whole session (%1 are made):").arg(countText(made)),
      static_cast<int>(document_.progress().budget), std::max(1, made), INT_MAX, 100, &ok);
  // Trials on demand come on top of the budget of the search.
  const std::int64_t more = budget - document_.progress().budget;
  if (ok) document_.steer(SetTrialBudget{document_.config().trials + more});
}

void MainWindow::askWorkerCommand() {
  bool ok = false;
  const QString line = QInputDialog::getText(
      this, tr("Worker Command"),
      tr("Program and arguments that measure, from the next start of a session on\n"
         "(empty: this machine's own nestwright worker):"),
      QLineEdit::Normal, Settings::workerCommand(), &ok);
  if (!ok) return;
  try {
    Settings::setWorkerCommand(line);
  } catch (const Error& problem) {
    banner_->show(qs(problem.what()));
  }
}

// --- what is shown

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  // The style sheet takes the fonts from some widgets as it first polishes them.
  if (!std::exchange(polished_, true)) Theme::instance().reapply();
}

void MainWindow::showPanels(bool shown) {
  if (shown == panelsShown_) return;
  if (!shown) {
    rememberWindow();
    restoredFor_.clear();
  }
  panelsShown_ = shown;
  host_->setFloatingShown(shown);
  for (Panel* panel : host_->panels())
    panel->toggleViewAction()->setEnabled(shown);
}

void MainWindow::showState() {
  switch (document_.state()) {
  case DocumentState::Empty:
    welcome_->refresh();
    pages_->setCurrentWidget(welcome_);
    break;
  case DocumentState::Loading:
    message_->showLoading(document_.loadingText());
    pages_->setCurrentWidget(message_);
    banner_->hide();
    break;
  case DocumentState::Failed:
    message_->showError(document_.errorTitle(), document_.errorText());
    pages_->setCurrentWidget(message_);
    break;
  case DocumentState::Ready:
    Settings::addRecentFile(document_.path());
    host_->resize(pages_->size()); // panels are laid out before they are seen
    pages_->setCurrentWidget(host_);
    break;
  }
  // While loading, the panels stay where they are: no flicker between two sessions of a file.
  if (document_.state() == DocumentState::Ready) {
    showPanels(true);
    restoreViewState();
    if (!tourWaiting_.isEmpty()) startTour(std::exchange(tourWaiting_, {}));
  }
  if (document_.state() == DocumentState::Empty || document_.state() == DocumentState::Failed)
    showPanels(false);
  if (document_.state() != DocumentState::Ready) banner_->hide();
  showStatus();
}

namespace {

/// Why the session does not go on, in a sentence, when that is not what the user asked for.
QString sessionTrouble(const Document& document) {
  const QString reason = document.statusReason();
  if (document.status() == SessionStatus::Failed && !reason.isEmpty())
    return MainWindow::tr("The session failed: %1").arg(reason);
  if (document.status() == SessionStatus::Paused && document.needsHelp())
    return MainWindow::tr("The session has paused: %1. Start it again when that is mended.")
        .arg(reason);
  return {};
}

} // namespace

void MainWindow::showStatus() {
  const QString name = document_.title();
  setWindowTitle(name.isEmpty() ? tr("Nestwright")
                                : tr("%1 – %2").arg(name, statusText(document_)));
  setWindowFilePath(document_.path());
  const QString trouble = sessionTrouble(document_);
  if (!trouble.isEmpty())
    banner_->show(trouble);
  else if (document_.isRunning() && banner_->text() == troubleShown_)
    banner_->hide();
  troubleShown_ = trouble.isEmpty() ? troubleShown_ : trouble;
  noticeEnd();
}

void MainWindow::rememberWindow() {
  Settings::setWindow(saveGeometry(), host_->arrangement());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (panelsShown_) rememberWindow();
  if (document_.state() == DocumentState::Empty) return event->accept();
  // The measurement under way is waited for without freezing; closed() closes the window.
  closing_ = true;
  setEnabled(false);
  event->ignore();
  document_.close();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QStringList files = droppedFiles(event->mimeData());
  if (files.size() == 1 || looksLikeLogs(files)) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QStringList files = droppedFiles(event->mimeData());
  if (looksLikeLogs(files)) return exchange_->import(files);
  const QString file = files.value(0);
  if (file.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) ||
      file.endsWith(QLatin1String(".dag"), Qt::CaseInsensitive))
    newSession(file);
  else
    openFile(file);
}

} // namespace nestwright::ui
