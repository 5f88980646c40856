#include "core/dataset/evaluate_models.h"

#include "core/model/yardsticks.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_number.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace nestwright {

namespace {

using nlohmann::json;

class Evaluating {
 public:
  Evaluating(const RecordedData& data, const EvaluationWish& wish) : data_(data), wish_(wish) {}

  ModelEvaluation run(const std::vector<ModelScores>& models) {
    evaluation_.ks = wish_.ks;
    chooseTasks();
    const std::vector<WeightedNetwork> networks = weightNetworks();
    std::vector<std::vector<TaskFigures>> figures;
    for (const ModelScores& model : models) {
      evaluation_.models.push_back(judged(model));
      figures.push_back(evaluation_.models.back().tasks);
    }
    evaluation_.comparison = compareModels(figures, networks, wish_.ks, wish_.bootstrap);
    if (!wish_.groups.empty()) compareGroupsOf(figures, networks);
    return std::move(evaluation_);
  }

 private:
  bool isWanted(const std::string& definition) const {
    return wish_.networks.empty() ||
           std::ranges::any_of(wish_.networks, [&](const NetworkTasks& network) {
             return network.weights.contains(definition);
           });
  }

  /// The tested programs by task, and those tasks that can be judged.
  void chooseTasks() {
    std::map<std::size_t, std::vector<std::size_t>> byTask;
    for (const std::size_t i : wish_.programs) {
      const Outcome& outcome = data_.set.outcomes[i];
      if (outcome.machine != data_.set.outcomes[wish_.programs.front()].machine)
        throw InputError("models are judged on one target at a time: choose it with --target, or "
                         "split by target");
      if (isWanted(data_.tasks[outcome.task].definition)) byTask[outcome.task].push_back(i);
    }
    for (auto& [task, programs] : byTask) {
      const bool ran = std::ranges::any_of(
          programs, [&](std::size_t i) { return !data_.set.outcomes[i].failed(); });
      if (!ran) {
        ++evaluation_.allFailed;
        continue;
      }
      evaluation_.tasks.push_back(task);
      programs_.push_back(std::move(programs));
    }
    if (evaluation_.tasks.empty())
      throw InputError("there is nothing to judge models by: none of the programs that are tested "
                       "ran, or none is of a task of these networks");
  }

  std::vector<WeightedNetwork> weightNetworks() {
    std::vector<WeightedNetwork> networks;
    if (wish_.networks.empty()) {
      networks.push_back({"all tasks", std::vector<double>(evaluation_.tasks.size(), 1)});
      evaluation_.networks.push_back(
          {"all tasks", evaluation_.tasks.size(), evaluation_.tasks.size()});
    }
    for (const NetworkTasks& network : wish_.networks) {
      WeightedNetwork weighted{network.name, {}};
      TestedNetwork tested{network.name, network.weights.size(), 0};
      std::set<std::string> counted; // two tasks of one definition are the same work
      for (const std::size_t task : evaluation_.tasks) {
        const std::string& definition = data_.tasks[task].definition;
        const auto weight = network.weights.find(definition);
        const bool counts = weight != network.weights.end() && counted.insert(definition).second;
        weighted.weights.push_back(counts ? weight->second : 0);
        if (counts) ++tested.tested;
      }
      if (tested.tested == 0) continue; // it has no score
      networks.push_back(std::move(weighted));
      evaluation_.networks.push_back(std::move(tested));
    }
    return networks;
  }

  void compareGroupsOf(const std::vector<std::vector<TaskFigures>>& figures,
                       const std::vector<WeightedNetwork>& networks) {
    std::set<std::size_t> grouped;
    std::vector<ModelGroup>& groups = evaluation_.groups;
    for (const ModelGroup& group : wish_.groups) {
      grouped.insert(group.models.begin(), group.models.end());
      if (!group.models.empty()) groups.push_back(group);
    }
    for (std::size_t model = 0; model < figures.size(); ++model)
      if (!grouped.contains(model)) groups.push_back({evaluation_.models[model].name, {model}});
    std::ranges::stable_sort(groups, {},
                             [](const ModelGroup& group) { return group.models.front(); });
    std::vector<SeedGroup> places;
    for (const ModelGroup& group : groups)
      places.push_back(group.models);
    evaluation_.groupComparison =
        compareGroups(figures, places, networks, wish_.ks, wish_.bootstrap);
  }

  JudgedModel judged(const ModelScores& model) const {
    NW_ASSERT(model.scores.size() == data_.set.size(), "{} scores of {} programs",
              model.scores.size(), data_.set.size());
    JudgedModel result{model.name, {}, std::nullopt};
    if (model.learnedFrom) result.seen = 0;
    for (std::size_t t = 0; t < programs_.size(); ++t) {
      result.tasks.push_back(taskFigures(scoresOf(model, programs_[t]), wish_.ks));
      if (model.learnedFrom &&
          model.learnedFrom->contains(data_.tasks[evaluation_.tasks[t]].definition))
        ++*result.seen;
    }
    return result;
  }

  TaskScores scoresOf(const ModelScores& model, const std::vector<std::size_t>& programs) const {
    TaskScores scores;
    scores.bestSeconds = kInfinity;
    for (const std::size_t i : programs)
      scores.bestSeconds = std::min(scores.bestSeconds, data_.set.outcomes[i].seconds);
    for (const std::size_t i : programs) {
      const Outcome& outcome = data_.set.outcomes[i];
      scores.predictions.push_back(model.scores[i]);
      scores.labels.push_back(outcome.failed() ? 0 : scores.bestSeconds / outcome.seconds);
    }
    return scores;
  }

