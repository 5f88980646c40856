#pragma once
/// \file Axes that say what they show, in which unit and which way is better, when the mouse rests
/// on them.

#include "ui/kit/plot_library.h"

#include <QString>

namespace nestwright::ui {

/// Names an axis, and gives it a tool-tip for its label and its numbers; to be called again when
/// the axis shows something else.
void explainAxis(QCPAxis& axis, const QString& label, const QString& tip);

/// Empty where there is none.
QString axisTip(const QCPAxis& axis);

} // namespace nestwright::ui
