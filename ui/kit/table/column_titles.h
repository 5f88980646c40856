#pragma once
/// \file Columns of a small table that say what they show, and its cells.

#include <QString>

#include <vector>

class QStandardItem;
class QStandardItemModel;

namespace nestwright::ui {

struct ColumnTitle {
  QString title;
  QString tip; // what it is, in which unit, and which way is better
};

/// Names the columns from the first one on, left-aligned; rows are left as they are.
void setColumns(QStandardItemModel& model, const std::vector<ColumnTitle>& columns);
/// Aligns each title as the first row below it, numbers to the right.
void alignColumns(QStandardItemModel& model);
/// A cell that nobody edits; a number is aligned to the right. The caller owns it.
QStandardItem* fixedItem(const QString& text, const QString& tip = {}, bool isNumber = false);

} // namespace nestwright::ui
