#include "ui/window/main_window.h"

#include "ui/document/document_file.h"
#include "ui/document/dropped_files.h"
#include "ui/document/import/importer.h"
#include "ui/document/notices.h"
#include "ui/document/sample.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/import/import_view.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/message_page.h"
#include "ui/kit/table/row_table.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/training_view.h"
#include "ui/lesson/replay_bar.h"
#include "ui/notes/notes_view.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/race/race_view.h"
#include "ui/records/record_view.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/tasks/task_view.h"
#include "ui/travel/travel_view.h"
#include "ui/window/actions.h"
#include "ui/window/again/measure_again_dialog.h"
#include "ui/window/deploy/deploy_command.h"
#include "ui/window/deploy/emit_command.h"
#include "ui/window/desktop_notice.h"
#include "ui/window/document_commands.h"
#include "ui/window/end_notice.h"
#include "ui/window/guidance/guidance_line.h"
#include "ui/window/help_commands.h"
#include "ui/window/layout_commands.h"
#include "ui/window/lesson_commands.h"
#include "ui/window/menus.h"
#include "ui/window/new_session/subject_choice.h"
#include "ui/window/note_actions.h"
#include "ui/window/palette_items.h"
#include "ui/window/panel.h"
#include "ui/window/panel_export.h"
#include "ui/window/panel_host.h"
#include "ui/window/plan_bar.h"
#include "ui/window/polish/polish_command.h"
#include "ui/window/race/race_command.h"
#include "ui/window/record_exchange.h"
#include "ui/window/record_finder.h"
#include "ui/window/report/report_command.h"
#include "ui/window/salvage/salvage_command.h"
#include "ui/window/shortcut_editor.h"
#include "ui/window/status_line.h"
#include "ui/window/steering_actions.h"
#include "ui/window/view_links.h"
#include "ui/window/view_state_keeper.h"
#include "ui/window/welcome_page.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {
namespace {

/// The one view that is in a dialog.
const QString kImportView = QStringLiteral("import");

/// Why the session does not go on, in a sentence, when that is not what the user asked for.
QString sessionTrouble(const Document& document) {
  const QString reason = qs(document.session().statusReason());
  if (document.session().status() == SessionStatus::Failed && !reason.isEmpty())
    return MainWindow::tr("The session failed: %1").arg(reason);
  if (document.session().status() == SessionStatus::Paused && document.session().needsHelp())
    return MainWindow::tr("The session has paused: %1. Start it again when that is mended.")
        .arg(reason);
  return {};
}

} // namespace

MainWindow::MainWindow(Catalogue catalogue, SessionFactory sessions, QWidget* parent)
    : QMainWindow(parent), document_(std::move(sessions)) {
  Theme::instance().choose(Settings::theme());
  Theme::instance().setZoom(Settings::zoom());
  actions_ = new Actions(document_, this);
  actions_->sample->setVisible(!samplePath().isEmpty());
  setAcceptDrops(true);
  status_ = new StatusLine(document_, this);
  setStatusBar(status_);
  buildPages();
  buildSteering();
  layouts_ = new LayoutCommands(*host_, *actions_, this);
  viewState_ = new ViewStateKeeper(document_, *host_, *actions_, *layouts_, this);
  commands_ = new DocumentCommands(document_, std::move(catalogue), *actions_, this);
  notice_ = new DesktopNotice(*this);
  buildCommands();
  connectDocument();
  new SalvageCommand(document_, *message_, *commands_, this);
  help_ = new HelpCommands(document_, *host_, *actions_, *layouts_, this);
  new EndNotice(document_, *notice_, this);
  palette_ = new CommandPalette(this);
  finder_ = new RecordFinder(document_, this);
  fillPalette(*palette_, document_, *host_, *actions_, *finder_);
  restoreShortcuts(*actions_);
  connectCommands();
  connectGuidance();
  setWindowIcon(QIcon(QStringLiteral(":/nestwright.svg")));
  resize(1400, 900);
  restoreGeometry(Settings::geometry());
  showState();
}

MainWindow::~MainWindow() = default;

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
  guidance_ = new GuidanceLine(document_, *status_->health(), this);
  layout->addWidget(guidance_);
  layout->addWidget(pages_, 1);
  setCentralWidget(centre);
}

