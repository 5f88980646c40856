#pragma once
/// \file What a cost model reads of a program: the paper's features, those of the program as it is
/// executed, or both side by side, row by row.

#include "core/feature/gpu_features.h"
#include "core/feature/lowered_features.h"
#include "core/feature/statement_features.h"
#include "core/target/target.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Which features, in this order, of programs for which kind of machine.
struct FeatureChoice {
  bool paper = true;   // statementFeatures()
  bool lowered = true; // loweredFeatures(), or gpuFeatures()
  bool gpu = false;    // the programs have blocks and threads
  std::size_t columns() const;

  bool operator==(const FeatureChoice&) const = default;
};

/// From "paper", "lowered" or "paper,lowered", for programs of this target. Throws UsageError for
/// another text.
FeatureChoice featureChoice(std::string_view text, const TargetFacts& target);
/// All there are for programs of this target.
FeatureChoice allFeatures(const TargetFacts& target);
/// Name and meaning of each column.
std::vector<std::string> featureNames(FeatureChoice choice);
std::vector<std::string> featureMeanings(FeatureChoice choice);

/// What is read, and what it assumes of the machine. `lowered.lowering.gpu` is set exactly where
/// `choice.gpu` is.
struct ProgramFeatureOptions {
  FeatureChoice choice;
  FeatureOptions paper;
  LoweredFeatureOptions lowered;
};

/// The rows of one program: one for each stage that is neither a placeholder nor inlined, and with
/// the paper's features two for one whose threads reduce together.
struct ProgramFeatures {
  FeatureChoice choice;                // what each row has
  std::vector<std::string> stages;     // of each row
  std::vector<std::string> statements; // likewise: a stage, or "C.share" (StatementFeatures)
  std::vector<float> values;           // row after row
};

/// Throws IllegalSchedule when the program is a sketch, has no bounds, or cannot be executed.
ProgramFeatures programFeatures(const State& state, const ProgramFeatureOptions& options);

/// The features of all programs, computed by so many threads (0: all cores); the result does not
/// depend on their number. A program that cannot be executed has no rows.
std::vector<ProgramFeatures> programFeatures(std::span<const State> programs,
                                             const ProgramFeatureOptions& options,
                                             unsigned threads = 0);

} // namespace nestwright
