#pragma once
/// \file What cost models see of a record's program, and why its session's model gave it its score,
/// for people and for other programs.

#include "core/session/insight/explain_score.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace nestwright::cli {

/// One line for each feature: its value for each statement, and its meaning. Zeros are left blank.
std::string featuresText(const ProgramFeatures& shown);
/// {"names", "meanings", "statements": [{"statement", "values"}]}
nlohmann::json featuresJson(const ProgramFeatures& shown);

/// The score, and what the features added to it, largest first; small ones summed up.
std::string explanationText(const ExplainedScore& explained);
/// {"score", "bias", "predicted_before", "measured", "contributions": [{"feature", "meaning",
/// "added", "statements": [{"statement", "value", "added"}]}]}, largest first, without zeros.
nlohmann::json explanationJson(const ExplainedScore& explained);

} // namespace nestwright::cli
