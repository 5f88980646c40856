#pragma once
/// \file A column of whole numbers.

#include "ui/kit/format.h"
#include "ui/kit/table/table_column.h"

#include <utility>

namespace nestwright::ui {

/// `value` gives the number of a row, which the table sorts by and gives away bare.
template <class Row, class Value>
TableColumn<Row> countColumn(const QString& title, const QString& tip, Value value,
                             Qt::SortOrder firstOrder = Qt::AscendingOrder) {
  const auto bare = [value](const Row& row) -> QVariant { return static_cast<qint64>(value(row)); };
  return {.title = title,
          .tip = tip,
          .text = [value](const Row& row) { return countText(value(row)); },
          .align = kRight,
          .sort = bare,
          .bare = bare,
          .firstOrder = firstOrder};
}

} // namespace nestwright::ui
