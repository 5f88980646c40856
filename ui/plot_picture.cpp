#include "ui/plot_picture.h"

#include "ui/plot_library.h"

namespace nestwright::ui {

void drawPlot(QCustomPlot& plot, QPainter& painter, QSize size) {
  // The library wants a painter of its own kind; a picture carries it over to any other.
  QPicture picture;
  QCPPainter recorder(&picture);
  recorder.setMode(QCPPainter::pmVectorized);
  plot.toPainter(&recorder, size.width(), size.height());
  recorder.end();
  painter.drawPicture(0, 0, picture);
}

} // namespace nestwright::ui
