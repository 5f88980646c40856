#pragma once
/// \file For a column's `colour`: less important than what is beside it.

#include "ui/kit/colours.h"

#include <QVariant>

namespace nestwright::ui {

inline constexpr auto kDimmed = [](const auto&) -> QVariant { return colours().dim; };

} // namespace nestwright::ui
