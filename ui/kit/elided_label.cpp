#include "ui/kit/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

#include <algorithm>

namespace nestwright::ui {

ElidedLabel::ElidedLabel(QWidget* parent, Qt::TextElideMode cut) : QLabel(parent), cut_(cut) {
  setTextFormat(Qt::PlainText);
}

QSize ElidedLabel::minimumSizeHint() const {
  constexpr int kLetters = 6;
  const QSize whole = QLabel::minimumSizeHint();
  const QMargins around = contentsMargins();
  const int few = kLetters * fontMetrics().averageCharWidth() + around.left() + around.right();
  return {std::min(whole.width(), few), whole.height()};
}

bool ElidedLabel::isCut() const {
  return fontMetrics().horizontalAdvance(text()) > contentsRect().width();
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !toolTip().isEmpty() || !isCut())
    return QLabel::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
  return true;
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
  // What is selected is shown as it is selected.
  if (!isCut() || hasSelectedText()) return QLabel::paintEvent(event);
  QPainter painter(this);
  style()->drawItemText(&painter, contentsRect(), int(alignment()), palette(), isEnabled(),
                        fontMetrics().elidedText(text(), cut_, contentsRect().width()),
                        foregroundRole());
}

} // namespace nestwright::ui

#include "moc_elided_label.cpp"
