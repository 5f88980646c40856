#pragma once
/// \file What models give to views and to the painting of cells, beside Qt's own roles.

#include <Qt>

namespace nestwright::ui {

enum CellRole : int {
  SortRole = Qt::UserRole, // raw number, or text for a name
  TaskRole,                // RowId
  RankRole,                // int, for the colour
  FractionRole,            // double in [0, 1], drawn as a bar
  TrendRole,               // QVector<double>: best-so-far over the session, evenly spaced
  ActiveRole,              // bool: has the present round, or was chosen
};

} // namespace nestwright::ui
