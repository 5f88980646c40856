#pragma once
/// \file Which step of a cross came from which parent: a strip of cells in the sides' colours,
/// large for one child, small in the cells of a table.

#include "core/session/crossing/crossing.h"

#include <QStyledItemDelegate>
#include <QWidget>

#include <vector>

namespace nestwright::ui {

/// Draws the OriginsRole as a small strip.
class StripDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

/// Below the steps of one child, the DAG nodes that they belong to.
class CrossingStrip : public QWidget {
  Q_OBJECT
 public:
  explicit CrossingStrip(QWidget* parent);
  void show(std::vector<CrossedStep> steps);
  void mark(int step); // -1: none
  int marked() const { return marked_; }
  /// The step at this place, or -1.
  int stepAt(const QPointF& position) const;
  QRectF cellOf(int step) const;
  void draw(QPainter& painter, QSize size) const;
  QSize sizeHint() const override;

 Q_SIGNALS:
  void picked(int step);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override; // tool tips

 private:
  std::vector<CrossedStep> steps_;
  int marked_ = -1;
};

} // namespace nestwright::ui
