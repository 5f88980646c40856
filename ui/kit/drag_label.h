#pragma once
/// \file Records under the mouse while they are dragged.

class QPixmap;

namespace nestwright::ui {

/// More than this are not dragged: what takes them reads every one.
inline constexpr int kMostDragged = 1000;

/// What is beside the mouse: "3 records".
QPixmap dragLabel(int programs);

} // namespace nestwright::ui
