#pragma once
/// \file What a cost model reads of a program: the paper's features, those of the program as it is
/// executed, or both side by side, row by row; or its schedule steps, a row each.

#include "core/feature/gpu_features.h"
#include "core/feature/lowered_features.h"
#include "core/feature/schedule_primitives.h"
#include "core/feature/statement_features.h"
#include "core/target/target.h"

#include <memory>
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
  bool flags = false;  // taskFlags(), the same in each row of a program
  /// Instead of all these the program's schedule steps, as TLP reads them; null: not. Shared by
  /// all that have the same choice, and never changed.
  std::shared_ptr<const PrimitiveEncoder> steps = nullptr;
  std::size_t columns() const;

  bool operator==(const FeatureChoice& other) const;
};

inline constexpr std::string_view kSteps = "steps", kFittedSteps = "steps,fit";
/// From "paper", "lowered" or "paper,lowered", each with ",flags" behind it or not, or "steps", for
/// programs of this target. "steps {...}" has a vocabulary and a shape of its own in the place of
/// the published ones; "steps,fit" is "steps" where there are no data whose lengths could be told.
/// Throws UsageError for another text, InputError for a vocabulary that cannot be right.
FeatureChoice featureChoice(std::string_view text, const TargetFacts& target);
/// The text of a choice of steps by this encoder, for featureChoice().
std::string stepFeaturesText(const PrimitiveEncoder& encoder);
/// Whether the text asks for steps.
bool isOfSteps(std::string_view text);
/// Name and meaning of each column.
std::vector<std::string> featureNames(const FeatureChoice& choice);
std::vector<std::string> featureMeanings(const FeatureChoice& choice);

/// What is read, and what it assumes of the machine. `lowered.lowering.gpu` is set exactly where
/// `choice.gpu` is.
struct ProgramFeatureOptions {
  FeatureChoice choice;
  FeatureOptions paper;
  LoweredFeatureOptions lowered;
};

/// The rows of one program: one for each stage that is neither a placeholder nor inlined, and with
/// the paper's features two for one whose threads reduce together; or one for each step.
struct ProgramFeatures {
  FeatureChoice choice;                // what each row has
  std::vector<std::string> stages;     // of each row; "step 3" of one of a step
  std::vector<std::string> statements; // likewise: a stage, "C.share" (StatementFeatures), or words
  std::vector<float> values;           // row after row
  PrimitiveCounts counts = {};         // of rows of steps: what they do not show
};

/// The rows of steps alone; what they do not show is added to the counts. Throws IllegalSchedule
/// when a tile size is undecided.
std::vector<float> stepRows(const Steps& steps, const PrimitiveEncoder& encoder,
                            PrimitiveCounts& counts);

/// Throws IllegalSchedule when the program is a sketch, has no bounds, or cannot be executed.
ProgramFeatures programFeatures(const State& state, const ProgramFeatureOptions& options);

/// The features of all programs, computed by so many threads (0: all cores); the result does not
/// depend on their number. A program that cannot be executed has no rows; of steps only values are
/// told, no words.
std::vector<ProgramFeatures> programFeatures(std::span<const State> programs,
                                             const ProgramFeatureOptions& options,
                                             unsigned threads = 0);

} // namespace nestwright
