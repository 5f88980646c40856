#include "core/session/run/config_learner.h"
#include "core/session/run/tuning/kept_models.h"
#include "core/session/run/tuning/record_learner.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nestwright {

namespace {

class ConfigLearners final : public RecordLearner {
 public:
  ConfigLearners(const RunSettings& settings, TaskBook& tasks)
      : settings_(settings), tasks_(tasks) {}

  void add(TunedTask& task, const std::vector<Record>& records) override {
    if (ConfigLearner* learner = learnerOf(task)) learner->add(configsOf(task, records));
  }
  void remove(const std::set<std::pair<std::string, std::string>>& programs) override {
    for (const auto& [key, learner] : learners_) {
      std::set<std::string> ofTask;
      for (const auto& [task, program] : programs)
        if (task == key) ofTask.insert(program);
      learner->remove(ofTask);
    }
  }
  RankQuality quality(TunedTask& task, const std::vector<Record>& records) override {
    const ConfigLearner* learner = learnerOf(task);
    return learner ? learner->quality(configsOf(task, records)) : RankQuality{};
  }
  UpdateReport update(TunedTask& task) override {
    ConfigLearner* learner = learnerOf(task);
    if (!learner) return {};
    UpdateReport report = learner->update();
    if (learner->trained()) kept_.models[task.row.key] = learner->save();
    return report;
  }
  bool trained(const TunedTask& task) const override { return trainedOf(task) != nullptr; }

  std::string save() const override { return toBytes(kept_); }
  void load(std::string_view bytes) override {
    KeptModels kept = keptModels(bytes);
    takeHistories(std::move(kept.histories));
    kept_.models = std::move(kept.models);
    for (const auto& [key, model] : kept_.models)
      if (ConfigLearner* learner = learnerOf(taskOf(key))) learner->load(model);
  }
  void loadHistory(std::string_view bytes) override { takeHistories(keptModels(bytes).histories); }

  const ConfigScorer* configScorer(const TunedTask& task) const override { return trainedOf(task); }
  ScoringTime scoringTime() const override {
    ScoringTime time;
    for (const auto& [key, learner] : learners_) {
      time.features += learner->scoringTime().features;
      time.predict += learner->scoringTime().predict;
    }
    return time;
  }

 private:
  void takeHistories(std::map<std::string, std::string> histories) {
    kept_.histories = std::move(histories);
    for (const auto& [key, history] : kept_.histories)
      if (ConfigLearner* learner = learnerOf(taskOf(key))) learner->load(history);
  }
  TunedTask& taskOf(const std::string& key) {
    const auto task = std::ranges::find_if(
        tasks_.tasks(), [&](const TunedTask& candidate) { return candidate.row.key == key; });
    if (task == tasks_.tasks().end())
      throw InputError(fmt::format("a cost model of the session is of {}, which is none of its "
                                   "tasks; the file was altered or is damaged",
                                   key));
    return *task;
  }
  /// Null for a task without a template.
  ConfigLearner* learnerOf(TunedTask& task) {
    const std::optional<TaskTemplate>& of = tasks_.templateOf(task).of;
    if (!of) return nullptr;
    std::unique_ptr<ConfigLearner>& learner = learners_[task.row.key];
    if (!learner)
      learner = std::make_unique<ConfigLearner>(
          untaughtModel(settings_.config),
          LearnedTemplate{task.dag, *of, task.row.key, settings_.target.id(),
                          templateFeatureKind(settings_.config.templateFeatures)});
    return learner.get();
  }
  const ConfigLearner* trainedOf(const TunedTask& task) const {
    const auto found = learners_.find(task.row.key);
    return found != learners_.end() && found->second->trained() ? found->second.get() : nullptr;
  }
  std::vector<MeasuredConfig> configsOf(TunedTask& task, const std::vector<Record>& records) const {
    std::vector<MeasuredConfig> configs;
    for (const Record& record : records)
      if (const std::optional<std::int64_t> config = tasks_.configOf(task, record))
        configs.push_back({*config, record.result.latency(), record.program});
    return configs;
  }

  const RunSettings& settings_;
  TaskBook& tasks_;
  std::map<std::string, std::unique_ptr<ConfigLearner>> learners_; // by workload key
  KeptModels kept_;                                                // of those that are trained
};

} // namespace

std::unique_ptr<RecordLearner> configLearners(const RunSettings& settings, TaskBook& tasks) {
  return std::make_unique<ConfigLearners>(settings, tasks);
}

} // namespace nestwright
