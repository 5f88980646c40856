#pragma once
/// \file Models made of a description of their columns: what a cell gives to a view is looked up in
/// it. A model of ours describes its columns, and keeps its rows or takes one of the two ways
/// below.

#include "core/support/error.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/table_column.h"

#include <QAbstractTableModel>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace nestwright::ui {

/// Answers for cells and headers. A model finds the row of an index, and says what holds for all
/// cells of a row.
template <class Row, class Base = QAbstractTableModel>
class ColumnModel : public Base {
 public:
  using Base::Base;
  using Columns = std::vector<TableColumn<Row>>;

  int columnCount(const QModelIndex& parent = {}) const override {
    return kIsFlat && parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
    if (!index.isValid()) return {};
    const Row* row = rowAt(index);
    if (!row) return waitingData(index, role);
    const QVariant own = cell(*row, column(index.column()), role);
    return own.isValid() ? own : rowData(*row, role);
  }

  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const TableColumn<Row>& at = column(section);
    switch (role) {
    case Qt::DisplayRole:
      return at.title();
    case Qt::ToolTipRole:
      return at.tip();
    case Qt::TextAlignmentRole:
      return int(titles_ == Titles::AsCells ? at.align : Qt::AlignCenter);
    case Qt::InitialSortOrderRole:
      return at.firstOrder;
    case ExportRole:
      return at.bareTitle().isEmpty() ? at.title() : at.bareTitle();
    default:
      return {};
    }
  }

 protected:
  enum class Titles { AsCells, Centred };
  /// In the order of the table; in the constructor, or while the model is reset.
  void setColumns(Columns columns, Titles titles = Titles::AsCells) {
    columns_ = std::move(columns);
    titles_ = titles;
  }
  const TableColumn<Row>& column(int at) const {
    NW_ASSERT(at >= 0 && at < std::ssize(columns_), "a column that the table has");
    return columns_[static_cast<std::size_t>(at)];
  }
  /// What a column says of a row; invalid where it says nothing.
  static QVariant cell(const Row& row, const TableColumn<Row>& column, int role) {
    const auto given = [&](const auto& of) { return of ? QVariant(of(row)) : QVariant(); };
    switch (role) {
    case Qt::DisplayRole:
      return given(column.text);
    case Qt::ToolTipRole:
      return given(column.toolTip);
    case Qt::TextAlignmentRole:
      return int(column.align);
    case Qt::ForegroundRole:
      return given(column.colour);
    case SortRole:
      return column.sort ? column.sort(row) : given(column.text);
    case ExportRole:
      return given(column.bare);
    case FractionRole:
      return given(column.fraction);
    default:
      return column.other ? column.other(row, role) : QVariant();
    }
  }

  /// Null when there is none, or it is not there yet.
  virtual const Row* rowAt(const QModelIndex& index) const = 0;
  /// For all cells of a row, in roles in which its columns say nothing.
  virtual QVariant rowData(const Row&, int) const { return {}; }
  /// For a cell of a row that is not there yet.
  virtual QVariant waitingData(const QModelIndex&, int) const { return {}; }

  /// Cells of these columns have other values, in all rows of the first level.
  void tellChanged(int first, int last) {
    if (const int rows = this->rowCount(); rows > 0)
      Q_EMIT this->dataChanged(this->index(0, first), this->index(rows - 1, last));
  }
  void tellChanged() { tellChanged(0, columnCount() - 1); }

 private:
  static constexpr bool kIsFlat = std::is_same_v<Base, QAbstractTableModel>;

  Columns columns_;
  Titles titles_ = Titles::AsCells;
};

/// A table that keeps its rows.
template <class Row>
class TableModel : public ColumnModel<Row> {
 public:
  using ColumnModel<Row>::ColumnModel;
  const std::vector<Row>& rows() const { return rows_; }
  const Row& row(int at) const { return rows_.at(static_cast<std::size_t>(at)); }
  /// -1 where there is none such.
  int firstRow(const auto& isSuch) const {
    const auto found = std::ranges::find_if(rows_, isSuch);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
  }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }

 protected:
  void setRows(std::vector<Row> rows) {
    this->beginResetModel();
    rows_ = std::move(rows);
    this->endResetModel();
  }
  void appendRows(const std::vector<Row>& rows) {
    if (rows.empty()) return;
    this->beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(rows.size()) - 1);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    this->endInsertRows();
  }
  /// Which row it is that a column was asked about.
  int numberOf(const Row& row) const { return static_cast<int>(&row - rows_.data()); }
  const Row* rowAt(const QModelIndex& index) const override {
    return index.row() < rowCount() ? &rows_[static_cast<std::size_t>(index.row())] : nullptr;
  }

  std::vector<Row> rows_; // to be changed between beginResetModel() and endResetModel()
};

/// A tree that keeps its rows as nodes, numbered as they were added.
template <class Row>
class TreeModel : public ColumnModel<Row, QAbstractItemModel> {
 public:
  using ColumnModel<Row, QAbstractItemModel>::ColumnModel;

  QModelIndex indexOfNode(int node, int column = 0) const {
    if (node < 0 || node >= std::ssize(nodes_)) return {};
    return this->createIndex(at(node).place, column, static_cast<quintptr>(node));
  }
  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override {
    if (!this->hasIndex(row, column, parent)) return {};
    return this->createIndex(row, column,
                             static_cast<quintptr>(below(parent)[static_cast<std::size_t>(row)]));
  }
  QModelIndex parent(const QModelIndex& index) const override {
    return index.isValid() ? indexOfNode(at(nodeOf(index)).parent) : QModelIndex();
  }
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.column() > 0 ? 0 : static_cast<int>(below(parent).size());
  }

 protected:
  /// Takes all nodes away; between beginResetModel() and endResetModel(), as addNode().
  void clearNodes() {
    nodes_.clear();
    top_.clear();
  }
  /// Below a node, or at the top (-1), after those that are there. Gives the new node's number.
  int addNode(Row row, int parent) {
    const int node = nodeCount();
    std::vector<int>& siblings =
        parent < 0 ? top_ : nodes_[static_cast<std::size_t>(parent)].children;
    const int place = static_cast<int>(siblings.size());
    siblings.push_back(node);
    nodes_.push_back({std::move(row), parent, place, {}});
    return node;
  }
  int nodeCount() const { return static_cast<int>(nodes_.size()); }
  static int nodeOf(const QModelIndex& index) { return static_cast<int>(index.internalId()); }
  const Row& row(int node) const { return at(node).row; }
  Row& row(int node) { return nodes_[static_cast<std::size_t>(node)].row; }
  const Row* rowAt(const QModelIndex& index) const override { return &row(nodeOf(index)); }

 private:
  struct Node {
    Row row;
    int parent = -1, place = 0; // among its parent's children
    std::vector<int> children;
  };
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  const std::vector<int>& below(const QModelIndex& parent) const {
    return parent.isValid() ? at(nodeOf(parent)).children : top_;
  }

  std::vector<Node> nodes_;
  std::vector<int> top_;
};

} // namespace nestwright::ui
