#pragma once
/// \file What the axes of curves mean, for their tool-tips.

#include "ui/document/curve_data.h"

namespace nestwright::ui {

/// What the axis shows, in which unit, and which way is better.
QString axisMeaning(YAxis y);
QString axisMeaning(XAxis x);

} // namespace nestwright::ui
