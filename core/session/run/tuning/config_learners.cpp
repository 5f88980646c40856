#include "core/plugin/plugin.h"
#include "core/session/run/config_learner.h"
#include "core/session/run/tuning/record_learner.h"
#include "core/support/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <map>

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
    if (!learner) return {};
    UpdateReport report = learner->update();
    if (learner->trained()) saved_[task.row.id] = learner->save();
    return report;
  }
  bool trained(const TunedTask& task) const override { return trainedOf(task) != nullptr; }

  /// Of each task a line with its id and the length of its model, and then that.
  std::string save() const override {
    std::string all;
    for (const auto& [id, bytes] : saved_)
      all += fmt::format("{} {}\n{}", id, bytes.size(), bytes);
    return all;
  }
  void load(std::string_view bytes) override {
    while (!bytes.empty()) {
      const RowId task = number(bytes, ' ');
      const auto length = static_cast<std::size_t>(number(bytes, '\n'));
      if (length > bytes.size()) throwDamaged();
      saved_[task] = bytes.substr(0, length);
      if (ConfigLearner* learner = learnerOf(tasks_.of(task))) learner->load(saved_[task]);
      bytes.remove_prefix(length);
    }
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
  [[noreturn]] static void throwDamaged() {
    throw InputError("the cost models of the session's templates cannot be read; the file was "
                     "altered or is damaged");
  }
  /// Takes a number and what ends it off the text.
  static std::int64_t number(std::string_view& text, char end) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto digits = static_cast<std::size_t>(stop - text.data());
    if (error != std::errc() || value < 0 || digits >= text.size() || *stop != end) throwDamaged();
    text.remove_prefix(digits + 1);
    return value;
  }
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
        configs.push_back({*config, record.result.latency(), record.program});
    return configs;
  }

  const RunSettings& settings_;
  TaskBook& tasks_;
  std::map<RowId, std::unique_ptr<ConfigLearner>> learners_;
  std::map<RowId, std::string> saved_; // those that are trained, as they are kept
  std::map<RowId, std::string> keys_;
};

} // namespace

std::unique_ptr<RecordLearner> configLearners(const RunSettings& settings, TaskBook& tasks) {
  return std::make_unique<ConfigLearners>(settings, tasks);
}

} // namespace nestwright
