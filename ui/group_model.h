#pragma once
/// \file Groups of records as rows: how many, how fast, how many failed.

#include "core/record/record_groups.h"

#include <QAbstractTableModel>

#include <vector>

namespace nestwright::ui {

class GroupModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, More, Records, Best, Median, Errors, BestRecord, ColumnCount };
  /// SortRole: a number or text to sort by. PartRole: the length of the cell's bar, 0 to 1.
  enum Role { SortRole = Qt::UserRole, PartRole };

  using QAbstractTableModel::QAbstractTableModel;
  void setGroups(GroupBy by, std::vector<RecordGroup> groups);
  const std::vector<RecordGroup>& groups() const { return groups_; }
  /// The medians are in hand; until then they are being read.
  void setMediansKnown(bool known);
  bool hasMore() const;
  static QString title(Column column);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant sortKey(const RecordGroup& group, Column column) const;
  QVariant bare(const RecordGroup& group, Column column) const;
  QVariant part(const RecordGroup& group, Column column) const;
  QString text(const RecordGroup& group, Column column) const;
  QString tip(const RecordGroup& group) const;

  GroupBy by_ = GroupBy::Task;
  std::vector<RecordGroup> groups_;
  std::int64_t most_ = 0;
  bool mediansKnown_ = false;
};

} // namespace nestwright::ui
