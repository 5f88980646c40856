#pragma once
/// \file Taking logs and other documents into a document, on a thread of its own. It can be stopped
/// at any moment, and the same wish again goes on where it was.

#include "core/logs/import_log.h"
#include "core/record/care/merge_files.h"
#include "core/record/rows/session_row.h"
#include "ui/document/import/import_following.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::ui {

/// What is to be taken in.
struct ImportWish {
  QString database;      // the document, made when it is not there
  QStringList logs;      // files and folders
  QStringList dags;      // files that define tasks
  QStringList documents; // other .nwdb files
  bool isEmpty() const { return logs.isEmpty() && documents.isEmpty(); }
};

/// Sorts files and folders that were chosen or dropped; a NAME.dag that lies beside a log NAME.json
/// is taken as well. Without a database.
ImportWish importWish(const QStringList& files);
/// Whether files like these are logs, as far as their names tell.
bool looksLikeLogs(const QStringList& files);
/// The newest import of the document that was not read to its end, to go on with; only logs that
/// are still there.
std::optional<ImportWish> unfinishedImport(const std::vector<SessionRow>& sessions,
                                           const QString& document);

enum class ImportState { None, Waiting, Running, Stopping, Stopped, Finished, Failed };

/// Everything on the GUI thread. A document owns one.
class Importer : public QObject {
  Q_OBJECT
 public:
  explicit Importer(QObject* parent = nullptr);
  /// Stops what runs and waits for it: half a second at most, or what a single log takes to open.
  ~Importer() override;

  /// False, and nothing begins, while one is active.
  bool begin(const ImportWish& wanted);
  void stop();
  /// Goes on with what was stopped, or failed.
  bool resume() { return begin(wish_); }

  ImportState state() const { return state_; }
  /// It waits, runs or stops.
  bool isActive() const;
  const ImportWish& wish() const { return wish_; }
  const ImportProgress& progress() const { return progress_; }
  /// What was done, of all runs of the wish; complete once it is not active any more.
  const ImportReport& report() const { return report_; }
  std::int64_t mergedRecords() const { return mergedRecords_; }
  /// Done part of the whole, 0 to 1.
  double done() const;
  /// Why it failed.
  QString error() const { return error_; }
  /// "7,102 records, 3 broken lines": what came of it, in words.
  QString resultText() const;

 Q_SIGNALS:
  /// State or progress, some times a second.
  void changed();
  /// It is not active any more.
  void ended();

 private:
  void run(ImportReport& report);
  void end(const ImportReport& report, const QString& error);
  void mergeDocuments();
  void tell(const ImportProgress& progress);
  template <class F>
  void onGui(F f);
  void setState(ImportState state);

  ImportWish wish_;
  ImportState state_ = ImportState::None;
  ImportProgress progress_;
  MergeProgress merging_; // of documents that are taken in: records of the one at hand
  ImportReport report_;
  std::int64_t mergedRecords_ = 0;
  QString error_;
  std::atomic<bool> stop_{false};
  WorkQueue work_; // last: what runs is waited for first
};

} // namespace nestwright::ui
