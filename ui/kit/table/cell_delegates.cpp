#include "ui/kit/table/cell_delegates.h"

#include "ui/kit/colours.h"
#include "ui/kit/look/elide.h"
#include "ui/kit/roles.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// The cell's background as the style draws it, selection included, without text.
void drawBackground(QPainter* painter, QStyleOptionViewItem option) {
  option.text.clear();
  option.icon = {};
  const QWidget* widget = option.widget;
  QStyle* style = widget ? widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &option, painter, widget);
}

void drawText(QPainter* painter, const QStyleOptionViewItem& option, const QRect& rect) {
  painter->setPen(option.palette.color(QPalette::Text));
  painter->setFont(option.font);
  painter->drawText(rect, int(option.displayAlignment),
                    option.fontMetrics.elidedText(option.text, Qt::ElideRight, rect.width()));
}

/// Of the whole column.
QStringList textsOf(const QModelIndex& index) {
  QStringList texts;
  for (int row = 0; row < index.model()->rowCount(index.parent()); ++row)
    texts.append(index.siblingAtRow(row).data().toString());
  return texts;
}

} // namespace

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  drawBackground(painter, cell);
  painter->save();
  const QVariant fraction = index.data(FractionRole);
  if (fraction.isValid()) {
    QRect bar = cell.rect.adjusted(4, 3, -4, -3);
    bar.setWidth(qRound(bar.width() * std::clamp(fraction.toDouble(), 0.0, 1.0)));
    QColor colour = colours().accent;
    colour.setAlpha(colours().dark ? 80 : 50);
    painter->fillRect(bar, colour);
  }
  drawText(painter, cell, cell.rect.adjusted(4, 0, -6, 0));
  painter->restore();
}

CellBarDelegate::CellBarDelegate(QObject* parent, QColor Colours::*colour)
    : QStyledItemDelegate(parent), colour_(colour ? colour : &Colours::accent) {}

void CellBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const QVariant fraction = index.data(FractionRole);
  QStyleOptionViewItem plain = option;
  if (fraction.isValid() && !(option.state & QStyle::State_Selected)) {
    if (index.row() % 2 != 0) painter->fillRect(option.rect, colours().alternate);
    QRect bar = option.rect.adjusted(3, 3, -3, -3);
    bar.setWidth(qRound(bar.width() * fraction.toDouble()));
    QColor colour = colours().*colour_;
    colour.setAlpha(colours().dark ? 70 : 45);
    painter->fillRect(bar, colour);
    plain.features &= ~QStyleOptionViewItem::Alternate;
  }
  QStyledItemDelegate::paint(painter, plain, index);
}

void TrendDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  drawBackground(painter, cell);
  const auto samples = index.data(TrendRole).value<QVector<double>>();
  if (samples.isEmpty()) return;
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  const QRectF area = QRectF(cell.rect).adjusted(8, 5, -10, -5);
  // Latencies are compared by ratio, so the line is logarithmic; a flat one lies at the bottom.
  const double bottom = std::log(*low), height = std::log(*high) - bottom;
  constexpr int kSamples = 24;
  QPolygonF line;
  for (qsizetype i = 0; i < samples.size(); ++i) {
    const double x =
        area.left() + area.width() * (kSamples - samples.size() + i) / (kSamples - 1.0);
    const double part = height > 1e-6 ? (std::log(samples[i]) - bottom) / height : 0;
    const QPointF point(x, area.bottom() - part * area.height());
    if (!line.isEmpty()) line.append(QPointF(point.x(), line.last().y()));
    line.append(point);
  }
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(colours().dim, 1.2));
  painter->drawPolyline(line);
  painter->setPen(Qt::NoPen);
  painter->setBrush(colours().accent);
  painter->drawEllipse(line.last(), 2, 2);
  painter->restore();
}

void TaskNameDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  drawBackground(painter, cell);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const int side = cell.fontMetrics.height() / 2;
  const QRectF mark(cell.rect.left() + 7, cell.rect.center().y() - side / 2.0 + 0.5, side, side);
  const QColor colour = colours().task(index.data(RankRole).toInt());
  painter->setPen(Qt::NoPen);
  painter->setBrush(colour);
  painter->drawRoundedRect(mark, 1.5, 1.5);
  QRect text = cell.rect.adjusted(7 + side + 7, 0, -4, 0);
  if (index.data(ActiveRole).toBool()) {
    const double s = side * 0.8;
    const QPointF tip(text.right() - 2, cell.rect.center().y() + 0.5);
    painter->setBrush(colours().running);
    painter->drawPolygon(QPolygonF{QPointF(tip.x() - s, tip.y() - s / 1.6),
                                   QPointF(tip.x() - s, tip.y() + s / 1.6), tip});
    text.setRight(text.right() - side - 6);
  }
  if (cell.fontMetrics.horizontalAdvance(cell.text) > text.width()) {
    constexpr int kRounding = 3; // px; or what is drawn would be cut once more
    cell.text = elidedApart(cell.text, textsOf(index), cell.fontMetrics, text.width() - kRounding);
  }
  drawText(painter, cell, text);
  painter->restore();
}

void CheckDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  cell.features &= ~QStyleOptionViewItem::HasCheckIndicator;
  cell.text.clear();
  (cell.widget ? cell.widget->style() : QApplication::style())
      ->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  const double side = cell.fontMetrics.height() * 0.8;
  QRectF box(0, 0, side, side);
  box.moveCenter(QRectF(cell.rect).center());
  const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(on ? colours().accent : colours().dim, 1));
  painter->setBrush(on ? QBrush(colours().accent) : QBrush(Qt::NoBrush));
  painter->drawRoundedRect(box, 2, 2);
  if (on) {
    painter->setPen(QPen(colours().accentText, side / 7, Qt::SolidLine, Qt::RoundCap));
    painter->drawPolyline(QPolygonF{QPointF(box.left() + side * 0.22, box.top() + side * 0.52),
                                    QPointF(box.left() + side * 0.42, box.top() + side * 0.72),
                                    QPointF(box.left() + side * 0.78, box.top() + side * 0.28)});
  }
  painter->restore();
}

bool CheckDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                const QStyleOptionViewItem&, const QModelIndex& index) {
  const bool click = event->type() == QEvent::MouseButtonRelease &&
                     static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
  const bool key =
      event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
  if (!click && !key) return false;
  const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

QSize PaddedDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QStyledItemDelegate::sizeHint(option, index) + 2 * padding_;
}

void PaddedDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  drawBackground(painter, cell);
  painter->save();
  painter->setPen(cell.palette.color(QPalette::Text));
  painter->setFont(cell.font);
  const int aside = padding_.width() + 3; // as far from the edge as the style writes, and more
  const QRect text = cell.rect.adjusted(aside, 0, -aside, 0);
  painter->drawText(text, int(cell.displayAlignment),
                    cell.fontMetrics.elidedText(cell.text, cell.textElideMode, text.width()));
  painter->restore();
}

} // namespace nestwright::ui
