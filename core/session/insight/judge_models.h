#pragma once
/// \file Cost models that a person names, judged on a choice of data.

#include "core/dataset/evaluate_models.h"
#include "core/dataset/model_file.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct JudgeWish {
  DataChoice choice;
  std::vector<std::string> models; // as trainedModel() takes them
  /// By whose tasks and weights they are scored; empty: those that the choice holds out or takes,
  /// or else those that the files' sessions tune.
  std::vector<std::string> networks;
  std::vector<std::size_t> ks = {1, 5, 10, 20};
  BootstrapOptions bootstrap;
  /// Some of `models` that are one but for their seeds, by their places there.
  std::vector<ModelGroup> groups;
  /// Files that differ by their seeds alone are such groups, too; for a wish without `groups`.
  bool groupBySeeds = false;
  unsigned threads = 0; // that compute features; 0: all cores
  /// A model that cannot be asked is named in Judgement::refused, and the others are judged; else
  /// it throws.
  bool passOver = false;
};

struct RefusedModel {
  std::string name, why;
};

/// What of the steps of the data a model does not know or see, a sentence.
struct UnseenSteps {
  std::string name, what;
};

struct Judgement {
  /// Without rows of features.
  RecordedData data;
  std::vector<std::size_t> programs; // of the set: the test part, or all where there is none
  /// The models that were asked for, in their order, then "random" and "oracle"; 0 for programs
  /// that were not tested.
  std::vector<ModelScores> scores;
  /// Parallel to them: what the model's file says of its training, as TrainedModel::file.
  std::vector<std::optional<ModelFile>> files;
  ModelEvaluation evaluation; // of the same models in the same order
  std::vector<RefusedModel> refused;
  std::vector<UnseenSteps> unseen; // of models that were judged, those that have any
};

/// What is told while it takes its time, on its thread. Each may be empty.
struct JudgeObserver {
  std::function<void(const std::string&)> doing; // "asking a.nwm"
  std::function<void()> check;                   // what it throws ends it
};

/// Models that read the same features share a reading of the data. Throws what openFiles(),
/// readData(), trainedModel() and evaluateModels() throw.
Judgement judgeModels(const JudgeWish& wish, const JudgeObserver& observer = {});

} // namespace nestwright
