#pragma once
/// \file The table of the records: which columns it shows and how wide, by which it is sorted, the
/// rows that are selected, and going to one.

#include "ui/kit/exportable.h"
#include "ui/kit/table/row_table.h"
#include "ui/records/record_model.h"

#include <nlohmann/json_fwd.hpp>

#include <set>
#include <vector>

class QMenu;

namespace nestwright::ui {

class RecordScope;

class RecordTable : public RowTable {
  Q_OBJECT
 public:
  using Column = RecordModel::Column;

  RecordTable(RecordModel* records, RecordScope* scope, QWidget* parent);

  void setColumnShown(Column column, bool shown);
  bool isColumnChosen(Column column) const { return columns_.contains(column); }
  /// Those that are seen, in their present order.
  std::vector<int> shownColumns() const;
  /// Columns and sort arrow as they should be now.
  void showHeader();
  void fillColumnMenu(QMenu* menu);

  SelectedRecords selected() const { return {selectedCount(), selectedRecords()}; }
  /// The records of that alone.
  std::vector<RowId> selectedRecords() const;
  /// The selected rows, or all that were read so far: what the clipboard gets. Read when it is
  /// asked for, which is at once and here.
  ExportTable shown() const;
  /// Goes to a row ("25,000,000", "50%") or a record ("#1234"). False when the text is neither or
  /// there is no such row.
  bool goTo(const QString& text);
  /// Asks where to; `refuse` is told when there is no such row.
  void askGoTo(const std::function<void(const QString& why)>& refuse);

  nlohmann::json viewState() const;
  void restoreViewState(const nlohmann::json& state);

 private:
  void fitColumns();
  /// A click on a title sorts by it, another one the other way round. Columns that the file has in
  /// no order do nothing.
  void sortBy(int column);

  RecordModel* records_;
  RecordScope* scope_;
  std::set<Column> columns_; // chosen by the user
};

} // namespace nestwright::ui
