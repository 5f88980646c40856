#include "core/session/insight/judge_models.h"

#include "core/dataset/model_likeness.h"
#include "core/feature/program_features.h"
#include "core/record/store/store.h"
#include "core/session/insight/trained_model.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

std::vector<NetworkTasks> networksFor(const JudgeWish& wish,
                                      const std::vector<RecordStore>& files) {
  for (const std::vector<std::string>* texts :
       {&wish.networks, &wish.choice.holdOut, &wish.choice.networks})
    if (!texts->empty()) return networkTasks(*texts, files);
  return networksOf(files);
}

std::vector<std::size_t> testedOf(const RecordedData& data, const DataChoice& choice,
                                  const std::vector<RecordStore>& files) {
  if (choice.split != SplitKind::None)
    return partsOf(data, choice, networkTasks(choice.holdOut, files)).test;
  std::vector<std::size_t> all(data.set.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// In the place that the programs have in the set.
std::vector<double> scoresOf(const CostModel& model, const DataSet& set,
                             const std::vector<std::size_t>& programs) {
  std::vector<double> scores(set.size(), 0);
  const std::vector<double> tested = model.predict(select(set.features, programs)).scores;
  for (std::size_t i = 0; i < programs.size(); ++i)
    scores[programs[i]] = tested[i];
  return scores;
}

/// Empty where its rows are no steps, and where they show all.
std::string unseenOf(const RecordedData& data) {
  if (!isOfSteps(data.features)) return {};
  const FeatureChoice choice = featureChoice(data.features, data.targets.front().facts);
  return unseenText(data.primitives, choice.steps->shape());
}

class Judging {
 public:
  Judging(const JudgeWish& wish, const JudgeObserver& observer)
      : wish_(wish), observer_(observer), files_(openFiles(wish.choice)) {}

  Judgement run() {
    const std::vector<NetworkTasks> networks = networksFor(wish_, files_);
    for (const std::string& name : wish_.models)
      ask(name);
    const RecordedData& data =
        sets_.empty() ? dataOf(wish_.choice.features, false) : sets_.begin()->second;
    const std::vector<std::size_t> programs = tested(data);
    for (ModelScores& yardstick : yardsticks(data.set, wish_.bootstrap.seed))
      result_.scores.push_back(std::move(yardstick));
    result_.files.resize(result_.scores.size());
    say("comparing");
    result_.evaluation = evaluateModels(
        data, {programs, networks, wish_.ks, wish_.bootstrap, groups()}, result_.scores);
    result_.programs = programs;
    result_.data = std::move(sets_.begin()->second);
    result_.data.set.features = FeatureTable(result_.data.set.features.columns());
    return std::move(result_);
  }

 private:
  void say(const std::string& what) const {
    if (observer_.check) observer_.check();
    if (observer_.doing) observer_.doing(what);
  }

  /// Those that are wished for, of the models that could be asked.
  std::vector<ModelGroup> groups() const {
    if (wish_.groupBySeeds) return groupsBySeeds();
    std::vector<ModelGroup> groups;
    for (const ModelGroup& wished : wish_.groups) {
      ModelGroup group{wished.name, {}};
      for (const std::size_t model : wished.models)
        if (places_[model]) group.models.push_back(*places_[model]);
      if (!group.models.empty()) groups.push_back(std::move(group));
    }
    return groups;
  }

  std::vector<ModelGroup> groupsBySeeds() const {
    std::map<std::string, SeedGroup> alike;
    for (std::size_t i = 0; i < result_.files.size(); ++i)
      if (result_.files[i]) alike[textWithoutSeeds(*result_.files[i])].push_back(i);
    std::vector<ModelGroup> groups;
    for (auto& [text, models] : alike)
      if (models.size() > 1) {
        std::string name = result_.scores[models.front()].name;
        groups.push_back({std::move(name), std::move(models)});
      }
    return groups;
  }

  void ask(const std::string& name) {
    std::optional<std::size_t>& place = places_.emplace_back();
    try {
      say(fmt::format("reading {}", name));
      TrainedModel model = trainedModel(name);
      const RecordedData& data =
          dataOf(model.features.empty() ? wish_.choice.features : model.features, true);
      say(fmt::format("asking {}", name));
      result_.scores.push_back({model.name, scoresOf(*model.model, data.set, tested(data)),
                                std::move(model.learnedFrom)});
      result_.files.push_back(std::move(model.file));
      place = result_.scores.size() - 1;
      if (std::string unseen = unseenOf(data); !unseen.empty())
        result_.unseen.push_back({name, std::move(unseen)});
    } catch (const Error& error) {
      if (!wish_.passOver) throw;
      result_.refused.push_back({name, error.what()});
    }
  }

  /// Its programs are the same for all features.
  const RecordedData& dataOf(const std::string& features, bool rows) {
    if (const auto known = sets_.find(features); known != sets_.end()) return known->second;
    DataChoice read = wish_.choice;
    read.features = features;
    say("reading the data");
    const auto goOn = [this](double) {
      if (observer_.check) observer_.check();
      return true;
    };
    return sets_
        .emplace(features,
                 readData(files_, read, {.threads = wish_.threads, .features = rows, .goOn = goOn}))
        .first->second;
  }

  const std::vector<std::size_t>& tested(const RecordedData& data) {
    if (!tested_) tested_ = testedOf(data, wish_.choice, files_);
    return *tested_;
  }

  const JudgeWish& wish_;
  const JudgeObserver& observer_;
  std::vector<RecordStore> files_;
  std::map<std::string, RecordedData> sets_;
  std::optional<std::vector<std::size_t>> tested_;
  std::vector<std::optional<std::size_t>> places_; // of the wish's models in the result
  Judgement result_;
};

} // namespace

Judgement judgeModels(const JudgeWish& wish, const JudgeObserver& observer) {
  return Judging(wish, observer).run();
}

} // namespace nestwright
