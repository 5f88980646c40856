#pragma once
/// \file What a cost model reads of a program: the paper's features, those of the program as it is
/// executed, or both side by side, row by row.

#include "core/feature/lowered_features.h"
#include "core/feature/statement_features.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Which features, in this order.
struct FeatureChoice {
  bool paper = true;   // statementFeatures()
  bool lowered = true; // loweredFeatures()
  std::size_t columns() const {
    return (paper ? kFeatureCount : 0) + (lowered ? kLoweredFeatureCount : 0);
  }
};

/// From "paper", "lowered" or "paper,lowered". Throws UsageError for another text.
FeatureChoice featureChoice(std::string_view text);
/// Name and meaning of each column.
std::vector<std::string> featureNames(FeatureChoice choice);
std::vector<std::string> featureMeanings(FeatureChoice choice);

/// What is read, and what it assumes of the machine.
struct ProgramFeatureOptions {
  FeatureChoice choice;
  FeatureOptions paper;
  LoweredFeatureOptions lowered;
};

/// The rows of one program: one for each stage that is neither a placeholder nor inlined.
struct ProgramFeatures {
  std::vector<std::string> stages;
  std::vector<float> values; // row after row
};

/// Throws IllegalSchedule when the program is a sketch, has no bounds, or cannot be executed.
ProgramFeatures programFeatures(const State& state, const ProgramFeatureOptions& options);

/// The features of all programs, computed by so many threads (0: all cores); the result does not
/// depend on their number. A program that cannot be executed has no rows.
std::vector<ProgramFeatures> programFeatures(std::span<const State> programs,
                                             const ProgramFeatureOptions& options,
                                             unsigned threads = 0);

} // namespace nestwright
