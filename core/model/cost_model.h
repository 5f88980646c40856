#pragma once
/// \file The interface of cost models: what they answer, learn from and can explain. Plugins
/// implement it; `costModel()` of core/plugin finds them.

#include "core/model/attention.h"
#include "core/model/data_set.h"
#include "core/model/feature_table.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// The score of a program of which nothing is known: its lowering failed.
inline constexpr double kUnknownProgram = -std::numeric_limits<double>::infinity();

struct Prediction {
  /// One a program, higher is better: the expected normalised throughput. kUnknownProgram where
  /// all features are 0.
  std::vector<double> scores;
  /// One a program, a standard deviation in units of the score; empty from models that have none.
  std::vector<double> uncertainty;
  /// One a feature row (statement), in the table's order, adding up to the program's score; empty
  /// from models that are no such sum.
  std::vector<float> rowScores;
};

/// Why a program got its score.
struct Explanation {
  double score = 0;
  std::size_t columns = 0;
  /// Rows x columns: what each feature of each row added to the score (SHAP values).
  std::vector<float> contributions;
  /// One a row: the row's score when nothing is known of its features.
  std::vector<float> bias;

  /// Sums of the contributions over the rows, one a column.
  std::vector<double> byFeature() const;
  /// Sums over the features, one a row.
  std::vector<double> byRow() const;
};

/// What an update did, for the log and the window (C12, C39).
struct UpdateReport {
  enum class Kind : std::uint8_t { Skipped, Incremental, Full };
  Kind kind = Kind::Skipped;
  std::string reason = {};  // why this kind, in a clause: "12 of 100 programs for warm-up"
  std::size_t programs = 0; // learned from
  std::size_t rows = 0;
  int trees = 0, treesAdded = 0; // of the model now, and by this update (tree models)
  /// Of the scores of the programs learned from, where these are on the scale of the labels.
  std::optional<double> trainingRmse = {};
  double trainingPeak = 0;   // averagePeak at 32, mean over tasks
  double trainingRecall = 0; // averageRecall at the plan's size (models that stop by it)
};
const char* name(UpdateReport::Kind kind);

/// How far learning is.
struct LearningProgress {
  int done = 0, of = 0; // steps: trees
  double error = 0;     // of the programs learned from, as the model's loss has it
};
/// Told after each step. How many threads the next one may take, which change nothing of what is
/// learned; 0: enough, nothing is to be learned.
using LearningWatch = std::function<int(const LearningProgress&)>;

/// A cost model. Thread-compatible; concurrent predictions are allowed while nothing updates it.
class CostModel {
 public:
  virtual ~CostModel() = default;
  virtual std::string name() const = 0;

  /// False until enough has been learned (or loaded) for predictions to mean something; until then
  /// candidates are to be chosen at random, and marked so (C39).
  virtual bool trained() const = 0;

  /// The model that answers for programs of this task, by its workload key: this one, but where
  /// tasks have models of their own. Good until the next update or load.
  virtual const CostModel& ofTask(std::string_view task) const;
  /// Which of its parts rank now, for a model that began as a trained one: "base", "base + local";
  /// empty for any other (C39).
  virtual std::string ranking() const { return {}; }
  /// Whether its scores are normalised throughputs, and not just in their order.
  virtual bool scoresAreThroughputs() const { return true; }

  /// Scores of a batch. Throws InputError when the model is not trained or reads another number of
  /// features.
  virtual Prediction predict(const FeatureTable& batch) const = 0;

  /// Learns from all measurements so far, oldest first. Deterministic: the same sequence of updates
  /// gives the same model for every thread count (C35). Its cost is bounded, whatever the size of
  /// the set (C13). Throws InputError when the set has faults (C40).
  virtual UpdateReport update(const DataSet& set) = 0;

  /// Learns once from measurements of other tasks, so that there are predictions before the first
  /// update, and better ones after it. Throws UsageError from models that take nothing from other
  /// tasks, InputError when the set has faults or too few programs.
  virtual UpdateReport learnHistory(const DataSet& set);

  /// Learns anew from the given programs of the set, before any search: from all of them, however
  /// long it takes. Labels are by the best times of the whole set. When the watch says enough, the
  /// model is as it was and the report says Skipped. Models that know of no steps learn by one
  /// update(). Throws InputError when the set has faults.
  virtual UpdateReport learn(const DataSet& set, std::span<const std::size_t> programs,
                             const LearningWatch& watch);

  /// Per-feature contributions to the score of one program of the batch. Slow: milliseconds a row.
  virtual Explanation explain(const FeatureTable& batch, std::size_t program) const = 0;

  /// What the model looks at most, one a column: the share of the whole gain of its splits that
  /// splits by this feature have; they add up to 1. Empty from models that cannot tell. Throws
  /// InputError when the model is not trained.
  virtual std::vector<double> importance() const { return {}; }
  /// Whether importance() is of the trees in the model alone, and a network beside them can tell
  /// none.
  virtual bool importanceIsOfAPart() const { return false; }

  /// How the rows of one program of the batch look at one another; nothing from models without
  /// attention, and of a program without features. Throws InputError as predict() does.
  virtual std::optional<Attention> attention(const FeatureTable& batch, std::size_t program) const;

  /// The whole model as bytes. A loaded model predicts, and goes on learning, exactly as the saved
  /// one. load() throws InputError, and changes nothing, for bytes that are no such model, damaged,
  /// or written by a version that cannot be read (both named, C42).
  virtual std::string save() const = 0;
  virtual void load(std::string_view bytes) = 0;
};

/// A cost model that can be chosen by its name.
struct CostModelKind {
  std::string name;
  std::string purpose; // one sentence, for lists
  /// Throws UsageError for options that it does not have.
  std::unique_ptr<CostModel> (*make)(const nlohmann::json& options) = nullptr;
  /// It reads one row a program, as a template's configurations have, and not one a statement.
  bool ofConfigurations = false;
  bool ofSteps = false; // it reads one row a schedule step
  bool ofTrees = false; // of configurations: it reads one row a node of the loop nest
  /// A network: the learner computes, with as many threads as its option "threads" says.
  bool ofNetwork = false;
  bool knowsDeviation = false; // Prediction::uncertainty is there
  bool takesPlan = false;      // it has the option "plan", the size of one
  bool takesHistory = false;   // learnHistory() learns something
};

} // namespace nestwright
