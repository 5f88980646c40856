#pragma once
/// \file The configurations of a plan as a table: why each was picked, what was expected of it, and
/// what became of it.

#include "core/story/plan_story.h"
#include "ui/kit/table/column_model.h"

#include <vector>

namespace nestwright::ui {

/// "best predicted", "by diversity", "at random".
QString reasonInWords(PickReason reason);

/// A configuration of a plan, and its place in it from 1.
struct PlanRow {
  int number = 0;
  PlannedLine line;
};

class PlanModel : public TableModel<PlanRow> {
  Q_OBJECT
 public:
  enum Column { Number, Reason, Energy, Predicted, Measured, Trial, Configuration, ColumnCount };

  explicit PlanModel(QObject* parent = nullptr);
  /// `energy`: what the energy is, for titles: "Score".
  void show(std::vector<PlannedLine> lines, const QString& energy);
  int rowOf(RowId record) const;

 private:
  Columns columns() const;
  QVariant rowData(const PlanRow& row, int role) const override;

  QString energy_;
};

} // namespace nestwright::ui
