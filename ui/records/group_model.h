#pragma once
/// \file Groups of records as rows: how many, how fast, how many failed.

#include "core/record/query/record_groups.h"

#include <QAbstractTableModel>

#include <vector>

namespace nestwright::ui {

class GroupModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, More, Records, Best, Median, Errors, BestRecord, ColumnCount };
  /// PartRole: the length of the cell's bar, 0 to 1.
  enum Role { PartRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;
  void setGroups(GroupBy by, std::vector<RecordGroup> groups);
  /// In the order of the rows.
  const std::vector<RecordGroup>& groups() const { return groups_; }
  /// The medians are in hand; until then they are being read.
  void setMediansKnown(bool known);
  bool hasMore() const;
  static QString title(Column column);
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// The rows of the groups in the present order; tens of thousands take a few milliseconds.
  std::vector<std::size_t> sorted() const;
  void arrange(const std::vector<std::size_t>& rows);
  QVariant bare(const RecordGroup& group, Column column) const;
  QVariant part(const RecordGroup& group, Column column) const;
  QString text(const RecordGroup& group, Column column) const;
  QString tip(const RecordGroup& group) const;

  GroupBy by_ = GroupBy::Task;
  std::vector<RecordGroup> groups_;
  std::int64_t most_ = 0;
  bool mediansKnown_ = false;
  Column sortedBy_ = Records;
  Qt::SortOrder order_ = Qt::DescendingOrder;
};

} // namespace nestwright::ui
