#include "ui/charts/plot_style.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/theme.h"

#include <QPicture>

#include <algorithm>

namespace nestwright::ui {

void styleAxes(QCustomPlot& plot) {
  const Colours& c = colours();
  const QFont font = smallFont();
  plot.setBackground(QBrush(c.base));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
    axis->setBasePen(QPen(c.line, 1));
    axis->setTickPen(QPen(c.line, 1));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(c.dim);
    axis->setLabelColor(c.dim);
    axis->setTickLabelFont(font);
    axis->setLabelFont(font);
    axis->grid()->setPen(QPen(c.line, 1, Qt::DotLine));
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
  }
}

void setUpPlot(QCustomPlot& plot) {
  plot.setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
  plot.setNotAntialiasedElements(QCP::aeAxes | QCP::aeGrid | QCP::aeSubGrid);
  plot.setAntialiasedElements(QCP::aePlottables | QCP::aeItems | QCP::aeScatters);
  plot.axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  plot.axisRect()->setMargins(QMargins(0, 14, 18, 0));
  plot.axisRect()->setMinimumMargins(QMargins(52, 14, 18, 30));
}

void putLegendAbove(QCustomPlot& plot) {
  QCPLayoutGrid* grid = plot.plotLayout();
  grid->insertRow(0);
  auto* line = new QCPLayoutGrid;
  grid->addElement(0, 0, line);
  line->setMargins(QMargins(8, 2, 0, 0));
  line->addElement(0, 0, plot.legend);          // out of the plot's own area
  line->addElement(0, 1, new QCPLayoutElement); // takes the rest of the line
  line->setColumnStretchFactor(0, 0.001);
  plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
  plot.legend->setVisible(true);
  grid->setRowStretchFactor(0, 0.001);
  grid->setRowSpacing(0);
}

void styleLegend(QCPLegend& legend) {
  legend.setFont(smallFont());
  legend.setTextColor(colours().dim);
  legend.setBrush(Qt::NoBrush);
  legend.setBorderPen(Qt::NoPen);
  legend.setMargins(QMargins(0, 0, 0, 0));
  legend.setIconTextPadding(3);
  legend.setColumnSpacing(12);
}

void wrapLegend(QCustomPlot& plot) {
  QCPLegend& legend = *plot.legend;
  const QFontMetrics metrics(legend.font());
  int widest = 1;
  for (int i = 0; i < legend.itemCount(); ++i)
    if (auto* item = qobject_cast<QCPPlottableLegendItem*>(legend.item(i)))
      widest = std::max(widest, metrics.horizontalAdvance(item->plottable()->name()));
  const int icon = legend.iconSize().width() + legend.iconTextPadding() + legend.columnSpacing();
  legend.setWrap(std::max(1, (plot.width() - 16) / (widest + icon + 8)));
  legend.setFillOrder(QCPLegend::foColumnsFirst); // places those that it has once more
}

QCPItemText* addMessage(QCustomPlot& plot) {
  auto* message = new QCPItemText(&plot);
  message->position->setType(QCPItemPosition::ptAxisRectRatio);
  message->position->setCoords(0.5, 0.5);
  message->setTextAlignment(Qt::AlignCenter);
  message->setVisible(false);
  return message;
}

void styleText(QCPItemText& text) {
  text.setFont(smallFont());
  text.setColor(colours().dim);
}

void drawPlot(QCustomPlot& plot, QPainter& painter, QSize size) {
  // The library wants a painter of its own kind; a picture carries it over to any other.
  QPicture picture;
  QCPPainter recorder(&picture);
  recorder.setMode(QCPPainter::pmVectorized);
  plot.toPainter(&recorder, size.width(), size.height());
  recorder.end();
  painter.drawPicture(0, 0, picture);
}

Readout::Readout(QWidget* plot)
    : OnSurface<QLabel>(
          [] {
            return Surface{colours().raised, colours().line, 0};
          },
          plot) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setTextFormat(Qt::PlainText);
  setContentsMargins(7, 5, 7, 5);
  hide();
  connect(&Theme::instance(), &Theme::changed, this, &Readout::restyle);
  restyle();
}

void Readout::restyle() {
  setFont(smallFont());
}

void Readout::showAt(const QPointF& position, const QString& text) {
  setText(text);
  adjustSize();
  const QSize room = parentWidget()->size();
  QPoint corner = position.toPoint() + QPoint(14, 14);
  corner.setX(std::max(0, std::min(corner.x(), room.width() - width() - 4)));
  // Above the mouse where there is no room below it: never under the pointer.
  if (corner.y() + height() > room.height())
    corner.setY(std::max(0, position.toPoint().y() - height() - 10));
  move(corner);
  raise();
  show();
}

} // namespace nestwright::ui

#include "moc_plot_style.cpp"