  const RecordedData& data_;
  const EvaluationWish& wish_;
  ModelEvaluation evaluation_;
  std::vector<std::vector<std::size_t>> programs_; // parallel to evaluation_.tasks
};

json toJson(const BoundedFigure& figure) {
  return {{"value", finiteOrNull(figure.value)},
          {"low", finiteOrNull(figure.bounds.low)},
          {"high", finiteOrNull(figure.bounds.high)}};
}

json toJson(const BoundedFigures& figures, const ModelEvaluation& evaluation) {
  json list = json::array();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const FigureId& id = evaluation.comparison.ids[i];
    json figure = toJson(figures[i]);
    figure["figure"] = name(id.figure);
    if (id.k > 0) figure["k"] = id.k;
    if (id.figure == Figure::Network) figure["network"] = evaluation.networks[id.network].name;
    list.push_back(std::move(figure));
  }
  return list;
}

json toJson(const TaskFigures& task, const std::vector<std::size_t>& ks) {
  json at = json::array();
  for (std::size_t k = 0; k < ks.size(); ++k)
    at.push_back({{"k", ks[k]},
                  {"recall", task.at[k].recall},
                  {"average_peak", task.at[k].averagePeak},
                  {"failed_picks", task.at[k].failedPicks},
                  {"picked_seconds", task.at[k].pickedSeconds}});
  return {{"rmse", task.rmse},
          {"r_squared", task.rSquared},
          {"mape", task.mape},
          {"pairwise_accuracy", task.pairwiseAccuracy},
          {"kendall_tau", task.rankCorrelation},
          {"at", std::move(at)}};
}

} // namespace

std::vector<ModelScores> yardsticks(const DataSet& set, std::uint64_t seed) {
  return {{name(Yardstick::Random), randomScores(set, seed), std::set<std::string>()},
          {name(Yardstick::Oracle), oracleScores(set), std::set<std::string>()}};
}

ModelEvaluation evaluateModels(const RecordedData& data, const EvaluationWish& wish,
                               const std::vector<ModelScores>& models) {
  return Evaluating(data, wish).run(models);
}

json toJson(const ModelEvaluation& evaluation, const RecordedData& data) {
  json networks = json::array(), tasks = json::array(), models = json::array(),
       differences = json::array(), groups = json::array(), groupDifferences = json::array();
  for (const TestedNetwork& network : evaluation.networks)
    networks.push_back(
        {{"name", network.name}, {"tasks", network.tasks}, {"tested", network.tested}});
  for (std::size_t t = 0; t < evaluation.tasks.size(); ++t) {
    const DataTask& task = data.tasks[evaluation.tasks[t]];
    json figures = json::object();
    for (const JudgedModel& model : evaluation.models)
      figures[model.name] = toJson(model.tasks[t], evaluation.ks);
    const TaskFigures& any = evaluation.models.front().tasks[t];
    tasks.push_back({{"key", task.key},
                     {"name", task.name},
                     {"programs", any.programs},
                     {"failed", any.failed},
                     {"best_seconds", any.bestSeconds},
                     {"models", std::move(figures)}});
  }
  for (std::size_t m = 0; m < evaluation.models.size(); ++m)
    models.push_back({{"name", evaluation.models[m].name},
                      {"tasks_learned_from",
                       evaluation.models[m].seen ? json(*evaluation.models[m].seen) : json()},
                      {"figures", toJson(evaluation.comparison.models[m], evaluation)}});
  for (const ModelComparison::Difference& difference : evaluation.comparison.differences)
    differences.push_back({{"a", evaluation.models[difference.a].name},
                           {"b", evaluation.models[difference.b].name},
                           {"figures", toJson(difference.figures, evaluation)}});
  for (std::size_t g = 0; g < evaluation.groups.size(); ++g) {
    json names = json::array();
    for (const std::size_t model : evaluation.groups[g].models)
      names.push_back(evaluation.models[model].name);
    groups.push_back({{"name", evaluation.groups[g].name},
                      {"models", std::move(names)},
                      {"figures", toJson(evaluation.groupComparison.models[g], evaluation)}});
  }
  for (const ModelComparison::Difference& difference : evaluation.groupComparison.differences)
    groupDifferences.push_back({{"a", evaluation.groups[difference.a].name},
                                {"b", evaluation.groups[difference.b].name},
                                {"figures", toJson(difference.figures, evaluation)}});
  return {{"ks", evaluation.ks},
          {"tasks_all_failed", evaluation.allFailed},
          {"networks", std::move(networks)},
          {"models", std::move(models)},
          {"differences", std::move(differences)},
          {"groups", std::move(groups)},
          {"group_differences", std::move(groupDifferences)},
          {"tasks", std::move(tasks)}};
}

std::string inWords(const FigureId& id, const ModelEvaluation& evaluation) {
  switch (id.figure) {
  case Figure::Rmse:
    return "RMSE";
  case Figure::RSquared:
    return "R²";
  case Figure::Mape:
    return "MAPE";
  case Figure::PairwiseAccuracy:
    return "pairwise accuracy";
  case Figure::RankCorrelation:
    return "Kendall's tau";
  case Figure::RecallAt:
    return fmt::format("recall of the top {}", id.k);
  case Figure::AveragePeakAt:
    return fmt::format("average peak at {}", id.k);
  case Figure::FailedPicksAt:
    return fmt::format("top {} that failed", id.k);
  case Figure::MeanOfNetworks:
    return fmt::format("top-{}, mean of networks", id.k);
  case Figure::RatioOfSums:
    return fmt::format("top-{}, ratio of sums", id.k);
  case Figure::Network:
    return fmt::format("top-{} of {}", id.k, evaluation.networks[id.network].name);
  }
  return {};
}

} // namespace nestwright
