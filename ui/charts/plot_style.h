#pragma once
/// \file What all our charts share: axes in the theme's colours, the message of an empty chart, the
/// box beside the mouse, and drawing as lines and text for export.

#include "ui/kit/look/surface.h"
#include "ui/kit/plot_library.h"

#include <QLabel>

namespace nestwright::ui {

/// Surfaces, axes and grids in the present colours and fonts; to be called at every change of the
/// theme. Tick marks and labels of axes are the plot's own business.
void styleAxes(QCustomPlot& plot);

/// Margins that give way to the labels of the axes, and drawing that is quick.
void setUpPlot(QCustomPlot& plot);

/// Puts the legend above the plot, in one line, where it hides nothing; styled by styleLegend().
void putLegendAbove(QCustomPlot& plot);
void styleLegend(QCPLegend& legend);
/// Breaks it where its line is full; to be called when its entries or the plot's width change.
void wrapLegend(QCustomPlot& plot);

/// Text in the middle of the plot, hidden; styleAxes() does not know it: see styleText().
QCPItemText* addMessage(QCustomPlot& plot);
/// The small font, in the colour for secondary text.
void styleText(QCPItemText& text);

/// Paints the plot as it is seen, as lines and text, into a rectangle of this size.
void drawPlot(QCustomPlot& plot, QPainter& painter, QSize size);

/// The same colour, more or less transparent.
inline QColor faded(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

/// A box beside the mouse that says what is under it. A child of its plot; hidden at first.
class Readout : public OnSurface<QLabel> {
  Q_OBJECT
 public:
  explicit Readout(QWidget* plot);
  /// Beside this point of the plot and inside of it.
  void showAt(const QPointF& position, const QString& text);

 private:
  void restyle();
};

} // namespace nestwright::ui
