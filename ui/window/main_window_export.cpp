/// What the panels give away: to files and to the clipboard.
#include "ui/document/settings.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/message_page.h"
#include "ui/kit/table_twin.h"
#include "ui/kit/theme.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_finder.h"
#include "ui/window/status_line.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QProgressDialog>
#include <QTimer>

namespace nestwright::ui {
namespace {

/// The light colours while it lives, where pictures are wanted in them.
class PrintColours {
 public:
  PrintColours() : before_(Theme::instance().choice()) {
    changes_ = Settings::printColours() && colours().dark;
    // Nobody sees it: the window is painted when all is as before. (Its updates must stay enabled;
    // a widget without them draws nothing into a picture either.)
    if (changes_) Theme::instance().choose(ThemeChoice::Light);
  }
  ~PrintColours() {
    if (changes_) Theme::instance().choose(before_);
  }
  PrintColours(const PrintColours&) = delete;
  PrintColours& operator=(const PrintColours&) = delete;

 private:
  ThemeChoice before_;
  bool changes_ = false;
};

constexpr int kWrittenMilliseconds = 8000;
const QString kWriting = QStringLiteral("writing");

} // namespace

void MainWindow::connectExport() {
  actions_->printColours->setChecked(Settings::printColours());
  connect(actions_->printColours, &QAction::toggled, this, &Settings::setPrintColours);
  connect(actions_->exportView, &QAction::triggered, this, [this] {
    if (Panel* panel = panelInUse()) askExport(panel);
  });
  connect(actions_->showTable, &QAction::triggered, this, [this] {
    if (Panel* panel = panelInUse()) showTableOf(panel);
  });
  for (QAction* form :
       {actions_->copyText, actions_->copyTable, actions_->copyMarkdown, actions_->copyImage})
    connect(form, &QAction::triggered, this, [this, form] {
      if (Panel* panel = panelInUse()) copyPanel(panel, form);
    });
}

Panel* MainWindow::panelInUse() const {
  if (Panel* panel = host_->current(); panel && !panel->isHidden()) return panel;
  // Before anything was clicked: what a session is mostly looked at with.
  if (Panel* curves = host_->panel(QStringLiteral("curves")); curves && !curves->isHidden())
    return curves;
  for (Panel* panel : host_->panels())
    if (!panel->isHidden()) return panel;
  return nullptr;
}

Exports MainWindow::exportsOfPanel(Panel* panel) {
  const QString of = document_.networkName();
  return exportsOf(panel->view(), panel->name(),
                   of.isEmpty() ? panel->windowTitle()
                                : tr("%1 of %2").arg(panel->windowTitle(), of));
}

void MainWindow::askExport(Panel* panel) {
  const Exports offered = exportsOfPanel(panel);
  const QString filter = fileFilter(offered);
  if (filter.isEmpty()) {
    banner_->show(tr("%1 has nothing to export yet.").arg(panel->windowTitle()));
    return;
  }
  const QString suggested =
      Settings::folder() + QLatin1Char('/') + document_.title() + QLatin1Char('-') + offered.name;
  QString chosen;
  QString file = QFileDialog::getSaveFileName(this, tr("Export %1").arg(panel->windowTitle()),
                                              suggested, filter, &chosen);
  if (file.isEmpty()) return;
  // "(*.svg)" at the end of the chosen filter.
  if (!exportKindOf(file))
    file += chosen.section(QLatin1Char('*'), -1).section(QLatin1Char(')'), 0, 0);
  Settings::setFolder(QFileInfo(file).absolutePath());
  exportPanel(panel->name(), file, [this, file](const QString& problem) {
    if (problem.isEmpty())
      status_->showMessage(tr("%1 was written.").arg(file), kWrittenMilliseconds);
    else
      banner_->show(problem);
  });
}

void MainWindow::saveSvg(Panel* panel) {
  const Exports offered = exportsOfPanel(panel);
  if (!offered.draw) {
    banner_->show(tr("%1 has no picture to save yet.").arg(panel->windowTitle()));
    return;
  }
  const QString stem =
      QStringLiteral("%1/%2-%3").arg(Settings::folder(), document_.title(), offered.name);
  QString file = stem + QStringLiteral(".svg");
  for (int number = 2; QFileInfo::exists(file); ++number)
    file = QStringLiteral("%1-%2.svg").arg(stem).arg(number);
  exportPanel(panel->name(), file, [this, file](const QString& problem) {
    if (problem.isEmpty())
      status_->showMessage(tr("%1 was written.").arg(file), kWrittenMilliseconds);
    else
      banner_->show(problem);
  });
}

void MainWindow::exportPanel(const QString& name, const QString& file,
                             std::function<void(const QString&)> done) {
  Panel* panel = host_->panel(name);
  if (!panel) {
    QStringList names;
    for (const Panel* known : host_->panels())
      names.append(known->name());
    return done(
        tr("There is no view \"%1\". There are: %2.").arg(name, names.join(QStringLiteral(", "))));
  }
  const PrintColours colours;
  const auto job = exportTo(file, exportsOfPanel(panel), document_.path(), this,
                            [this, done = std::move(done)](const QString& problem) {
                              delete findChild<QProgressDialog*>(kWriting);
                              done(problem);
                            });
  showProgress(file, job);
}

/// Rows written so far, and a way to stop, when writing takes long.
void MainWindow::showProgress(const QString& file, const std::shared_ptr<ExportJob>& job) {
  const QString name = QFileInfo(file).fileName();
  auto* progress = new QProgressDialog(tr("Writing %1 …").arg(name), tr("Cancel"), 0, 0, this);
  progress->setObjectName(kWriting);
  progress->setMinimumDuration(kProgressMilliseconds);
  progress->setAutoReset(false);
  auto* timer = new QTimer(progress);
  connect(timer, &QTimer::timeout, progress, [progress, job, name] {
    progress->setLabelText(tr("Writing %1: %2 rows").arg(name, countText(job->rows)));
    progress->setValue(0); // shows the dialog when its time has come
  });
  connect(progress, &QProgressDialog::canceled, progress, [job] { job->cancel = true; });
  timer->start(100);
}

/// One window for each panel; a second wish brings it up to date.
void MainWindow::showTableOf(Panel* panel) {
  const QString name = QStringLiteral("tableOf/") + panel->name();
  auto* twin = findChild<TableTwin*>(name);
  if (twin) {
    twin->bringUpToDate();
  } else {
    const Exports exports = exportsOfPanel(panel);
    if (!exports.table && exports.more.empty()) {
      banner_->show(tr("%1 has no numbers to show as a table yet.").arg(panel->windowTitle()));
      return;
    }
    twin = new TableTwin([this, panel] { return exportsOfPanel(panel); }, this);
    twin->setObjectName(name);
    twin->setAttribute(Qt::WA_DeleteOnClose);
    connect(twin, &TableTwin::recordOpened, finder_, &RecordFinder::open);
    connect(&document_, &Document::closed, twin, &QWidget::close);
  }
  twin->show();
  twin->raise();
  twin->activateWindow();
}

void MainWindow::copyPanel(Panel* panel, QAction* form) {
  QClipboard* clipboard = QApplication::clipboard();
  if (form == actions_->copyImage) {
    const PrintColours colours;
    const Exports exports = exportsOfPanel(panel);
    if (!exports.draw) return;
    clipboard->setImage(imageOf(exports, devicePixelRatioF())); // as it is seen
    status_->showMessage(tr("The picture is in the clipboard."), kWrittenMilliseconds);
    return;
  }
  Exports exports = exportsOfPanel(panel);
  if (exports.clip) exports.table = exports.clip;
  QString text = exports.text;
  if (exports.table && form == actions_->copyMarkdown) text = markdownOf(*exports.table);
  if (exports.table && (form == actions_->copyTable || text.isEmpty()))
    text = tsvOf(*exports.table);
  if (text.isEmpty()) {
    banner_->show(tr("%1 has no text to copy.").arg(panel->windowTitle()));
    return;
  }
  clipboard->setText(text);
  status_->showMessage(
      tr("%1 lines are in the clipboard.").arg(countText(text.count(QLatin1Char('\n')) + 1)),
      kWrittenMilliseconds);
}

} // namespace nestwright::ui
