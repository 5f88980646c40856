#include "core/plugin/plugin.h"
#include "core/session/run/config_learner.h"
#include "core/session/run/tuning/record_learner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace nestwright {

namespace {

class ConfigLearners final : public RecordLearner {
 public:
  ConfigLearners(const RunSettings& settings, const TaskBook& tasks)
      : settings_(settings), tasks_(tasks) {}

  void add(TunedTask& task, const std::vector<Record>& records) override {
    if (ConfigLearner* learner = learnerOf(task)) learner->add(configsOf(task, records));
  }
  void remove(const std::set<std::pair<std::string, std::string>>& programs) override {
    for (const auto& [id, learner] : learners_) {
      std::set<std::string> ofTask;
      for (const auto& [key, program] : programs)
        if (key == keys_.at(id)) ofTask.insert(program);
      learner->remove(ofTask);
    }
  }
  RankQuality quality(TunedTask& task, const std::vector<Record>& records) override {
    const ConfigLearner* learner = learnerOf(task);
    return learner ? learner->quality(configsOf(task, records)) : RankQuality{};
  }
  UpdateReport update(TunedTask& task) override {
    ConfigLearner* learner = learnerOf(task);
    return learner ? learner->update() : UpdateReport{};
  }
  bool trained(const TunedTask& task) const override { return trainedOf(task) != nullptr; }

  std::string nameOf(const TunedTask& task) const override {
    return fmt::format("{}#{}", settings_.config.model, task.row.id);
  }
  std::string save(const TunedTask& task) const override { return trainedOf(task)->save(); }
  void load(TunedTask& task, std::string_view bytes) override {
    if (ConfigLearner* learner = learnerOf(task)) learner->load(bytes);
  }

  const ConfigScorer* configScorer(const TunedTask& task) const override { return trainedOf(task); }
  ScoringTime scoringTime() const override {
    ScoringTime time;
    for (const auto& [id, learner] : learners_) {
      time.features += learner->scoringTime().features;
      time.predict += learner->scoringTime().predict;
    }
    return time;
  }

 private:
  /// Null for a task without a template.
  ConfigLearner* learnerOf(TunedTask& task) {
    const std::optional<TaskTemplate>& of = tasks_.templateOf(task).of;
    if (!of) return nullptr;
    std::unique_ptr<ConfigLearner>& learner = learners_[task.row.id];
    if (!learner) {
      const SessionConfig& config = settings_.config;
      keys_[task.row.id] = task.row.key;
      nlohmann::json options = {{"warmup", config.warmup}};
      if (costModelKind(config.model).takesPlan) options["plan"] = config.plan;
      learner = std::make_unique<ConfigLearner>(
          costModel(config.model, options),
          LearnedTemplate{task.dag, *of, task.row.key, settings_.target.id(),
                          templateFeatureKind(config.templateFeatures)});
    }
    return learner.get();
  }
  const ConfigLearner* trainedOf(const TunedTask& task) const {
    const auto found = learners_.find(task.row.id);
    return found != learners_.end() && found->second->trained() ? found->second.get() : nullptr;
  }
  std::vector<MeasuredConfig> configsOf(TunedTask& task, const std::vector<Record>& records) const {
    std::vector<MeasuredConfig> configs;
    for (const Record& record : records)
      if (const std::optional<std::int64_t> config = tasks_.configOf(task, record))
        configs.push_back({*config, record.result.median(), record.program});
    return configs;
  }

  const RunSettings& settings_;
  const TaskBook& tasks_;
  std::map<RowId, std::unique_ptr<ConfigLearner>> learners_;
  std::map<RowId, std::string> keys_;
};

} // namespace

std::unique_ptr<RecordLearner> configLearners(const RunSettings& settings, const TaskBook& tasks) {
  return std::make_unique<ConfigLearners>(settings, tasks);
}

} // namespace nestwright
