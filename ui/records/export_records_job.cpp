#include "ui/records/export_records_job.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/support/version.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QDateTime>
#include <QElapsedTimer>

#include <memory>

namespace nestwright::ui {

void ExportRecordsJob::begin(const RecordsToExport& what) {
  if (active_) return;
  active_ = true;
  stop_ = false;
  output_ = what.output;
  format_ = what.format;
  onlyKnownToTvm_ = what.onlyKnownToTvm;
  report_ = {};
  error_.clear();
  const auto report = std::make_shared<ExportReport>();
  work_.run(
      this, [this, what, report] { *report = write(what); },
      [this, report](const QString& error) {
        active_ = false;
        report_ = *report;
        error_ = error;
        Q_EMIT ended();
      });
}

ExportReport ExportRecordsJob::write(const RecordsToExport& what) {
  constexpr int kTellMilliseconds = 100;
  const RecordStore store = RecordStore::open(what.document.toStdString(), OpenMode::ReadOnly);
  ExportOptions options;
  options.format = what.format;
  options.output = what.output.toStdString();
  options.query = what.query;
  options.query.order = RecordQuery::Order::Oldest;
  options.records = what.records;
  options.onlyKnownToTvm = what.onlyKnownToTvm;
  for (const QString& line :
       {what.title, what.document,
        QStringLiteral("%1, %2").arg(qs(versionText()),
                                     QDateTime::currentDateTime().toString(Qt::ISODate))})
    options.head.push_back(line.toStdString());
  const std::int64_t all = what.records.empty() ? store.records().count(options.query)
                                                : std::int64_t(what.records.size());
  QElapsedTimer told;
  return exportLog(store, options, stop_, [&](std::int64_t records) {
    if (told.isValid() && told.elapsed() < kTellMilliseconds) return;
    told.start();
    QMetaObject::invokeMethod(
        this, [this, records, all] { Q_EMIT progressed(records, all); }, Qt::QueuedConnection);
  });
}

QString ExportRecordsJob::resultText() const {
  if (report_.cancelled) return tr("The export was cancelled; nothing incomplete is left.");
  QString text = tr("%1 records were written to %2.").arg(countText(report_.records), output_);
  if (report_.unknownToTvm > 0 && format_ != ExportFormat::Csv)
    text +=
        QLatin1Char(' ') +
        (onlyKnownToTvm_
             ? tr("%1 more have pragmas that TVM does not know; they were left out.")
                   .arg(countText(report_.unknownToTvm))
             : tr("%1 of them have pragmas that TVM does not know and at which its process ends.")
                   .arg(countText(report_.unknownToTvm)));
  return text;
}

} // namespace nestwright::ui

#include "moc_export_records_job.cpp"
