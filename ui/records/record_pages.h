#pragma once
/// \file Rows of the records, read beside the window when someone looks at them. One question at a
/// time: what is looked at while it is answered comes next, and what was only scrolled past is
/// never read.

#include "core/record/query/record_browser.h"
#include "ui/document/reading/file_asking.h"
#include "ui/records/record_rows.h"

#include <QTimer>

#include <functional>
#include <vector>

namespace nestwright::ui {

class RecordPages : public QObject {
  Q_OBJECT
 public:
  /// The records that were read, in their order; their rows are kept.
  using Done = std::function<void(const std::vector<RowId>& records)>;
  /// So many rows are asked for together at most: a tall screen of them.
  static constexpr int kMostAtOnce = 200;

  explicit RecordPages(QObject* parent = nullptr);

  /// Null when it was not read, or long ago; valid until the next call.
  const RecordRow* find(RowId record) { return cache_.find(record); }
  void keep(std::vector<RecordRow> rows);
  /// Someone looked at a row that is not there: wanted() comes soon.
  void miss(int row);
  bool isBusy() const { return asking_.isBusy(); }

  // These replace what is being read.
  /// Those of the query.
  void read(const QString& path, const BrowseQuery& query, const Done& done);
  /// Those of the query about where `part` of them are before.
  void readNear(const QString& path, const BrowseQuery& query, double part, const Done& done);
  /// These; one that is not in the file any more counts as cancelled.
  void read(const QString& path, const std::vector<RowId>& records, const Done& done);

  /// Nothing that was asked for or looked at is wanted any more.
  void cancel();
  /// The same, and nothing that was read.
  void clear();
  /// Nothing is wanted any more, nor the file.
  void leave();

 Q_SIGNALS:
  /// Rows that were looked at in vain.
  void wanted(int first, int last);
  void failed(const QString& why);

 private:
  using Rows = std::vector<RecordRow>;
  void ask(const QString& path, std::function<Rows(RecordBrowser&)> read, const Done& done);
  void want();

  RecordRowCache cache_;
  int missingFirst_ = -1, missingLast_ = -1;
  QTimer timer_;
  FileAsking<RecordBrowser> asking_; // last: its work is waited for first
};

} // namespace nestwright::ui
