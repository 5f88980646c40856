#include "ui/crossing/crossing_strip.h"

#include "ui/crossing/crossing_model.h"
#include "ui/kit/colours.h"
#include "ui/kit/comparison_side.h"
#include "ui/kit/contrast.h"
#include "ui/kit/fonts.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kMargin = 6;

Side sideOf(int origin) {
  return origin == 0 ? Side::A : Side::B;
}

/// B is a little lower, so that the strip can be read without its colours.
QRectF lowered(const QRectF& cell, int origin) {
  const double step = cell.height() / 4;
  return origin == 0 ? cell.adjusted(0, 0, 0, -step) : cell.adjusted(0, step, 0, 0);
}

} // namespace

void StripDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const auto origins = index.data(OriginsRole).value<QList<int>>();
  if (origins.isEmpty()) return;
  const QRectF area = QRectF(option.rect).adjusted(4, 4, -4, -4);
  const double width = area.width() / static_cast<double>(origins.size());
  for (int i = 0; i < origins.size(); ++i) {
    const QRectF cell(area.left() + i * width, area.top(), width, area.height());
    painter->fillRect(lowered(cell, origins[i]), colourOf(sideOf(origins[i])));
  }
}

CrossingStrip::CrossingStrip(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Steps of the cross by their parents"));
  setAccessibleDescription(tr("Left and right step through the steps, which the table below "
                              "lists."));
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

void CrossingStrip::show(std::vector<CrossedStep> steps) {
  steps_ = std::move(steps);
  marked_ = -1;
  update();
}

void CrossingStrip::mark(int step) {
  marked_ = step;
  update();
}

QSize CrossingStrip::sizeHint() const {
  const int line = QFontMetrics(smallFont()).height();
  return {240, 2 * line + 22};
}

QRectF CrossingStrip::cellOf(int step) const {
  const int line = QFontMetrics(smallFont()).height();
  const double width = double(this->width() - 2 * kMargin) / std::max<double>(1, steps_.size());
  return {kMargin + step * width, 4.0, width, line + 8.0};
}

int CrossingStrip::stepAt(const QPointF& position) const {
  for (int i = 0; i < static_cast<int>(steps_.size()); ++i) {
    const QRectF cell = cellOf(i);
    if (position.x() >= cell.left() && position.x() < cell.right()) return i;
  }
  return -1;
}

void CrossingStrip::draw(QPainter& painter, QSize size) const {
  const Colours& c = colours();
  const QFont small = smallFont();
  const QFontMetrics metrics(small);
  painter.fillRect(QRect({}, size), c.base);
  painter.setFont(small);
  const int count = static_cast<int>(steps_.size());
  for (int i = 0; i < count; ++i) {
    const int origin = steps_[static_cast<std::size_t>(i)].origin;
    const QRectF cell = lowered(cellOf(i), origin);
    const QColor colour = colourOf(sideOf(origin));
    painter.fillRect(cell.adjusted(0.5, 0, -0.5, 0), colour);
    if (cell.width() > metrics.horizontalAdvance(QLatin1Char('B')) + 3) {
      painter.setPen(writingOn(colour));
      painter.drawText(cell, Qt::AlignCenter, letterOf(sideOf(origin)));
    }
    if (i == marked_) {
      painter.setPen(QPen(c.text, 2));
      painter.drawRect(cellOf(i).adjusted(0, -1, 0, 1));
    }
  }
  // Runs of steps of one DAG node share a bracket with its name.
  for (int begin = 0; begin < count;) {
    int end = begin + 1;
    const std::string& stage = steps_[static_cast<std::size_t>(begin)].stage;
    while (end < count && steps_[static_cast<std::size_t>(end)].stage == stage)
      ++end;
    const QRectF first = cellOf(begin), last = cellOf(end - 1);
    const QRectF span(first.left(), first.bottom() + 3, last.right() - first.left(),
                      metrics.height() + 4);
    painter.setPen(QPen(c.line, 1));
    painter.drawLine(span.topLeft() + QPointF(1, 0), span.topRight() - QPointF(1, 0));
    painter.setPen(c.dim);
    const QString name = qs(stage);
    if (metrics.horizontalAdvance(name) <= span.width())
      painter.drawText(span, Qt::AlignHCenter | Qt::AlignBottom, name);
    begin = end;
  }
}

void CrossingStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  draw(painter, size());
  if (!hasFocus()) return;
  painter.setPen(QPen(colours().accent, 1));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void CrossingStrip::mousePressEvent(QMouseEvent* event) {
  const int step = stepAt(event->position());
  if (step >= 0) Q_EMIT picked(step);
}

void CrossingStrip::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (step == 0 || steps_.empty()) return QWidget::keyPressEvent(event);
  Q_EMIT picked(std::clamp(marked_ + step, 0, static_cast<int>(steps_.size()) - 1));
}

bool CrossingStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int step = stepAt(help->pos());
  if (step < 0) {
    QToolTip::hideText();
    return true;
  }
  const CrossedStep& one = steps_[static_cast<std::size_t>(step)];
  QToolTip::showText(help->globalPos(),
                     tr("Step %1 of %2, node %3, from parent %4:\n%5")
                         .arg(step + 1)
                         .arg(steps_.size())
                         .arg(qs(one.stage), letterOf(sideOf(one.origin)), qs(one.words)),
                     this);
  return true;
}

} // namespace nestwright::ui

#include "moc_crossing_strip.cpp"
