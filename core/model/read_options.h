#pragma once
/// \file Reading a model's options, which people and files set by their names.

#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nestwright {

/// Throws UsageError that names the model where a condition does not hold.
struct OptionCheck {
  const char* model;
  void operator()(bool condition, const char* what) const {
    if (!condition) throw UsageError(fmt::format("cost model {}: {}", model, what));
  }
};

/// What the options of all models of trees have in common, where they have it. Throws UsageError.
template <class Options>
void requireSensibleTrees(const OptionCheck& require, const Options& options) {
  require(options.threads >= 1, "`threads` must be at least 1");
  require(options.maxBins >= 2 && options.maxBins <= 1024, "`maxBins` must be 2 to 1024");
  if constexpr (requires { options.maxDepth; }) {
    require(options.maxDepth >= 1 && options.maxDepth <= 16, "`maxDepth` must be 1 to 16");
    require(options.gamma >= 0, "`gamma` must not be negative");
    require(options.minChildWeight >= 0, "`minChildWeight` must not be negative");
    require(options.eta > 0 && options.eta <= 1, "`eta` must be above 0 and at most 1");
  }
  if constexpr (requires { options.lambda; })
    require(options.lambda >= 0, "`lambda` must not be negative");
}

/// The defaults with what the object sets, or the defaults for null. Throws UsageError, which lists
/// the options, for an unknown name and a value that is none of the default's type.
template <class Options>
Options readOptions(const char* model, const nlohmann::json& json) {
  if (json.is_null()) return {};
  OptionCheck{model}(json.is_object(), "its options must be a JSON object");
  const nlohmann::json known = Options{};
  const auto fits = [&](const std::string& name, const nlohmann::json& value) {
    if (!known.contains(name)) return false;
    if (known[name].is_string()) return value.is_string();
    if (known[name].is_number_float()) return value.is_number();
    return value.is_number_integer() && value >= 0;
  };
  const auto require = [&](bool condition, const std::string& key) {
    if (condition) return;
    std::vector<std::string> names;
    for (const auto& [name, fallback] : known.items())
      names.push_back(fallback.is_string()         ? name + " (a word)"
                      : fallback.is_number_float() ? name
                                                   : name + " (a whole number)");
    throw UsageError(fmt::format("cost model {}: `{}` cannot be set to {}; the options, numbers "
                                 "unless said otherwise, are {}",
                                 model, key, json.at(key).dump(), fmt::join(names, ", ")));
  };
  for (const auto& item : json.items())
    require(fits(item.key(), item.value()), item.key());
  Options options = json.get<Options>();
  const nlohmann::json read = options;
  for (const auto& item : json.items()) // a whole number may be too large for the option
    require(!known[item.key()].is_number_integer() || read[item.key()] == item.value(), item.key());
  return options;
}

} // namespace nestwright
