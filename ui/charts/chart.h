#pragma once
/// \file What all charts do in the same way: they follow the theme, say why they are empty, tell of
/// the point under the mouse, and let points be chosen by clicks and arrow keys. A chart says which
/// points it has, where they are, and what is told of them.

#include "ui/charts/plot_style.h"
#include "ui/kit/exportable.h"

#include <QSize>
#include <QString>

#include <algorithm>
#include <functional>
#include <optional>

namespace nestwright::ui {

/// Which element a walk begins with.
enum class WalkFrom : std::uint8_t { First, Last };

/// The element `step` places from the one whose `member` is `present`, or where to begin when there
/// is none. `elements` are not empty.
template <class Elements, class Value, class Member = std::identity>
const auto& neighbour(const Elements& elements, const Value& present, int step, WalkFrom start,
                      Member member = {}) {
  const auto at = std::ranges::find(elements, present, member);
  const std::ptrdiff_t last = std::ssize(elements) - 1;
  const std::ptrdiff_t next =
      at != elements.end()       ? std::clamp<std::ptrdiff_t>(at - elements.begin() + step, 0, last)
      : start == WalkFrom::First ? 0
                                 : last;
  return elements[static_cast<std::size_t>(next)];
}

/// Of `count` points the one with the least distance, in pixels, that is no farther than `reach`;
/// of several the last, which is drawn over the others.
template <class Distance>
std::optional<int> nearestPoint(std::size_t count, double reach, Distance distance) {
  std::optional<int> nearest;
  for (std::size_t i = 0; i < count; ++i) {
    const double far = distance(i);
    if (!(far <= reach)) continue;
    reach = far;
    nearest = static_cast<int>(i);
  }
  return nearest;
}

class Chart : public QCustomPlot {
  Q_OBJECT
 public:
  /// What is said in place of points; empty while there are some.
  QString message() const;
  /// What is said of the point under the mouse; empty while there is none.
  QString readout() const { return readout_->isHidden() ? QString() : readout_->text(); }
  /// Paints it as it is seen, as lines and text, into a rectangle of this size.
  virtual void drawPicture(QPainter& painter, QSize size) { drawPlot(*this, painter, size); }
  /// Draws it anew soon; where nobody sees it, when it is shown.
  void replot(RefreshPriority priority = rpQueuedReplot);
  /// Gives its picture, in the size that it has on the screen.
  void exportPicture(Exports& exports);

 protected:
  /// For those who do not see it: `name` is what it shows, `description` what the keys do.
  Chart(QWidget* parent, const QString& name, const QString& description, QSize smallest);

  /// Colours and fonts of the present theme: here those of axes and message; overridden, and called
  /// first, for what the chart draws. To be called at the end of the constructor.
  virtual void restyle();
  /// Draws what there is now.
  virtual void refresh() = 0;
  /// The message stands instead of the points; the axes, which have no range then, are not seen.
  void showMessageInstead(bool instead);

  /// The point at a place of the widget, by a number of the chart's own.
  virtual std::optional<int> pointAt(const QPointF&) const { return std::nullopt; }
  /// What the readout says of a point.
  virtual QString describe(int) const { return {}; }
  /// A point was clicked.
  virtual void choose(int) {}
  /// Chooses the neighbour of the chosen point: forth (1) or back (-1). False when there is none.
  virtual bool walk(int) { return false; }
  /// Keys of which arrows walk: up is forth.
  virtual Qt::Orientation walks() const { return Qt::Horizontal; }
  /// The mouse is here, with no button pressed: tells of the point, and shows that it can be
  /// chosen.
  virtual void hover(const QPointF& position);
  /// It was clicked here.
  virtual void click(const QPointF& position);
  /// The readout beside this place; none without text.
  virtual void tell(const QPointF& position, const QString& text);
  /// Tells of the point here.
  std::optional<int> tellOfPointAt(const QPointF& position);

  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

  QCPItemText* message_;
  Readout* readout_;

 private:
  void wrapMessage();

  bool isStale_ = false; // what it would draw has changed while nobody saw it
};

} // namespace nestwright::ui
