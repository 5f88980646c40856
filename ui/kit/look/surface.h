#pragma once
/// \file Raised surfaces: a ground with a rule around it, and widgets that lie on one.

#include <QColor>
#include <QPaintEvent>
#include <QPainter>

#include <functional>
#include <utility>

namespace nestwright::ui {

struct Surface {
  QColor ground, rule; // an invalid one is not drawn
  double radius = 0;   // of the corners, px
};

/// Draws the surface within `rect`, the rule inside of it.
void drawSurface(QPainter& painter, const QRect& rect, const Surface& surface);

/// A widget on a surface, which is asked for at every painting: it has the colours of that moment.
template <class Widget>
class OnSurface : public Widget {
 public:
  template <class... Arguments>
  explicit OnSurface(std::function<Surface()> surface, Arguments&&... arguments)
      : Widget(std::forward<Arguments>(arguments)...), surface_(std::move(surface)) {}

 protected:
  void paintEvent(QPaintEvent* event) override {
    {
      QPainter painter(this);
      drawSurface(painter, this->rect(), surface_());
    }
    Widget::paintEvent(event);
  }

 private:
  std::function<Surface()> surface_;
};

} // namespace nestwright::ui
