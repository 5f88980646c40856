#pragma once
/// \file Counts and sorts the records of a question on a thread of its own, and tells how far it
/// is.

#include "core/record/query/rank_change.h"
#include "core/record/query/record_browser.h"
#include "ui/document/reading/file_asking.h"
#include "ui/records/record_rows.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace nestwright::ui {

/// All records of a question by their rank.
struct Ranking {
  std::shared_ptr<const RecordRanks> ranks;
  RankChange change;            // beside the ranks before
  std::vector<RecordRow> first; // those at the top, so that they are never seen empty
  int milliseconds = 0;         // that it took
};

class RecordRanking : public QObject {
  Q_OBJECT
 public:
  using Ranks = std::shared_ptr<const RecordRanks>;

  explicit RecordRanking(QObject* parent = nullptr);
  /// In place of what was asked before, whose answer is dropped. `before`: the last answer to the
  /// same question, of which it is told what is new; null: none.
  void ask(const QString& path, const BrowseQuery& query, const Ranks& before);
  void cancel();
  /// Cancels, and closes the file.
  void close();
  bool isBusy() const { return background_.isBusy(); }
  /// The part that is done; nothing when nothing is asked for, or that was not told yet.
  std::optional<double> progress() const { return progress_; }

 Q_SIGNALS:
  void progressChanged();
  /// How many there are, where that is known before their order is.
  void counted(qint64 count);
  void ranked(const nestwright::ui::Ranking& ranking);
  void failed(const QString& why);

 private:
  void setProgress(std::optional<double> progress);

  std::optional<double> progress_;
  std::uint64_t round_ = 0;              // what is told of an earlier one is dropped
  FileAsking<RecordBrowser> background_; // last: its work is waited for first
};

} // namespace nestwright::ui
