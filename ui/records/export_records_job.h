#pragma once
/// \file Writing records to files, on a thread of its own.

#include "core/logs/export_log.h"
#include "core/record/rows/record_query.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <vector>

namespace nestwright::ui {

/// Which records, in which form, where to.
struct RecordsToExport {
  QString document;
  RecordQuery query;
  std::vector<RowId> records; // just these of them, ascending; empty: all
  ExportFormat format = ExportFormat::Tvm;
  QString output;              // file, or folder for a tree
  bool onlyKnownToTvm = false; // ExportOptions::onlyKnownToTvm
  QString title;               // "Records of resnet18 with task:conv2d", for the head of a table
};

/// Everything on the GUI thread.
class ExportRecordsJob : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// Cancels what runs and waits for it.
  ~ExportRecordsJob() override { stop_ = true; }

  void begin(const RecordsToExport& what);
  /// What was written of a file is removed.
  void cancel() { stop_ = true; }
  bool isActive() const { return active_; }
  const ExportReport& report() const { return report_; }
  /// Why it failed; empty when it did not.
  QString error() const { return error_; }
  /// "1,204 records were written to a.json."
  QString resultText() const;

 Q_SIGNALS:
  /// Some times a second; `all` is 0 while that is not known.
  void progressed(std::int64_t records, std::int64_t all);
  void ended();

 private:
  ExportReport write(const RecordsToExport& what);

  bool active_ = false;
  ExportReport report_;
  QString error_, output_;
  ExportFormat format_ = ExportFormat::Tvm;
  bool onlyKnownToTvm_ = false;
  std::atomic<bool> stop_{false};
  WorkQueue work_; // last: what runs is waited for first
};

} // namespace nestwright::ui
