#pragma once
/// \file Reading a model's options, which people and files set by their names.

#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nestwright::xgboost {

/// Throws UsageError that names the model where a condition does not hold.
struct OptionCheck {
  const char* model;
  void operator()(bool condition, const char* what) const {
    if (!condition) throw UsageError(fmt::format("cost model {}: {}", model, what));
  }
};

/// The defaults with what the object sets, or the defaults for null. Throws UsageError, which lists
/// the options, for an unknown name and a value of another type than the default's.
template <class Options>
Options readOptions(const char* model, const nlohmann::json& json) {
  if (json.is_null()) return {};
  OptionCheck{model}(json.is_object(), "its options must be a JSON object");
  const nlohmann::json known = Options{};
  const auto fits = [&](const std::string& name, const nlohmann::json& value) {
    if (!known.contains(name)) return false;
    if (known[name].is_string()) return value.is_string();
    return value.is_number() && (known[name].is_number_float() || value >= 0);
  };
  for (const auto& [key, value] : json.items()) {
    if (fits(key, value)) continue;
    std::vector<std::string> names;
    for (const auto& [name, fallback] : known.items())
      names.push_back(fallback.is_string() ? name + " (a word)" : name);
    throw UsageError(fmt::format("cost model {}: `{}` cannot be set to {}; the options, numbers "
                                 "unless said otherwise, are {}",
                                 model, key, value.dump(), fmt::join(names, ", ")));
  }
  return json.get<Options>();
}

} // namespace nestwright::xgboost
