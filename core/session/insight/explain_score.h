#pragma once
/// \file Why the cost model of a record's session gives its program the score that it gives: the
/// features that it reads, and what each of them added.

#include "core/feature/program_features.h"
#include "core/model/cost_model.h"
#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"
#include "core/target/target.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// Features of a record's program for the machine that its task is tuned for. Throws
/// IllegalSchedule when the program cannot be executed.
ProgramFeatures readFeatures(const RecordStore& store, const Record& record,
                             FeatureChoice choice = {});

/// A cost model as it was saved with its session, and which features it reads.
struct SavedModel {
  std::unique_ptr<CostModel> model;
  FeatureChoice features;
};
/// Throws InputError, with what to do, when the session has none.
SavedModel savedModel(const RecordStore& store, RowId session);

/// A score of the session's cost model taken apart.
struct ExplainedScore {
  ProgramFeatures shown; // that the model reads
  Explanation explanation;
  /// How its steps look at one another, by models with attention between them; of a sum, its
  /// base's. The rows are the first of what is shown.
  std::optional<Attention> attention;
  std::string ranking; // the parts of the model that the score is from (CostModel::ranking)
  std::optional<double> predictedBefore; // the score that it was proposed with, by the model then
  std::optional<double> measured; // its throughput over that of its session's fastest of the task
};

/// Asks the cost model that was saved with the record's session. Throws InputError when the session
/// has none or the program cannot be scored.
ExplainedScore explainScore(const RecordStore& store, const Record& record);
/// The same with a model that was read before.
ExplainedScore explainScore(const RecordStore& store, const Record& record,
                            const SavedModel& saved);

/// What one feature added to the score, over all statements.
struct Contribution {
  std::size_t column = 0;
  double added = 0;
};
/// Largest first, whatever the sign; without zeros.
std::vector<Contribution> contributions(const Explanation& explanation);
/// The score when nothing is known of the program: what the contributions start from.
double biasOf(const Explanation& explanation);

} // namespace nestwright
