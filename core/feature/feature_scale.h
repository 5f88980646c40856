#pragma once
/// \file The division of features by the largest of the training data, which a neural model keeps
/// (handbook/cost-models.md 6.2).

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <vector>

namespace nestwright {

/// A value: the largest number of each column, 0 where none was above 0.
struct FeatureScale {
  std::vector<float> largest;
  bool operator==(const FeatureScale&) const = default;
};

/// A scale of so many columns that has seen nothing, and changes nothing.
FeatureScale emptyScale(std::size_t columns);

/// Takes rows of the training data into account. Throws InputError when they are no whole number of
/// rows, or a number is not finite.
void learn(FeatureScale& scale, std::span<const float> rows);

/// Divides each column by its largest number where that is above 0. Throws InputError when they are
/// no whole number of rows.
void divide(std::span<float> rows, const FeatureScale& scale);

nlohmann::json toJson(const FeatureScale& scale);
/// Throws InputError for what is no scale: a number that is negative or not finite.
FeatureScale featureScaleFromJson(const nlohmann::json& json);

} // namespace nestwright
