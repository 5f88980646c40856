#pragma once
/// \file The logs that were imported into a document, and what became of their lines.

#include "core/record/format/import_rows.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class ImportSourceModel : public TableModel<ImportSource> {
  Q_OBJECT
 public:
  enum Column { Log, State, Lines, Records, Duplicates, Comments, Broken, ColumnCount };

  explicit ImportSourceModel(QObject* parent = nullptr);
  void show(std::vector<ImportSource> sources);
  const std::vector<ImportSource>& sources() const { return rows(); }
  /// The log's path; empty when it is not known.
  QString pathOf(RowId source) const;

 private:
  QVariant rowData(const ImportSource& source, int role) const override;
};

} // namespace nestwright::ui
