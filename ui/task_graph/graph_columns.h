#pragma once
/// \file A network is a long way from top to bottom and a screen is wide: the layout parted into
/// columns, read like those of a newspaper.

#include "ui/task_graph/graph_layout.h"

namespace nestwright::ui {

/// The same layout in as many columns as come nearest to `aspect` (width / height), cut where few
/// edges cross and no node or folded block is in the way. An edge that crosses a cut goes on at the
/// top of the next column, through the space between. The layout itself when one column is best.
GraphLayout inColumns(const GraphLayout& layout, const DrawnGraph& drawn, double aspect);

} // namespace nestwright::ui