void MainWindow::buildSteering() {
  auto* records = host_->view<RecordView>();
  steering_ = new SteeringActions(
      document_, *actions_, [records] { return records->table()->selected(); }, this);
  host_->view<TaskView>()->addActions(steering_->taskActions());
  host_->view<SchedulerView>()->table()->addActions(steering_->taskActions());
  records->table()->addActions(steering_->recordActions());
  records->table()->addAction(actions_->measureAgain);
  polish_ = new PolishCommand(document_, *actions_, this);
  records->table()->addAction(polish_->action());
  emit_ = new EmitCommand(document_, *actions_, this);
  records->table()->addAction(emit_->action());
  for (QAction* command : {polish_->action(), emit_->action()})
    host_->view<ProgramView>()->head()->addCommand(command);
  notes_ = new NoteActions(document_, *actions_, this);
  host_->view<TaskView>()->addActions(notes_->actions());
  records->table()->addActions(notes_->actions());
  connect(notes_->write, &QAction::triggered, this, [this] {
    host_->raise(QStringLiteral("notes"));
    host_->view<NotesView>()->write();
  });
}

/// Tool bars and menus, in the order in which they lie and in which their commands are listed.
void MainWindow::buildCommands() {
  PlanBar* plan = buildToolBar(*this, document_, *actions_);
  connect(plan, &PlanBar::planWanted, this, [this] { host_->raise(QStringLiteral("budget")); });
  auto* replayBar = new ReplayBar(document_, this);
  addToolBar(Qt::BottomToolBarArea, replayBar);
  exchange_ = new RecordExchange(*this, *notice_);
  auto* lessons = new LessonCommands(*this, *replayBar);
  export_ = new PanelExport(document_, *host_, *actions_, this);
  export_->offer({kImportView, tr("Import"), exchange_->view()});
  report_ = new ReportCommand(document_, *host_, *actions_, this);
  deploy_ = new DeployCommand(document_, *actions_, this);
  auto* race = new RaceCommand(document_, *actions_, *host_->view<RaceView>(), this);
  connect(race, &RaceCommand::begun, this, [this] { host_->raise(QStringLiteral("races")); });
  menus_ = new Menus(*this, document_, *host_,
                     {*actions_, *steering_, *polish_, *notes_, *exchange_, *lessons, *export_,
                      *report_, *deploy_, *emit_, *race, *plan});
}

void MainWindow::connectGuidance() {
  guidance_->setWanted(Settings::guidance());
  actions_->guidance->setChecked(guidance_->isWanted());
  connect(actions_->guidance, &QAction::toggled, guidance_, &GuidanceLine::setWanted);
  connect(guidance_, &GuidanceLine::wantedChanged, this, [this](bool wanted) {
    actions_->guidance->setChecked(wanted);
    Settings::setGuidance(wanted);
  });
  connect(guidance_, &GuidanceLine::placeWanted, host_,
          [this](const Guidance& guidance) { showPlace(*host_, guidance); });
}

void MainWindow::connectCommands() {
  connect(actions_->newWindow, &QAction::triggered, this, [this] { Q_EMIT windowRequested({}); });
  connect(commands_, &DocumentCommands::windowWanted, this, &MainWindow::windowRequested);
  connect(actions_->quit, &QAction::triggered, this, &QWidget::close);
  connect(actions_->palette, &QAction::triggered, this, [this] { palette_->popUp(); });
  connect(welcome_, &WelcomePage::openRequested, this,
          [this](const QString& path) { openFile(path); });
  connect(welcome_, &WelcomePage::tourRequested, help_, &HelpCommands::startTour);
  connect(actions_->measureAgain, &QAction::triggered, this, &MainWindow::askMeasureAgain);
  connect(menus_, &Menus::fileChosen, this, [this](const QString& path) { openFile(path); });
  connect(menus_, &Menus::recentCleared, welcome_, &WelcomePage::refresh);
  connect(menus_, &Menus::tourChosen, help_, &HelpCommands::startTour);
  connect(menus_, &Menus::helpWanted, help_, &HelpCommands::open);
  connect(help_, &HelpCommands::sampleWanted, commands_, &DocumentCommands::openSample);
  connect(commands_, &DocumentCommands::copying, viewState_, &ViewStateKeeper::keep);
  connect(host_->view<TravelView>(), &TravelView::seedsWanted, commands_,
          &DocumentCommands::seedSession);
  connect(host_->view<TrainingView>(), &TrainingView::sessionWanted, commands_,
          &DocumentCommands::pretrainedSession);
  connect(export_, &PanelExport::recordOpened, finder_, &RecordFinder::open);
  const auto tell = [this](const QString& text) {
    status_->showMessage(text, kNoticeMilliseconds);
  };
  connect(export_, &PanelExport::told, status_, tell);
  connect(report_, &ReportCommand::told, status_, tell);
  connect(emit_, &EmitCommand::told, status_, tell);
  connect(commands_, &DocumentCommands::told, status_, tell);
}

