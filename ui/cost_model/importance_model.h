#pragma once
/// \file What the cost model looks at, feature by feature, as a table.

#include "ui/cost_model/score_story.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class ImportanceModel : public TableModel<FeatureShare> {
  Q_OBJECT
 public:
  enum Column { Rank, Feature, Share, Meaning, ColumnCount };

  explicit ImportanceModel(QObject* parent = nullptr);
  /// Largest share first.
  void show(std::vector<FeatureShare> features) { setRows(std::move(features)); }
  const std::vector<FeatureShare>& features() const { return rows(); }

 private:
  QVariant rowData(const FeatureShare& feature, int role) const override;
};

} // namespace nestwright::ui
