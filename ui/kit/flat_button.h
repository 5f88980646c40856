#pragma once
/// \file The buttons of the views' toolbars.

#include <QString>
#include <QToolButton>

namespace nestwright::ui {

/// A button of `parent` without a frame. The tip is told to screen readers, too.
QToolButton* flatButton(QWidget* parent, const QString& text, const QString& tip);
/// One that stays down until it is pressed again.
QToolButton* flatToggle(QWidget* parent, const QString& text, const QString& tip);

} // namespace nestwright::ui
