#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/tuning/record_learner.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

class ProgramLearner final : public RecordLearner {
 public:
  ProgramLearner(const RunSettings& settings, std::optional<KeptPretrained> kept)
      : kept_(std::move(kept)),
        learner_(sessionModel(settings.config, kept_ ? &*kept_ : nullptr,
                              std::size_t(settings.config.warmup)),
                 settings.target, featureChoice(settings.config.features, settings.target)) {}

  void add(TunedTask& task, const std::vector<Record>& records) override {
    learner_.add(programsOf(task, records));
  }
  std::string unseen() const override { return learner_.unseen(); }
  void remove(const std::set<std::pair<std::string, std::string>>& programs) override {
    learner_.remove(programs);
  }
  RankQuality quality(TunedTask& task, const std::vector<Record>& records) override {
    return learner_.quality(programsOf(task, records));
  }
  UpdateReport update(TunedTask&) override { return learner_.update(); }
  bool trained(const TunedTask&) const override { return learner_.trained(); }

  std::string ranking(const TunedTask& task) const override {
    return learner_.ranking(task.row.key);
  }

  std::string save() const override {
    if (!learner_.trained()) return {};
    return kept_ ? toBytes({kept_->file, learner_.save()}) : learner_.save();
  }
  void load(std::string_view bytes) override {
    if (!kept_) return learner_.load(bytes);
    if (const KeptPretrained kept = keptPretrained(bytes); !kept.learned.empty())
      learner_.load(kept.learned);
  }

  const CostScorer* scorer(const TunedTask& task) const override {
    return learner_.trained() ? &learner_.scorerOf(task.row.key) : nullptr;
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

  std::optional<KeptPretrained> kept_;
  CostLearner learner_;
};

} // namespace

std::unique_ptr<RecordLearner> programLearner(const RunSettings& settings,
                                              const std::optional<std::string>& kept) {
  return std::make_unique<ProgramLearner>(settings, keptOf(settings.config, kept));
}

} // namespace nestwright
