#pragma once
/// \file Figures of models, as they are printed.

#include "core/model/evaluation.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace nestwright::cli {

/// "0.8123 (0.7801 to 0.8402)"; without the interval where there is none.
inline std::string boundedText(const BoundedFigure& figure) {
  return std::isfinite(figure.bounds.low) && std::isfinite(figure.bounds.high)
             ? fmt::format("{:.4f} ({:.4f} to {:.4f})", figure.value, figure.bounds.low,
                           figure.bounds.high)
             : fmt::format("{:.4f}", figure.value);
}

} // namespace nestwright::cli
