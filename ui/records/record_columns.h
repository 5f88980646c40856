#pragma once
/// \file The columns of the records: what each says in the window and to other programs, and by
/// what it sorts. A new one is an entry in the list of record_columns.cpp, and its name in
/// RecordModel::Column.

#include "core/record/select/record_place.h"
#include "ui/kit/table/table_column.h"
#include "ui/records/record_rows.h"

#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;

/// What other programs are told of a record's task.
struct TaskFacts {
  QString title;
  double flops = 0;
};

/// The orders by a column's values, and which of them the first click on its title wants.
struct ColumnOrders {
  BrowseOrder up, down;
  bool downFirst = false;
};

struct RecordColumn {
  const char* key; // in the document's state; never changed
  QString title, tip;
  const char* widest; // text that it has room for at first; none: what the others leave
  QString (*text)(const RecordRow& row, const Document& document);
  /// For other programs: a number without its unit, empty where there is none, or words of our
  /// language. On any thread.
  QString (*exported)(const Record& record, const TaskFacts& task);
  bool isNumber = false;
  QString bareTitle{};                  // with the unit of a number; none: the title
  std::optional<ColumnOrders> orders{}; // none: the file has no order by it
  bool isUsual = false;                 // shown until the user says which are
  bool isQuiet = false;                 // dimmed
  /// None: no tool tip.
  QString (*toolTip)(const RecordRow& row, const Document& document) = nullptr;
};

/// In the order of RecordModel::Column.
const std::vector<RecordColumn>& recordColumns();
/// The column in a table of the document, which outlives it.
TableColumn<RecordRow> tableColumn(const RecordColumn& column, const Document& document);

} // namespace nestwright::ui