void MainWindow::askMeasureAgain() {
  const auto* records = host_->view<RecordView>();
  MeasureAgainDialog dialog(document_, records->model()->listing(), records->table()->selected(),
                            this);
  if (dialog.exec() == QDialog::Accepted) document_.measureAgain(dialog.wish());
}

void MainWindow::connectDocument() {
  connect(message_, &MessagePage::dismissed, this, &MainWindow::leaveMessage);
  connect(&document_, &Document::refused, this, &MainWindow::showRefusal);
  connect(&document_, &Document::stateChanged, this, &MainWindow::showState);
  connect(&document_.follower(), &SessionFollower::statusChanged, this, &MainWindow::showStatus);
  connect(&document_.notices(), &Notices::warned, banner_, &Banner::show);
  linkViews(document_, *host_);
  // Queued, because a document without a running session closes at once, within closeEvent().
  connect(
      &document_, &Document::closed, this,
      [this] {
        if (closing_) close();
      },
      Qt::QueuedConnection);
  connect(&Theme::instance(), &Theme::changed, this,
          [] { Settings::setZoom(Theme::instance().zoom()); });
}

QWidget* MainWindow::page() const {
  return pages_->currentWidget();
}

void MainWindow::showView(const QString& name) {
  if (name == kImportView) return exchange_->showImports();
  host_->raise(name);
}

void MainWindow::openFile(const QString& path, bool start, RowId session) {
  commands_->open(path, start, session);
}

void MainWindow::makeSession(const QString& path, const SessionConfig& config, bool start) {
  commands_->create(path, config, start);
}

// --- what is shown

void MainWindow::showPanels(bool shown) {
  if (shown == host_->isInUse()) return;
  if (!shown) {
    rememberWindow();
    viewState_->forget();
  }
  host_->setInUse(shown);
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
    message_->showError(document_.errorTitle(), document_.errorText(), commands_->failureExit());
    pages_->setCurrentWidget(message_);
    break;
  case DocumentState::Ready:
    Settings::addRecentFile(document_.file().path());
    host_->resize(pages_->size()); // panels are laid out before they are seen
    break;
  }
  // While loading, the panels stay where they are: no flicker between two sessions of a file.
  if (document_.state() == DocumentState::Ready) {
    showPanels(true);
    viewState_->restore();
    pages_->setCurrentWidget(host_);
  }
  if (document_.state() == DocumentState::Empty || document_.state() == DocumentState::Failed)
    showPanels(false);
  if (document_.state() != DocumentState::Ready) banner_->hide();
  showStatus();
}

/// In place of the document, which goes on behind it.
void MainWindow::showRefusal(const QString& path, const QString& why) {
  message_->showError(tr("%1 could not be opened").arg(QFileInfo(path).fileName()), why,
                      tr("Back to %1").arg(document_.file().title()));
  pages_->setCurrentWidget(message_);
}

void MainWindow::leaveMessage() {
  if (document_.state() == DocumentState::Ready)
    pages_->setCurrentWidget(host_);
  else
    commands_->leaveFailure();
}

void MainWindow::showStatus() {
  const QString name = document_.file().title();
  setWindowTitle(name.isEmpty() ? tr("Nestwright")
                                : tr("%1 – %2").arg(name, statusText(document_)));
  setWindowFilePath(document_.file().path());
  const QString trouble = sessionTrouble(document_);
  if (!trouble.isEmpty())
    banner_->show(trouble);
  else if (document_.session().isRunning() && banner_->text() == troubleShown_)
    banner_->hide();
  troubleShown_ = trouble.isEmpty() ? troubleShown_ : trouble;
}

void MainWindow::rememberWindow() {
  Settings::setWindow(saveGeometry(), host_->arrangement());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (host_->isInUse()) rememberWindow();
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
  if (isModelFile(file))
    commands_->newSession(file);
  else
    openFile(file);
}

} // namespace nestwright::ui

#include "moc_main_window.cpp"
