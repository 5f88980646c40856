#include "core/feature/feature_scale.h"

#include "core/support/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

void requireRows(const FeatureScale& scale, std::size_t numbers) {
  const std::size_t columns = scale.largest.size();
  if (columns == 0 ? numbers != 0 : numbers % columns != 0)
    throw InputError(
        fmt::format("{} numbers are no rows of the {} columns that the scale of the features has",
                    numbers, columns));
}

} // namespace

FeatureScale emptyScale(std::size_t columns) {
  return {std::vector<float>(columns)};
}

void learn(FeatureScale& scale, std::span<const float> rows) {
  requireRows(scale, rows.size());
  const std::size_t columns = scale.largest.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i]))
      throw InputError(
          fmt::format("column {} of the features holds a number that is not finite", i % columns));
    float& largest = scale.largest[i % columns];
    largest = std::max(largest, rows[i]);
  }
}

void divide(std::span<float> rows, const FeatureScale& scale) {
  requireRows(scale, rows.size());
  const std::size_t columns = scale.largest.size();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const float largest = scale.largest[i % columns]; largest > 0) rows[i] /= largest;
}

nlohmann::json toJson(const FeatureScale& scale) {
  return {{"largest", scale.largest}};
}

FeatureScale featureScaleFromJson(const nlohmann::json& json) {
  FeatureScale scale;
  try {
    json.at("largest").get_to(scale.largest);
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("the stored scale of a model's features cannot be read ({})", e.what()));
  }
  for (const float largest : scale.largest)
    if (!std::isfinite(largest) || largest < 0)
      throw InputError(fmt::format(
          "the stored scale of a model's features cannot be right: the largest of a column is {}",
          largest));
  return scale;
}

} // namespace nestwright
