#pragma once
/// \file The measured programs, any number of them: a row is the rank of a record in the order of
/// the listing, and is read when someone looks at it. Until the ranks are known the first rows come
/// by key and others by a guess; new records arrive while a session runs. Nothing waits for the
/// file.

#include "core/record/query/record_sequence.h"
#include "ui/kit/table/column_model.h"
#include "ui/records/record_columns.h"
#include "ui/records/record_listing.h"
#include "ui/records/record_pages.h"
#include "ui/records/record_ranking.h"

#include <QTimer>

#include <memory>
#include <optional>

namespace nestwright::ui {

class Document;

/// A cell's FractionRole: where the latency lies between the fastest and the slowest record listed,
/// by ratio; invalid while those are not known.
class RecordModel : public ColumnModel<RecordRow> {
  Q_OBJECT
 public:
  enum Column {
    Number,
    Session,
    Trial,
    Task,
    Latency,
    Throughput,
    Spread,
    Outcome,
    Tags,
    Wall,
    Measured,
    Program,
    Runs,
    Stopped,
    Notes,
    ColumnCount
  };
  /// So many rows are there first, before they are counted.
  static constexpr int kPage = 200;

  explicit RecordModel(Document& document, QObject* parent = nullptr);

  const RecordListing& listing() const { return listing_; }
  void setListing(const RecordListing& listing);
  /// What the bars lie between, seconds; 0 when unknown.
  void setTimes(double best, double worst);
  /// Reads the first page again.
  void reload();
  bool isLoading() const { return loading_; }
  /// Whether rowCount() is the number of all records that match.
  bool isCounted() const { return counted_; }
  /// Whether every row is exactly at its rank.
  bool isRanked() const { return sequence_.ranks() != nullptr; }
  /// What matches; null while it is not known.
  std::shared_ptr<const RecordRanks> ranks() const { return sequence_.ranks(); }
  /// The part that is done of counting and sorting; nothing when they are done or were stopped.
  std::optional<double> progress() const { return ranking_.progress(); }
  /// Leaves it at the rows that are there.
  void stop();
  bool isStopped() const { return stopped_; }
  /// Why nothing is shown; empty when the file could be read.
  QString problem() const { return problem_; }
  /// -1 when it is not among the rows.
  int rowOf(RowId record) const;
  /// The record of a row, also of one that was not read yet; 0 while that is not known.
  RowId recordAt(int row) const;
  /// The row's text in a column when it was read, otherwise nothing.
  std::optional<QString> textAt(int row, int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  /// Records can be dragged to where programs are compared.
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool canFetchMore(const QModelIndex& parent) const override;
  void fetchMore(const QModelIndex& parent) override;

 Q_SIGNALS:
  /// After rows came, were counted or sorted, or did not come.
  void loaded();
  /// Rows that were looked at have been read.
  void rowsRead();
  void progressChanged();

 private:
  BrowseQuery query() const;
  void rank(bool again);
  void refresh();
  void readHead();
  void takeHead(const std::vector<RowId>& records);
  void takeCount(std::int64_t count);
  void takeRanking(const Ranking& ranking);
  void setRows(std::int64_t count);
  void readRows(int first, int last);
  void guessRows(int first, int last);
  void tellRead(int first, int last);
  void failed(const QString& why);
  Columns columns() const;
  QVariant part(const RecordRow& row) const;
  const RecordRow* rowAt(const QModelIndex& index) const override;
  QVariant rowData(const RecordRow& row, int role) const override;
  QVariant waitingData(const QModelIndex& index, int role) const override;

  Document& document_;
  RecordListing listing_;
  RecordSequence sequence_;
  int rows_ = 0;
  bool loading_ = false, counted_ = true, stopped_ = false, headEnds_ = true;
  QString problem_;
  QTimer headTimer_;
  std::uint64_t round_ = 0;
  double best_ = 0, worst_ = 0;
  RecordRanking ranking_;
  mutable RecordPages pages_; // remembers what was looked at
};

} // namespace nestwright::ui
