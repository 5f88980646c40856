#pragma once
/// \file Columns of a small table that say what they show.

#include <QString>

#include <vector>

class QStandardItemModel;

namespace nestwright::ui {

struct ColumnTitle {
  QString title;
  QString tip; // what it is, in which unit, and which way is better
};

/// Names the columns from the first one on; rows are left as they are.
void setColumns(QStandardItemModel& model, const std::vector<ColumnTitle>& columns);

} // namespace nestwright::ui
