#pragma once
/// \file A table of thousands of rows that sorts them itself: what a proxy would ask for each
/// comparison is asked once a row, so that ten thousand rows take less than a frame.

#include "ui/kit/table/column_model.h"

#include <numeric>

namespace nestwright::ui {

template <class Row>
class SortedTable : public TableModel<Row> {
 public:
  using TableModel<Row>::TableModel;

  /// By the column's key; rows that are alike stay as they were given.
  void sort(int column, Qt::SortOrder order) override {
    column_ = column, order_ = order;
    std::vector<Row> rows = given_;
    show(std::move(rows));
  }

 protected:
  /// Takes these, in the order of the column that is sorted by.
  void giveRows(std::vector<Row> rows) {
    given_ = rows;
    show(std::move(rows));
  }

 private:
  void show(std::vector<Row> rows) {
    if (column_ >= 0 && column_ < this->columnCount()) {
      std::vector<QVariant> keys;
      keys.reserve(rows.size());
      for (const Row& row : rows)
        keys.push_back(this->cell(row, this->column(column_), SortRole));
      std::vector<std::size_t> places(rows.size());
      std::iota(places.begin(), places.end(), std::size_t{0});
      std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
        const auto order = QVariant::compare(keys[a], keys[b]);
        return order ==
               (order_ == Qt::AscendingOrder ? QPartialOrdering::Less : QPartialOrdering::Greater);
      });
      std::vector<Row> sorted;
      sorted.reserve(rows.size());
      for (const std::size_t place : places)
        sorted.push_back(std::move(rows[place]));
      rows = std::move(sorted);
    }
    this->setRows(std::move(rows));
  }

  std::vector<Row> given_;
  int column_ = -1;
  Qt::SortOrder order_ = Qt::AscendingOrder;
};

} // namespace nestwright::ui
