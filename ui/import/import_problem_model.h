#pragma once
/// \file Lines of logs that are no records, each with its reason; and logs that could not be read.

#include "ui/kit/table/column_model.h"

#include <cstdint>

namespace nestwright::ui {

struct ImportProblemRow {
  QString path;
  std::int64_t line = 0;   // from 1; 0: the log as a whole
  std::int64_t offset = 0; // of the line's first byte, unpacked
  QString reason;
};

class ImportProblemModel : public TableModel<ImportProblemRow> {
  Q_OBJECT
 public:
  enum Column { Log, Line, Byte, Reason, ColumnCount };

  explicit ImportProblemModel(QObject* parent = nullptr);
  void clear() { setRows({}); }
  void append(const std::vector<ImportProblemRow>& rows) { appendRows(rows); }

 private:
  QVariant rowData(const ImportProblemRow& row, int role) const override;
};

} // namespace nestwright::ui
