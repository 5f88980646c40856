#pragma once
/// \file Figures of models, a row a figure and a column a model, with their intervals.

#include "ui/kit/table/column_model.h"
#include "ui/lab/judged.h"

namespace nestwright::ui {

/// The place of a figure in ModelComparison::ids.
class FigureModel : public TableModel<std::size_t> {
  Q_OBJECT
 public:
  explicit FigureModel(QObject* parent = nullptr);
  /// Those without a number of favourites, and those of this one (a place in ModelEvaluation::ks).
  void show(Judged judged, std::size_t k);
  const FigureId& id(int row) const;

 private:
  Columns columns() const;
  QVariant rowData(const std::size_t& figure, int role) const override;
  const BoundedFigure& at(std::size_t figure, std::size_t model) const;
  /// Whether no other model is better in it; yardsticks do not count.
  bool isBest(std::size_t figure, std::size_t model) const;

  Judged judged_;
  std::vector<std::size_t> order_;
};

/// "top-5 of resnet18", with a capital.
QString figureTitle(const FigureId& id, const ModelEvaluation& evaluation);

} // namespace nestwright::ui
