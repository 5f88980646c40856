#pragma once
/// \file Numbers as JSON can have them.

#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright {

/// The number; null for an infinity and for what is no number, which JSON cannot write.
inline nlohmann::json finiteOrNull(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

} // namespace nestwright
