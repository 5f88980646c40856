#pragma once
/// \file The programs that the cost model misjudged most, as a table.

#include "core/story/predictions.h"
#include "core/support/row_id.h"
#include "ui/kit/table/column_model.h"

#include <functional>
#include <vector>

namespace nestwright::ui {

class SurpriseModel : public TableModel<PredictedProgram> {
  Q_OBJECT
 public:
  enum Column { Trial, Surprise, Predicted, Measured, Latency, Round, Task, ColumnCount };

  explicit SurpriseModel(QObject* parent = nullptr);
  /// In this order, worst first.
  void show(const std::vector<const PredictedProgram*>& programs,
            std::function<QString(RowId)> taskName);
  int rowOf(RowId record) const;

 private:
  Columns columns() const;
  QVariant rowData(const PredictedProgram& program, int role) const override;

  std::function<QString(RowId)> taskName_;
  double largest_ = 0;
};

} // namespace nestwright::ui
