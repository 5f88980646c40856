#pragma once
/// \file Cost models judged on the programs of a data set, beside one that knows nothing and one
/// that knows all.

#include "core/dataset/data_parts.h"
#include "core/dataset/network_tasks.h"
#include "core/dataset/recorded_data.h"
#include "core/dataset/yardstick.h"
#include "core/model/evaluation.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// What a model says of the programs.
struct ModelScores {
  std::string name;
  std::vector<double> scores; // one a program of the set
  /// Definitions of the tasks that it learned from; nothing where that is not known.
  std::optional<std::set<std::string>> learnedFrom = std::nullopt;
};

/// The yardsticks for the set, which learned from nothing.
std::vector<ModelScores> yardsticks(const DataSet& set, std::uint64_t seed);

/// Models that are one but for their seeds, and are judged as one, too.
struct ModelGroup {
  std::string name;
  SeedGroup models; // places of them, in the order in which they are given
};

struct EvaluationWish {
  std::vector<std::size_t> programs; // of the set, ascending: what is tested on
  /// Whose tasks are tested, and by which weights; empty: every task, once.
  std::vector<NetworkTasks> networks;
  std::vector<std::size_t> ks = {1, 5, 10, 20};
  BootstrapOptions bootstrap;
  std::vector<ModelGroup> groups; // of the models that are judged; empty: none
};

/// A network's tasks that were tested.
struct TestedNetwork {
  std::string name;
  std::size_t tasks = 0, tested = 0; // that it has, and of them with programs that ran
};

struct JudgedModel {
  std::string name;
  std::vector<TaskFigures> tasks; // parallel to ModelEvaluation::tasks
  /// Of the tested tasks, how many it learned from; nothing where that is not known.
  std::optional<std::size_t> seen;
};

struct ModelEvaluation {
  std::vector<std::size_t> ks;
  std::vector<std::size_t> tasks;      // indices into RecordedData::tasks
  std::size_t allFailed = 0;           // tasks that were left out: none of their programs ran
  std::vector<TestedNetwork> networks; // parallel to Figure::Network's index
  std::vector<JudgedModel> models;     // as they were given
  ModelComparison comparison;
  /// Those that were asked for, and every other model as one by itself, in the order of their
  /// first models; empty where none were asked for.
  std::vector<ModelGroup> groups;
  ModelComparison groupComparison; // parallel to them
};

/// Throws InputError where the programs are of several targets, or none is of a task of the
/// networks. A model is in one group at most.
ModelEvaluation evaluateModels(const RecordedData& data, const EvaluationWish& wish,
                               const std::vector<ModelScores>& models);

/// All of it: models and groups with figures and intervals, networks, tasks, differences.
nlohmann::json toJson(const ModelEvaluation& evaluation, const RecordedData& data);

/// "top-5, mean of networks": a figure for people.
std::string inWords(const FigureId& id, const ModelEvaluation& evaluation);

} // namespace nestwright
