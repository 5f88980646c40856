#pragma once
/// \file The tasks of the session as a table: one row a task, raw numbers for sorting under
/// SortRole, and every column explained by its header's tool tip.

#include "ui/format.h"

#include <QAbstractTableModel>

#include <vector>

namespace nestwright::ui {

class Document;
struct TaskEntry;

class TaskModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    Name,
    Best,
    Share,
    SpeedUp,
    Throughput,
    Trials,
    Trend,
    Errors,
    Naive,
    Weight,
    Importance,
    ColumnCount
  };
  enum Role {
    SortRole = Qt::UserRole, // raw number, or text for the name
    TaskRole,                // RowId
    RankRole,                // int, for the colour
    FractionRole,            // double in [0, 1], drawn as a bar
    TrendRole,               // QVector<double>: best-so-far over the session, evenly spaced
    ActiveRole,              // bool: has the present round
  };

  explicit TaskModel(Document& document, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

  int rowOf(std::int64_t task) const;

 private:
  void refresh();
  QVariant display(const TaskEntry& task, int column) const;
  QVariant sortKey(const TaskEntry& task, int column) const;
  QString toolTip(const TaskEntry& task, int column) const;
  QString weightText(const TaskEntry& task) const;
  QString networksText(const TaskEntry& task) const;
  double shareOf(const TaskEntry& task) const;
  QVector<double> trendOf(const TaskEntry& task) const;

  Document& document_;
  int rows_ = 0;
  double total_ = 0; // what shares are shares of
  double maxShare_ = 0;
  TimeUnit bestUnit_ = TimeUnit::Milliseconds, naiveUnit_ = TimeUnit::Milliseconds;
};

} // namespace nestwright::ui
