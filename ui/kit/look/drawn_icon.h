#pragma once
/// \file Icons of one colour, drawn from lines in the colour that writing has at that moment: a
/// change of the theme needs no new ones.

#include <QIconEngine>

namespace nestwright::ui {

/// Draws an SVG text in colours().text, and in colours().faint where it is disabled.
class DrawnIcon : public QIconEngine {
 public:
  explicit DrawnIcon(QByteArray svg);
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
  QIconEngine* clone() const override;

 private:
  QByteArray svg_; // its colour is written "currentColor"
};

} // namespace nestwright::ui
