#pragma once
/// \file Dragging along an axis of the plot of knobs or decisions, as far as some of its values.

#include "ui/inspector/knob_plot.h"

#include <QApplication>
#include <QMouseEvent>
#include <QTest>

namespace nestwright::ui::testing {

inline void dragAlong(KnobPlot& plot, std::size_t axis, double from, double to) {
  const QPoint start = plot.pixelOf(axis, from).toPoint();
  const QPoint end = plot.pixelOf(axis, to).toPoint();
  QTest::mousePress(&plot, Qt::LeftButton, {}, start);
  for (const QPoint& place : {(start + end) / 2, end}) {
    QMouseEvent move(QEvent::MouseMove, place, plot.mapToGlobal(place), Qt::NoButton,
                     Qt::LeftButton, {});
    QApplication::sendEvent(&plot, &move);
  }
  QTest::mouseRelease(&plot, Qt::LeftButton, {}, end);
}

} // namespace nestwright::ui::testing
