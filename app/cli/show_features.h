#pragma once
/// \file What cost models see of a record's program, and why its session's model gave it its score.

#include "core/feature/program_features.h"
#include "core/model/cost_model.h"
#include "core/record/store.h"
#include "core/target/target.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace nestwright::cli {

/// The machine that a task is tuned for.
TargetFacts targetOf(const RecordStore& store, const TaskRow& task);

/// Features of a program for the machine that its task is tuned for, with what is needed to read
/// them.
struct ShownFeatures {
  FeatureChoice choice;
  ProgramFeatures features;
};

/// Computes them. Throws IllegalSchedule when the program cannot be executed.
ShownFeatures readFeatures(const RecordStore& store, const Record& record, FeatureChoice choice);

/// One line for each feature: its value for each statement, and its meaning. Zeros are left blank.
std::string featuresText(const ShownFeatures& shown);
/// {"names", "meanings", "statements": [{"statement", "values"}]}
nlohmann::json featuresJson(const ShownFeatures& shown);

/// A score of the session's cost model taken apart.
struct ExplainedScore {
  ShownFeatures shown; // that the model reads
  Explanation explanation;
  std::optional<double> predictedBefore; // the score that it was proposed with, by the model then
  std::optional<double> measured; // its throughput over that of its session's fastest of the task
};

/// Asks the cost model that was saved with the record's session. Throws InputError when the session
/// has none or the program cannot be scored.
ExplainedScore explainScore(const RecordStore& store, const Record& record);

/// The score, and what the features added to it, largest first; small ones summed up.
std::string explanationText(const ExplainedScore& explained);
/// {"score", "bias", "predicted_before", "measured", "contributions": [{"feature", "meaning",
/// "added", "statements": [{"statement", "value", "added"}]}]}, largest first, without zeros.
nlohmann::json explanationJson(const ExplainedScore& explained);

} // namespace nestwright::cli
