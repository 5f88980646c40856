#include "core/plugin/plugin.h"
#include "core/session/run/tuning/record_learner.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

std::unique_ptr<CostModel> modelOfStatements(const SessionConfig& config) {
  if (costModelKind(config.model).ofSteps)
    throw UsageError(fmt::format("the cost model {} reads schedule steps, and a session hands its "
                                 "model statements: choose xgboost, mlp or lstm",
                                 config.model));
  return costModel(config.model, {{"warmup", config.warmup}});
}

class ProgramLearner final : public RecordLearner {
 public:
  explicit ProgramLearner(const RunSettings& settings)
      : learner_(modelOfStatements(settings.config), settings.target,
                 featureChoice(settings.config.features, settings.target)) {}

  void add(TunedTask& task, const std::vector<Record>& records) override {
    learner_.add(programsOf(task, records));
  }
  void remove(const std::set<std::pair<std::string, std::string>>& programs) override {
    learner_.remove(programs);
  }
  RankQuality quality(TunedTask& task, const std::vector<Record>& records) override {
    return learner_.quality(programsOf(task, records));
  }
  UpdateReport update(TunedTask&) override { return learner_.update(); }
  bool trained(const TunedTask&) const override { return learner_.trained(); }

  std::string save() const override { return learner_.trained() ? learner_.save() : ""; }
  void load(std::string_view bytes) override { learner_.load(bytes); }

  const CostScorer* scorer(const TunedTask&) const override {
    return learner_.trained() ? &learner_ : nullptr;
  }
  ScoringTime scoringTime() const override { return learner_.scoringTime(); }

 private:
  /// Those that replay on the task itself; what a template's look like depends on its layouts.
  static std::vector<MeasuredProgram> programsOf(const TunedTask& task,
                                                 const std::vector<Record>& records) {
    std::vector<MeasuredProgram> programs;
    for (const Record& record : records)
      if (!isOfTemplate(record))
        programs.push_back(
            {task.row.key, &task.dag, record.steps, record.program, record.result.latency()});
    return programs;
  }

  CostLearner learner_;
};

} // namespace

std::unique_ptr<RecordLearner> programLearner(const RunSettings& settings) {
  return std::make_unique<ProgramLearner>(settings);
}

} // namespace nestwright
