#pragma once
/// \file The letter of a comparison's side, in the side's colour.

#include "ui/kit/comparison_side.h"
#include "ui/kit/look/surface.h"

#include <QLabel>

namespace nestwright::ui {

/// A small square that follows theme and zoom.
class SideBadge : public OnSurface<QLabel> {
  Q_OBJECT
 public:
  explicit SideBadge(Side side, QWidget* parent = nullptr);

 private:
  void restyle();

  Side side_;
};

} // namespace nestwright::ui
