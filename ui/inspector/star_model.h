#pragma once
/// \file The rays of a polish's star as a table.

#include "core/story/decisions/polish_star.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

/// The rows are the rays in their order.
class StarModel : public TableModel<StarRay> {
  Q_OBJECT
 public:
  enum Column { Decision, Importance, BestGain, Neighbours, Failed, ColumnCount };
  explicit StarModel(QObject* parent = nullptr);
  void show(const PolishStar& star);
};

} // namespace nestwright::ui
