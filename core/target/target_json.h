#pragma once
/// \file Hardware facts as JSON, for the record file.

#include "core/target/target.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwright {

nlohmann::json toJson(const TargetFacts& facts);
/// Throws InputError when a fact is missing.
TargetFacts targetFactsFromJson(const nlohmann::json& json);

} // namespace nestwright
