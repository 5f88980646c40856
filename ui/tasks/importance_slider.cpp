#include "ui/tasks/importance_slider.h"

#include "ui/kit/colours.h"
#include "ui/kit/importance_editor.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace nestwright::ui {
namespace {

/// Evenly spaced on the slider: none, then by factors of two around 1.
constexpr std::array<double, 8> kSteps{0, 0.125, 0.25, 0.5, 1, 2, 4, 8};
constexpr int kLast = static_cast<int>(kSteps.size()) - 1;

} // namespace

double ImportanceSlider::importanceAt(double place) {
  return kSteps[static_cast<std::size_t>(
      std::clamp(static_cast<int>(std::lround(place * kLast)), 0, kLast))];
}

double ImportanceSlider::placeOf(double weight) {
  if (weight <= 0) return 0;
  return std::clamp((std::log2(weight) + 4) / kLast, 0.03, 1.0);
}

QRect ImportanceSlider::groove(const QStyleOptionViewItem& option) {
  const int number = option.fontMetrics.horizontalAdvance(QStringLiteral("0.125×")) + 10;
  return option.rect.adjusted(10, 0, -number, 0);
}

void ImportanceSlider::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QString number = std::exchange(cell.text, QString());
  const QWidget* widget = cell.widget;
  (widget ? widget->style() : QApplication::style())
      ->drawControl(QStyle::CE_ItemViewItem, &cell, painter, widget);
  const double weight = index.data(Qt::EditRole).toDouble();
  const QRect bar = groove(cell);
  const double y = cell.rect.center().y() + 0.5;
  const double at = bar.left() + bar.width() * placeOf(weight);
  const double one = bar.left() + bar.width() * placeOf(1);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(colours().faint, 2));
  painter->drawLine(QPointF(bar.left(), y), QPointF(bar.right(), y));
  painter->setPen(QPen(colours().dim, 1)); // where 1× is
  painter->drawLine(QPointF(one, y - 4), QPointF(one, y + 4));
  painter->setPen(QPen(colours().accent, 2));
  painter->drawLine(QPointF(std::min(one, at), y), QPointF(std::max(one, at), y));
  painter->setPen(QPen(colours().base, 1));
  painter->setBrush(colours().accent);
  painter->drawEllipse(QPointF(at, y), 4.5, 4.5);
  painter->setPen(cell.palette.color(QPalette::Text));
  painter->setFont(cell.font);
  painter->drawText(cell.rect.adjusted(0, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, number);
  painter->restore();
}

bool ImportanceSlider::editorEvent(QEvent* event, QAbstractItemModel* model,
                                   const QStyleOptionViewItem& option, const QModelIndex& index) {
  const bool press = event->type() == QEvent::MouseButtonPress;
  if (!press && event->type() != QEvent::MouseMove) return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  const Qt::MouseButtons buttons = press ? Qt::MouseButtons(mouse->button()) : mouse->buttons();
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QRect bar = groove(cell);
  if (!(buttons & Qt::LeftButton) || mouse->position().x() > bar.right() + 6) return false;
  const double weight = importanceAt((mouse->position().x() - bar.left()) / bar.width());
  if (weight != index.data(Qt::EditRole).toDouble()) model->setData(index, weight);
  return false; // the row is selected all the same
}

QWidget* ImportanceSlider::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                        const QModelIndex&) const {
  return new ImportanceEditor(parent);
}

} // namespace nestwright::ui
