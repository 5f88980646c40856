#pragma once
/// \file Figures of models over many tasks and networks, with intervals, and compared with one
/// another on the same tasks (handbook/cost-models.md 1.1).

#include "core/model/bootstrap.h"
#include "core/model/metrics.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

enum class Figure : std::uint8_t {
  Rmse,
  RSquared,
  Mape,
  PairwiseAccuracy,
  RankCorrelation,
  RecallAt,       // this and the next have a k
  AveragePeakAt,  //
  FailedPicksAt,  // share of the k favourites that failed
  MeanOfNetworks, // top-k score, arithmetic mean over the networks: TenSet's aggregation
  RatioOfSums,    // top-k score, all best times by all times picked: TLP's
  Network         // top-k score of one network
};
/// "rmse", "r_squared", "top_k_mean_of_networks".
const char* name(Figure figure);

/// One figure of a list.
struct FigureId {
  Figure figure = Figure::Rmse;
  std::size_t k = 0;       // of those that have one
  std::size_t network = 0; // index, of Figure::Network
  friend bool operator==(const FigureId&, const FigureId&) = default;
};

/// What figures of many tasks are made of: those of one.
struct TaskFigures {
  std::size_t programs = 0, failed = 0;
  double bestSeconds = 0;
  double rmse = 0, rSquared = 0, mape = 0, pairwiseAccuracy = 0, rankCorrelation = 0;
  struct AtK {
    double recall = 0, averagePeak = 0, failedPicks = 0;
    double pickedSeconds = 0;
  };
  std::vector<AtK> at; // one a k
};

/// Of a task with at least one program that ran. A program of which nothing is known
/// (kUnknownProgram) ranks last, and counts as predicted 0 where the distance matters.
TaskFigures taskFigures(const TaskScores& task, std::span<const std::size_t> ks);

/// A network of the tasks at hand.
struct WeightedNetwork {
  std::string name;
  std::vector<double> weights; // one a task: how often it appears; 0: not at all
};

/// The figures of several networks, in this order: those without k, those with one (k after k), the
/// networks' own.
std::vector<FigureId> figureIds(std::span<const std::size_t> ks, std::size_t networks);

/// All of figureIds(), in their order, where task t counts `counts[t]` times. RMSE is that of all
/// programs; R2 is weighted by the number of programs, as in the reference; all others without a
/// network are means over the tasks. A network none of whose tasks count is left out of the mean,
/// and its own score is not a number.
std::vector<double> pooledFigures(std::span<const TaskFigures> tasks,
                                  std::span<const WeightedNetwork> networks,
                                  std::span<const std::size_t> ks, std::span<const double> counts);

/// A figure with the interval that it has by the bootstrap over tasks, and over the seeds of a
/// group; of a single task there is none, and the bounds are not a number.
struct BoundedFigure {
  double value = 0;
  Bounds95 bounds;
};

/// Parallel to figureIds().
using BoundedFigures = std::vector<BoundedFigure>;

/// Figures of some models, or of groups of them, on the same tasks.
struct ModelComparison {
  std::vector<FigureId> ids;
  std::vector<BoundedFigures> models; // or groups, in the order given
  /// Figures of model `a` less those of model `b`, on the same resamples; every pair with a < b.
  struct Difference {
    std::size_t a = 0, b = 0;
    BoundedFigures figures;
  };
  std::vector<Difference> differences;
};

/// `models`: of each model the figures of all tasks, in one order. Takes seconds for a hundred
/// tasks and 10,000 resamples.
ModelComparison compareModels(const std::vector<std::vector<TaskFigures>>& models,
                              std::span<const WeightedNetwork> networks,
                              std::span<const std::size_t> ks, const BootstrapOptions& options);

/// Places of models that are one but for their seeds.
using SeedGroup = std::vector<std::size_t>;

/// The same of groups of these models, none of which is empty: a group's figure is the mean of its
/// models' figures, and each resample draws models of a group with replacement, too.
ModelComparison compareGroups(const std::vector<std::vector<TaskFigures>>& models,
                              std::span<const SeedGroup> groups,
                              std::span<const WeightedNetwork> networks,
                              std::span<const std::size_t> ks, const BootstrapOptions& options);

} // namespace nestwright
