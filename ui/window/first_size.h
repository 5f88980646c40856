#pragma once
/// \file How large a window may be that was never shown before.

#include <QRect>
#include <QSize>

namespace nestwright::ui {

/// The wanted size, or as much of it as a window with a frame has room for on a screen with this
/// much to use: its status line is to be on it, too. Frames are not known before a window is shown;
/// this leaves room for those of the usual desktops.
QSize firstSize(QSize wanted, const QRect& available);

} // namespace nestwright::ui
