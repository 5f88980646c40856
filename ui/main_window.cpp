#include "ui/main_window.h"

#include "ui/actions.h"
#include "ui/curve_plot.h"
#include "ui/curve_view.h"
#include "ui/format.h"
#include "ui/help_dialogs.h"
#include "ui/log_view.h"
#include "ui/message_page.h"
#include "ui/new_session_dialog.h"
#include "ui/panel.h"
#include "ui/program_view.h"
#include "ui/record_view.h"
#include "ui/sample.h"
#include "ui/settings.h"
#include "ui/status_line.h"
#include "ui/task_view.h"
#include "ui/text.h"
#include "ui/welcome_page.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>

#include <climits>
#include <utility>

namespace nestwright::ui {
namespace {

QString droppedFile(const QMimeData* data) {
  const QList<QUrl> urls = data->urls();
  return urls.size() == 1 && urls.first().isLocalFile() ? urls.first().toLocalFile() : QString();
}

} // namespace

MainWindow::MainWindow(Catalogue catalogue, SessionFactory sessions, QWidget* parent)
    : QMainWindow(parent), catalogue_(std::move(catalogue)), document_(std::move(sessions)) {
  Theme::instance().choose(Settings::theme());
  Theme::instance().setZoom(Settings::zoom());
  actions_ = new Actions(document_, this);
  sample_ = new QAction(tr("Open &Sample"), this);
  sample_->setToolTip(tr("A session that was tuned before, to look around in."));
  sample_->setVisible(!samplePath().isEmpty());
  setAcceptDrops(true);
  setDockOptions(AllowNestedDocks | AllowTabbedDocks);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  // The left column reaches to the bottom; the program lies under the curves.
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  buildPanels();
  buildToolBar();
  buildMenus();
  connectActions();
  status_ = new StatusLine(document_, this);
  setStatusBar(status_);
  setWindowIcon(QIcon(QStringLiteral(":/nestwright.svg")));
  resize(1400, 900);
  arrangePanels();
  restoreGeometry(Settings::geometry());
  restoreState(Settings::docks());
  for (QDockWidget* panel : panels_)
    panel->hide();
  curves_->setOptions(Settings::curves());
  showState();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildPanels() {
  curves_ = new CurveView(document_, this);
  welcome_ = new WelcomePage({actions_->newSession, actions_->open, sample_}, this);
  message_ = new MessagePage(this);
  pages_ = new QStackedWidget(this);
  for (QWidget* page : std::initializer_list<QWidget*>{welcome_, message_, curves_})
    pages_->addWidget(page);
  banner_ = new Banner(this);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(pages_, 1);
  setCentralWidget(centre);

  tasks_ = new TaskView(document_, this);
  records_ = new RecordView(document_, this);
  log_ = new LogView(document_, this);
  program_ = new ProgramView(document_, this);
  addPanel(QStringLiteral("tasksPanel"), tr("Tasks"), tasks_, Qt::LeftDockWidgetArea);
  addPanel(QStringLiteral("recordsPanel"), tr("Records"), records_, Qt::LeftDockWidgetArea);
  addPanel(QStringLiteral("logPanel"), tr("Log"), log_, Qt::LeftDockWidgetArea);
  addPanel(QStringLiteral("programPanel"), tr("Program"), program_, Qt::BottomDockWidgetArea);
}

QDockWidget* MainWindow::addPanel(const QString& name, const QString& title, QWidget* content,
                                  Qt::DockWidgetArea area) {
  auto* panel = new Panel(name, title, content, this);
  addDockWidget(area, panel);
  panels_.append(panel);
  return panel;
}

void MainWindow::arrangePanels() {
  QDockWidget *tasks = panels_[0], *records = panels_[1], *log = panels_[2], *program = panels_[3];
  for (QDockWidget* panel : panels_)
    panel->setFloating(false);
  addDockWidget(Qt::LeftDockWidgetArea, tasks);
  splitDockWidget(tasks, records, Qt::Vertical);
  tabifyDockWidget(records, log);
  addDockWidget(Qt::BottomDockWidgetArea, program);
  for (QDockWidget* panel : panels_)
    panel->show();
  records->raise();
  updatePanelTitles();
  resizeDocks({tasks}, {width() * 54 / 100}, Qt::Horizontal);
  resizeDocks({tasks, records}, {height() * 52 / 100, height() * 40 / 100}, Qt::Vertical);
  resizeDocks({program}, {height() * 45 / 100}, Qt::Vertical);
}

void MainWindow::updatePanelTitles() {
  for (QDockWidget* panel : panels_)
    static_cast<Panel*>(panel)->updateTitle();
}

void MainWindow::buildToolBar() {
  auto* bar = addToolBar(tr("Session"));
  bar->setObjectName(QStringLiteral("sessionBar"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  const auto scale = [bar] {
    const int side = qRound(16 * Theme::instance().zoom());
    bar->setIconSize(QSize(side, side));
  };
  scale();
  connect(&Theme::instance(), &Theme::changed, bar, scale);
  bar->addAction(actions_->newSession);
  bar->addAction(actions_->open);
  bar->addSeparator();
  for (QAction* action : {actions_->start, actions_->pause, actions_->stop})
    bar->addAction(action);
}

void MainWindow::buildMenus() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(actions_->newSession);
  file->addAction(actions_->open);
  QMenu* recent = file->addMenu(tr("Open &Recent"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecent(recent); });
  QMenu* sessions = file->addMenu(tr("&Sessions in This File"));
  connect(sessions, &QMenu::aboutToShow, this, [this, sessions] { fillSessions(sessions); });
  file->addSeparator();
  file->addAction(actions_->close);
  file->addAction(actions_->quit);

  QMenu* session = menuBar()->addMenu(tr("&Session"));
  session->addActions({actions_->start, actions_->pause, actions_->stop});
  session->addSeparator();
  session->addAction(actions_->moreTrials);

  QMenu* view = menuBar()->addMenu(tr("&View"));
  for (QDockWidget* panel : panels_)
    view->addAction(panel->toggleViewAction());
  view->addAction(actions_->resetLayout);
  view->addSeparator();
  view->addAction(actions_->selectNone);
  view->addSeparator();
  QMenu* theme = view->addMenu(tr("&Theme"));
  theme->addActions({actions_->themeSystem, actions_->themeLight, actions_->themeDark});
  view->addActions({actions_->zoomIn, actions_->zoomOut, actions_->zoomReset});

  QMenu* help = menuBar()->addMenu(tr("&Help"));
  help->addActions({actions_->shortcuts, actions_->about});
}

void MainWindow::connectActions() {
  connect(actions_->newSession, &QAction::triggered, this, [this] { newSession(); });
  connect(actions_->open, &QAction::triggered, this, &MainWindow::askOpen);
  connect(actions_->close, &QAction::triggered, &document_, &Document::close);
  connect(actions_->quit, &QAction::triggered, this, &QWidget::close);
  connect(actions_->moreTrials, &QAction::triggered, this, &MainWindow::askTrialBudget);
  connect(actions_->resetLayout, &QAction::triggered, this, &MainWindow::arrangePanels);
  connect(actions_->about, &QAction::triggered, this, [this] { showAbout(this); });
  connect(actions_->shortcuts, &QAction::triggered, this,
          [this] { showShortcuts(*actions_, this); });
  connect(sample_, &QAction::triggered, this, &MainWindow::openSample);
  connect(welcome_, &WelcomePage::openRequested, this,
          [this](const QString& path) { openFile(path); });
  connect(message_, &MessagePage::dismissed, &document_, &Document::close);
  connect(&document_, &Document::stateChanged, this, &MainWindow::showState);
  connect(&document_, &Document::statusChanged, this, &MainWindow::showStatus);
  connect(&document_, &Document::warning, banner_, &Banner::show);
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

QWidget* MainWindow::page() const {
  return pages_->currentWidget();
}

void MainWindow::fillRecent(QMenu* menu) {
  menu->clear();
  for (const QString& path : Settings::recentFiles())
    menu->addAction(path, this, [this, path] { openFile(path); });
  if (menu->isEmpty()) {
    menu->addAction(tr("No documents yet"))->setEnabled(false);
    return;
  }
  menu->addSeparator();
  menu->addAction(tr("Clear List"), this, [this] {
    Settings::clearRecentFiles();
    welcome_->refresh();
  });
}

void MainWindow::fillSessions(QMenu* menu) {
  menu->clear();
  for (const SessionRow& session : document_.sessions()) {
    QAction* action = menu->addAction(tr("%1  ·  %2  ·  %3")
                                          .arg(qs(session.title), momentText(session.createdAt),
                                               qs(nestwright::name(session.status))),
                                      this, [this, id = session.id] { document_.showSession(id); });
    action->setCheckable(true);
    action->setChecked(session.id == document_.session().id);
  }
  if (menu->isEmpty()) menu->addAction(tr("No document"))->setEnabled(false);
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

void MainWindow::askTrialBudget() {
  bool ok = false;
  const int made = static_cast<int>(document_.progress().trials);
  const int budget = QInputDialog::getInt(
      this, tr("Trial Budget"),
      tr("Trials of the whole session (%1 are made):").arg(countText(made)),
      static_cast<int>(document_.progress().budget), std::max(1, made), INT_MAX, 100, &ok);
  if (ok) document_.setTrialBudget(budget);
}

// --- what is shown

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  // The style sheet takes the fonts from some widgets as it first polishes them.
  if (!std::exchange(polished_, true)) Theme::instance().reapply();
}

void MainWindow::showPanels(bool shown) {
  if (shown == panelsShown_) return;
  if (shown) {
    for (QDockWidget* panel : panels_)
      panel->show();
    const QByteArray docks = Settings::docks();
    if (docks.isEmpty())
      arrangePanels();
    else
      restoreState(docks);
    // Tabs are put together after this; then panels know whether one names them.
    QTimer::singleShot(0, this, &MainWindow::updatePanelTitles);
  } else {
    rememberWindow();
    for (QDockWidget* panel : panels_)
      panel->hide();
  }
  for (QDockWidget* panel : panels_)
    panel->toggleViewAction()->setEnabled(shown);
  panelsShown_ = shown;
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
    pages_->setCurrentWidget(curves_);
    break;
  }
  // While loading, the panels stay where they are: no flicker between two sessions of a file.
  if (document_.state() == DocumentState::Ready)
    showPanels(true);
  else if (document_.state() != DocumentState::Loading)
    showPanels(false);
  if (document_.state() != DocumentState::Ready) banner_->hide();
  actions_->resetLayout->setEnabled(document_.state() == DocumentState::Ready);
  showStatus();
}

void MainWindow::showStatus() {
  const QString name = document_.title();
  setWindowTitle(name.isEmpty() ? tr("Nestwright")
                                : tr("%1 – %2").arg(name, statusText(document_)));
  setWindowFilePath(document_.path());
  if (document_.status() == SessionStatus::Failed && !document_.statusReason().isEmpty())
    banner_->show(tr("The session failed: %1").arg(document_.statusReason()));
}

void MainWindow::rememberWindow() {
  Settings::setWindow(saveGeometry(), saveState());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (panelsShown_) rememberWindow();
  Settings::setCurves(curves_->plot()->options());
  if (document_.state() == DocumentState::Empty) return event->accept();
  // The measurement under way is waited for without freezing; closed() closes the window.
  closing_ = true;
  setEnabled(false);
  event->ignore();
  document_.close();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!droppedFile(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString file = droppedFile(event->mimeData());
  if (file.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) ||
      file.endsWith(QLatin1String(".dag"), Qt::CaseInsensitive))
    newSession(file);
  else
    openFile(file);
}

} // namespace nestwright::ui
