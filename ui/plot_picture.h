#pragma once
/// \file A chart as a picture, for files and the clipboard.

#include <QSize>

class QCustomPlot;
class QPainter;

namespace nestwright::ui {

/// Draws the chart in this size with any painter, as lines and letters, so that it stays sharp.
void drawPlot(QCustomPlot& plot, QPainter& painter, QSize size);

} // namespace nestwright::ui
