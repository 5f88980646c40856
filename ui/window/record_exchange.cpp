#include "ui/window/record_exchange.h"

#include "ui/document/document_file.h"
#include "ui/document/import/importer.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/settings.h"
#include "ui/import/import_view.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/message_page.h"
#include "ui/records/export_records_dialog.h"
#include "ui/records/export_records_job.h"
#include "ui/records/record_view.h"
#include "ui/window/actions.h"
#include "ui/window/desktop_notice.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QProgressDialog>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

/// "measure_records.nwdb" in the folder used last.
QString suggestedDocument(const QStringList& files) {
  const QFileInfo first(files.value(0));
  const QString stem = first.isDir() ? first.fileName() : first.baseName();
  return Settings::folder() + QLatin1Char('/') +
         (stem.isEmpty() ? QStringLiteral("records") : stem) + QStringLiteral(".nwdb");
}

} // namespace

RecordExchange::RecordExchange(MainWindow& window, DesktopNotice& notice)
    : QObject(&window), window_(window), notice_(notice), dialog_(new QDialog(&window)),
      view_(new ImportView(window.document(), dialog_)) {
  dialog_->setWindowTitle(tr("Imported Logs"));
  dialog_->setObjectName(QStringLiteral("importDialog"));
  dialog_->resize(860, 560);
  auto* layout = new QVBoxLayout(dialog_);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->addWidget(view_);
  Actions& actions = window.actions();
  import_ = actions.add(tr("&Import Records …"), "", QKeySequence(Qt::CTRL | Qt::Key_I),
                        tr("Take logs of TVM, TenSet and AutoTVM, plain or packed, or other "
                           "documents into this one. They can also be dropped on the window."));
  folder_ = actions.add(tr("Import a &Folder of Logs …"), "", {},
                        tr("Take in all logs below a folder, as TenSet lays them out."));
  imported_ = actions.add(tr("Imported &Logs …"), "", {},
                          tr("How far the import is, which logs were taken into this document, and "
                             "which of their lines are broken and why."));
  export_ = actions.add(tr("E&xport Records …"), "", {},
                        tr("Write records as TVM JSON lines, as a table (CSV), or as a tree of "
                           "files as TenSet has."));
  connect(import_, &QAction::triggered, this, [this] { askImport(false); });
  connect(folder_, &QAction::triggered, this, [this] { askImport(true); });
  connect(export_, &QAction::triggered, this, &RecordExchange::askExport);
  connect(imported_, &QAction::triggered, this, &RecordExchange::showImports);
  connect(view_, &ImportView::importRequested, this, &RecordExchange::askImport);
  Document& document = window.document();
  connect(&document, &Document::closed, dialog_, &QWidget::hide);
  connect(&document.importer(), &Importer::ended, this, &RecordExchange::importEnded);
  connect(&document, &Document::stateChanged, this, &RecordExchange::refresh);
  refresh();
}

void RecordExchange::showImports() {
  dialog_->show();
  dialog_->raise();
  dialog_->activateWindow();
}

void RecordExchange::refresh() {
  for (QAction* action : {export_, imported_})
    enableUnless(action, window_.document().whyNotReady());
}

void RecordExchange::askImport(bool folder) {
  const QStringList files =
      folder ? QStringList(QFileDialog::getExistingDirectory(
                   &window_, tr("Import a Folder of Logs"), Settings::folder()))
             : QFileDialog::getOpenFileNames(
                   &window_, tr("Import Records"), Settings::folder(),
                   tr("Logs, task definitions and documents (*.json *.jsonl *.log *.gz *.zst *.xz "
                      "*.dag *.nwdb);;All files (*)"));
  if (!files.isEmpty() && !files.first().isEmpty()) import(files);
}

void RecordExchange::import(const QStringList& files, const QString& database) {
  Document& document = window_.document();
  Importer& importer = document.importer();
  ImportWish wish = importWish(files);
  if (wish.isEmpty()) return;
  if (importer.isActive())
    return window_.banner()->show(
        tr("An import is under way. Let it end or pause it, then import these."));
  const bool open = document.state() == DocumentState::Ready;
  wish.database = open ? document.file().path() : database;
  if (wish.database.isEmpty()) {
    wish.database = QFileDialog::getSaveFileName(
        &window_, tr("Document for the Records"), suggestedDocument(files),
        tr("Nestwright documents (*.nwdb)"), nullptr, QFileDialog::DontConfirmOverwrite);
    if (wish.database.isEmpty()) return;
    if (QFileInfo(wish.database).suffix().isEmpty()) wish.database += QStringLiteral(".nwdb");
    Settings::setFolder(QFileInfo(wish.database).absolutePath());
  }
  if (document.replayMode().isOn()) document.replayMode().end();
  if (!importer.begin(wish)) return;
  if (open) showImports();
}

void RecordExchange::importEnded() {
  const Importer& importer = window_.document().importer();
  const QString name = QFileInfo(importer.wish().database).completeBaseName();
  if (importer.state() == ImportState::Failed)
    return notice_.tell(tr("The import into %1 has failed").arg(name), importer.error());
  if (importer.state() != ImportState::Finished) return;
  // The dialog says what became of the lines; what needs a look is brought up.
  if (importer.progress().broken > 0 && window_.document().state() == DocumentState::Ready)
    showImports();
  notice_.tell(tr("The import into %1 has finished").arg(name), importer.resultText());
}

void RecordExchange::askExport() {
  const RecordView* records = window_.panels().view<RecordView>();
  ExportRecordsDialog dialog(window_.document(), records->model()->listing(),
                             records->table()->selected(), &window_);
  if (dialog.exec() == QDialog::Accepted) exportRecords(dialog.choice());
}

void RecordExchange::exportRecords(const RecordsToExport& what) {
  if (job_ && job_->isActive())
    return window_.banner()->show(tr("An export is under way. Let it end or cancel it first."));
  job_ = std::make_shared<ExportRecordsJob>();
  Settings::setFolder(QFileInfo(what.output).absolutePath());
  const QString name = QFileInfo(what.output).fileName();
  auto* progress = new QProgressDialog(tr("Writing %1 …").arg(name), tr("Cancel"), 0, 0, &window_);
  progress->setMinimumDuration(kProgressMilliseconds);
  progress->setAutoReset(false);
  progress->setAutoClose(false);
  connect(progress, &QProgressDialog::canceled, job_.get(), &ExportRecordsJob::cancel);
  connect(
      job_.get(), &ExportRecordsJob::progressed, progress,
      [progress, name](std::int64_t records, std::int64_t all) {
        progress->setLabelText(
            all > 0
                ? tr("Writing %1: %2 of %3 records").arg(name, countText(records), countText(all))
                : tr("Writing %1: %2 records").arg(name, countText(records)));
        progress->setMaximum(all > 0 ? 1000 : 0);
        progress->setValue(all > 0 ? int(1000 * std::min(1.0, double(records) / double(all))) : 0);
      });
  connect(job_.get(), &ExportRecordsJob::ended, &window_, [this, progress] {
    progress->deleteLater();
    if (!job_->error().isEmpty()) return window_.banner()->show(job_->error());
    window_.statusLine()->showMessage(job_->resultText(), kNoticeMilliseconds);
    notice_.tell(tr("The export has finished"), job_->resultText());
  });
  job_->begin(what);
}

} // namespace nestwright::ui

#include "moc_record_exchange.cpp"
