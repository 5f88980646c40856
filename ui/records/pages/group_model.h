#pragma once
/// \file Groups of records as rows: how many, how fast, how many failed.

#include "core/record/query/record_groups.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class GroupModel : public TableModel<RecordGroup> {
  Q_OBJECT
 public:
  enum Column { Name, More, Records, Best, Median, Errors, BestRecord, ColumnCount };

  explicit GroupModel(QObject* parent = nullptr);
  void setGroups(GroupBy by, std::vector<RecordGroup> groups);
  const std::vector<RecordGroup>& groups() const { return rows(); }
  /// The medians are in hand; until then they are being read.
  void setMediansKnown(bool known);
  bool hasMore() const;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 private:
  /// The rows of the groups in the present order; tens of thousands take a few milliseconds.
  std::vector<std::size_t> sorted() const;
  void arrange(const std::vector<std::size_t>& rows);
  Columns columns() const;
  QVariant rowData(const RecordGroup& group, int role) const override;

  GroupBy by_ = GroupBy::Task;
  std::int64_t most_ = 0;
  bool mediansKnown_ = false;
  Column sortedBy_ = Records;
  Qt::SortOrder order_ = Qt::DescendingOrder;
};

} // namespace nestwright::ui
