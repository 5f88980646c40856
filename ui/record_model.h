#pragma once
/// \file The measured programs, page by page and never all of them: rows are fetched by key as the
/// view scrolls, and new ones arrive on top while a session runs.

#include "core/record/store.h"

#include <QAbstractTableModel>
#include <QTimer>

#include <deque>
#include <optional>

namespace nestwright::ui {

class Document;

/// What the table looks at.
struct RecordFilter {
  RowId task = 0; // 0: all tasks
  bool onlyErrors = false;
  std::optional<Verdict> verdict;
  bool onlyForgotten = false; // otherwise none that were forgotten
  RecordQuery::Order order = RecordQuery::Order::Newest;
  friend bool operator==(const RecordFilter&, const RecordFilter&) = default;
};

class RecordModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Trial, Task, Latency, Spread, Outcome, Notes, ColumnCount };
  enum Role { RecordRole = Qt::UserRole, TaskRole, ErrorRole };
  static constexpr int kPage = 200;
  /// Rows kept in memory; beyond it the view asks for a narrower filter.
  static constexpr int kMaxRows = 100'000;

  explicit RecordModel(Document& document, QObject* parent = nullptr);

  const RecordFilter& filter() const { return filter_; }
  void setFilter(const RecordFilter& filter);
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
    Record key; // what continues a page: id, trial and result's seconds, nothing else
    double seconds = 0, spread = 0;
    Verdict verdict = Verdict::Ok;
    bool best = false, verified = false, implausible = false;
    QString sentence;
  };
  using Rows = std::vector<Row>;
  /// Without records newer than `newest`, which have not happened yet in a replay.
  static Rows readPage(const RecordStore& store, RecordQuery query, RowId newest);
  RecordQuery query() const;
  void readFirstPage();
  void append(Rows rows, bool fresh);
  void refreshHead();
  void prepend(Rows rows);
  QString notes(const Row& row) const;

  Document& document_;
  RecordFilter filter_;
  std::deque<Row> rows_;
  bool loading_ = false, complete_ = true;
  QString problem_;
  QTimer headTimer_;
};

} // namespace nestwright::ui
