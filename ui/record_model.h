#pragma once
/// \file The measured programs, page by page and never all of them: rows are fetched by key as the
/// view scrolls, and new ones arrive on top while a session runs.

#include "ui/background.h"
#include "ui/record_listing.h"

#include <QAbstractTableModel>
#include <QTimer>

#include <deque>
#include <memory>

namespace nestwright::ui {

class Document;
class StoreCache;

class RecordModel : public QAbstractTableModel {
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
    Notes,
    ColumnCount
  };
  /// BarRole: where the latency lies between the fastest and the slowest record listed, 0 to 1 by
  /// ratio; invalid while those are not known.
  enum Role { RecordRole = Qt::UserRole, TaskRole, ErrorRole, BarRole };
  static constexpr int kPage = 200;
  /// Rows kept in memory; beyond it the view asks for a narrower filter.
  static constexpr int kMaxRows = 100'000;

  explicit RecordModel(Document& document, QObject* parent = nullptr);

  const RecordListing& listing() const { return listing_; }
  void setListing(const RecordListing& listing);
  /// The name of a column in the document's state; never changed.
  static const char* key(Column column);
  /// Its name for people.
  static QString title(Column column);
  /// What the bars lie between, seconds; 0 when unknown.
  void setTimes(double best, double worst);
  /// Reads the first page again.
  void reload();
  bool isLoading() const { return loading_; }
  /// True when the last row is the last record that matches.
  bool isComplete() const { return complete_; }
  /// Why nothing is shown; empty when the file could be read.
  QString problem() const { return problem_; }
  int rowOf(RowId record) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// Records can be dragged to where programs are compared.
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool canFetchMore(const QModelIndex& parent) const override;
  void fetchMore(const QModelIndex& parent) override;

 Q_SIGNALS:
  /// After rows came, or did not come.
  void loaded();

 private:
  /// What a row shows; a record without its steps and repeats.
  struct Row {
    Record record; // without its steps, repeats, trace and error
    double seconds = 0, spread = 0;
    QString sentence; // of an error
  };
  using Rows = std::vector<Row>;
  static Rows readPage(const RecordStore& store, const RecordQuery& query);
  /// Reads a page beside everything else; `take` gets it unless something newer is asked.
  void ask(const RecordQuery& query, std::function<void(Rows)> take);
  RecordQuery query() const;
  void readFirstPage();
  void append(Rows rows, bool fresh);
  void refreshHead();
  void prepend(Rows rows);
  QString notes(const Row& row) const;
  QString text(const Row& row, int column) const;

  Document& document_;
  RecordListing listing_;
  std::deque<Row> rows_;
  bool loading_ = false, complete_ = true;
  QString problem_;
  QTimer headTimer_;
  double best_ = 0, worst_ = 0;
  std::shared_ptr<StoreCache> store_; // of the background's thread
  Background pages_;
};

} // namespace nestwright::ui
