#include "ui/window/panel_export.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/free_name.h"
#include "ui/document/notices.h"
#include "ui/document/settings.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/table/table_twin.h"
#include "ui/kit/text.h"
#include "ui/window/actions.h"
#include "ui/window/panel_host.h"
#include "ui/window/report/print_colours.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QProgressDialog>
#include <QTimer>

#include <algorithm>

namespace nestwright::ui {
namespace {

const QString kWriting = QStringLiteral("writing");

} // namespace

PanelExport::PanelExport(Document& document, PanelHost& host, Actions& actions, QWidget* window)
    : QObject(window), document_(document), host_(host), actions_(actions), window_(window) {
  actions.printColours->setChecked(Settings::printColours());
  connect(actions.printColours, &QAction::toggled, this, &Settings::setPrintColours);
  svg_ = actions.add(tr("Save as S&VG"), "", QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_E),
                     tr("The panel in use as a picture of lines and text (SVG): a new "
                        "file in the folder that was used last, without asking."));
  connect(actions.exportView, &QAction::changed, svg_,
          [this] { enableUnless(svg_, whyNot(actions_.exportView)); });
  enableUnless(svg_, whyNot(actions.exportView));
  const auto connectTo = [this](QAction* action, auto give) {
    connect(action, &QAction::triggered, this, [this, give] {
      if (Panel* panel = host_.panelInUse()) give(panel);
    });
  };
  connectTo(svg_, [this](Panel* panel) { saveSvg(panel); });
  connectTo(actions.exportView, [this](Panel* panel) { ask(panel); });
  connectTo(actions.showTable, [this](Panel* panel) { showTable(panel); });
  for (QAction* form :
       {actions.copyText, actions.copyTable, actions.copyMarkdown, actions.copyImage})
    connectTo(form, [this, form](Panel* panel) { copy(panel, form); });
}

std::vector<PanelView> PanelExport::all() const {
  std::vector<PanelView> views = host_.views();
  views.insert(views.end(), others_.begin(), others_.end());
  return views;
}

Exports PanelExport::exportsOf(const PanelView& view) const {
  const QString of = qs(document_.session().contents().network);
  return ui::exportsOf(view.widget, view.name,
                       of.isEmpty() ? view.title : tr("%1 of %2").arg(view.title, of));
}

Exports PanelExport::exportsOf(Panel* panel) const {
  return exportsOf(panel->inFront());
}

void PanelExport::ask(Panel* panel) {
  const Exports offered = exportsOf(panel);
  const QString filter = fileFilter(offered);
  if (filter.isEmpty()) {
    document_.notices().warn(tr("%1 has nothing to export yet.").arg(panel->inFront().title));
    return;
  }
  const QString suggested = Settings::folder() + QLatin1Char('/') + document_.file().title() +
                            QLatin1Char('-') + offered.name;
  QString chosen;
  QString file = QFileDialog::getSaveFileName(window_, tr("Export %1").arg(panel->inFront().title),
                                              suggested, filter, &chosen);
  if (file.isEmpty()) return;
  // "(*.svg)" at the end of the chosen filter.
  if (!exportKindOf(file))
    file += chosen.section(QLatin1Char('*'), -1).section(QLatin1Char(')'), 0, 0);
  Settings::setFolder(QFileInfo(file).absolutePath());
  writeAndTell(panel, file);
}

void PanelExport::saveSvg(Panel* panel) {
  const Exports offered = exportsOf(panel);
  if (!offered.draw) {
    document_.notices().warn(tr("%1 has no picture to save yet.").arg(panel->inFront().title));
    return;
  }
  const QString stem =
      QStringLiteral("%1/%2-%3").arg(Settings::folder(), document_.file().title(), offered.name);
  writeAndTell(panel, freeName(stem, QStringLiteral(".svg")));
}

void PanelExport::writeAndTell(Panel* panel, const QString& file) {
  write(panel->inFront().name, file, [this, file](const QString& problem) {
    if (problem.isEmpty())
      Q_EMIT told(tr("%1 was written.").arg(file));
    else
      document_.notices().warn(problem);
  });
}

void PanelExport::write(const QString& name, const QString& file,
                        std::function<void(const QString&)> done) {
  const std::vector<PanelView> views = all();
  const auto view = std::ranges::find(views, name, &PanelView::name);
  if (view == views.end()) {
    QStringList names;
    for (const PanelView& known : views)
      names.append(known.name);
    return done(
        tr("There is no view \"%1\". There are: %2.").arg(name, names.join(QStringLiteral(", "))));
  }
  const PrintColours colours;
  const auto job = exportTo(file, exportsOf(*view), document_.file().path(), window_,
                            [this, done = std::move(done)](const QString& problem) {
                              delete window_->findChild<QProgressDialog*>(kWriting);
                              done(problem);
                            });
  showProgress(file, job);
}

/// Rows written so far, and a way to stop, when writing takes long.
void PanelExport::showProgress(const QString& file, const std::shared_ptr<ExportJob>& job) {
  const QString name = QFileInfo(file).fileName();
  auto* progress = new QProgressDialog(tr("Writing %1 …").arg(name), tr("Cancel"), 0, 0, window_);
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

void PanelExport::showTable(Panel* panel) {
  const QString name = QStringLiteral("tableOf/") + panel->inFront().name;
  auto* twin = window_->findChild<TableTwin*>(name);
  if (twin) {
    twin->bringUpToDate();
  } else {
    const Exports exports = exportsOf(panel);
    if (!exports.table && exports.more.empty()) {
      document_.notices().warn(
          tr("%1 has no numbers to show as a table yet.").arg(panel->inFront().title));
      return;
    }
    const PanelView view = panel->inFront();
    twin = new TableTwin([this, view] { return exportsOf(view); }, window_);
    twin->setObjectName(name);
    twin->setAttribute(Qt::WA_DeleteOnClose);
    connect(twin, &TableTwin::recordOpened, this, &PanelExport::recordOpened);
    connect(&document_, &Document::stateChanged, twin, [this, twin, of = document_.file().path()] {
      if (document_.file().path() != of) twin->close();
    });
  }
  twin->show();
  twin->raise();
  twin->activateWindow();
}

void PanelExport::copy(Panel* panel, QAction* form) {
  QClipboard* clipboard = QApplication::clipboard();
  if (form == actions_.copyImage) {
    const PrintColours colours;
    const Exports exports = exportsOf(panel);
    if (!exports.draw) return;
    clipboard->setImage(imageOf(exports, window_->devicePixelRatioF())); // as it is seen
    Q_EMIT told(tr("The picture is in the clipboard."));
    return;
  }
  Exports exports = exportsOf(panel);
  if (exports.clip) exports.table = exports.clip;
  QString text = exports.text;
  if (exports.table && form == actions_.copyMarkdown) text = markdownOf(*exports.table);
  if (exports.table && (form == actions_.copyTable || text.isEmpty())) text = tsvOf(*exports.table);
  if (text.isEmpty()) {
    document_.notices().warn(tr("%1 has no text to copy.").arg(panel->inFront().title));
    return;
  }
  clipboard->setText(text);
  Q_EMIT told(
      tr("%1 lines are in the clipboard.").arg(countText(text.count(QLatin1Char('\n')) + 1)));
}

} // namespace nestwright::ui

#include "moc_panel_export.cpp"
