#include "ui/charts/axis_tip.h"

#include <QHelpEvent>
#include <QToolTip>

namespace nestwright::ui {
namespace {

constexpr const char* kTip = "tip";

/// Where its numbers and its label are, and what is between them.
bool isBeside(const QCPAxis& axis, const QPoint& at) {
  const QRect rect = axis.axisRect()->rect();
  if (!axis.visible()) return false;
  const bool along = axis.orientation() == Qt::Horizontal
                         ? at.x() >= rect.left() && at.x() <= rect.right()
                         : at.y() >= rect.top() && at.y() <= rect.bottom();
  switch (axis.axisType()) {
  case QCPAxis::atLeft:
    return along && at.x() < rect.left();
  case QCPAxis::atRight:
    return along && at.x() > rect.right();
  case QCPAxis::atTop:
    return along && at.y() < rect.top();
  case QCPAxis::atBottom:
    return along && at.y() > rect.bottom();
  }
  return false;
}

/// Answers for all axes of its plot.
class AxisTips : public QObject {
 public:
  explicit AxisTips(QCustomPlot* plot) : QObject(plot) { plot->installEventFilter(this); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ToolTip) return false;
    const auto* help = static_cast<QHelpEvent*>(event);
    auto* plot = static_cast<QCustomPlot*>(watched);
    for (const QCPAxisRect* rect : plot->axisRects())
      for (const QCPAxis* axis : rect->axes())
        if (isBeside(*axis, help->pos()) && !axisTip(*axis).isEmpty()) {
          QToolTip::showText(help->globalPos(), axisTip(*axis), plot);
          return true;
        }
    return false;
  }
};

} // namespace

void explainAxis(QCPAxis& axis, const QString& label, const QString& tip) {
  axis.setLabel(label);
  axis.setProperty(kTip, tip);
  QCustomPlot* plot = axis.parentPlot();
  static constexpr const char* kTips = "axisTips";
  if (plot->property(kTips).isNull())
    plot->setProperty(kTips, QVariant::fromValue<QObject*>(new AxisTips(plot)));
}

QString axisTip(const QCPAxis& axis) {
  return axis.property(kTip).toString();
}

} // namespace nestwright::ui
