#include "core/model/evaluation.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

#include <cmath>
#include <limits>

namespace nestwright {
namespace {

constexpr NameTable<Figure, 11> kNames{{"rmse", "r_squared", "mape", "pairwise_accuracy",
                                        "kendall_tau", "recall_at_k", "average_peak_at_k",
                                        "failed_picks_at_k", "top_k_mean_of_networks",
                                        "top_k_ratio_of_sums", "top_k_of_network"}};

/// A mean in which some count more than others.
class WeightedMean {
 public:
  void add(double weight, double value) {
    weight_ += weight;
    sum_ += weight * value;
  }
  /// Not a number where nothing counts.
  double value() const { return sum_ / weight_; }

 private:
  double weight_ = 0, sum_ = 0;
};

/// Best times of networks, and those that a model picked, for one k.
class NetworkScores {
 public:
  NetworkScores(std::span<const TaskFigures> tasks, std::span<const WeightedNetwork> networks,
                std::size_t k, std::span<const double> counts) {
    double allBest = 0, allPicked = 0, sum = 0;
    std::size_t counted = 0;
    for (const WeightedNetwork& network : networks) {
      double best = 0, picked = 0;
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        const double weight = network.weights[t] * counts[t];
        best += weight * tasks[t].bestSeconds;
        picked += weight * tasks[t].at[k].pickedSeconds;
      }
      single.push_back(best / picked);
      if (!(picked > 0)) continue;
      allBest += best;
      allPicked += picked;
      sum += best / picked;
      ++counted;
    }
    meanOfNetworks = sum / static_cast<double>(counted);
    ratioOfSums = allBest / allPicked;
  }

  double meanOfNetworks = 0, ratioOfSums = 0;
  std::vector<double> single; // not a number where no task counts
};

BoundedFigures bounded(const std::vector<double>& values,
                       const std::vector<std::vector<double>>& resampled) {
  BoundedFigures figures;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> known; // without those of networks none of whose tasks was drawn
    known.reserve(resampled.size());
    for (const std::vector<double>& resample : resampled)
      if (std::isfinite(resample[i])) known.push_back(resample[i]);
    figures.push_back({values[i], bounds95(std::move(known))});
  }
  return figures;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result.push_back(a[i] - b[i]);
  return result;
}

} // namespace

const char* name(Figure figure) {
  return kNames.of(figure);
}

TaskFigures taskFigures(const TaskScores& task, std::span<const std::size_t> ks) {
  NW_ASSERT(std::isfinite(task.bestSeconds), "a task none of whose programs ran has no figures");
  std::vector<double> distances = task.predictions;
  for (double& prediction : distances)
    if (!std::isfinite(prediction)) prediction = 0;
  TaskFigures figures;
  figures.programs = task.labels.size();
  for (const double label : task.labels)
    if (label <= 0) ++figures.failed;
  figures.bestSeconds = task.bestSeconds;
  figures.rmse = rmse(distances, task.labels);
  figures.rSquared = rSquared(distances, task.labels);
  figures.mape = mape(distances, task.labels);
  figures.pairwiseAccuracy = pairwiseAccuracy(task.predictions, task.labels);
  figures.rankCorrelation = rankCorrelation(task.predictions, task.labels);
  for (const std::size_t k : ks)
    figures.at.push_back({recallAt(k, task.predictions, task.labels),
                          averagePeakAt(k, task.predictions, task.labels), failedPicks(k, task),
                          pickedSeconds(k, task)});
  return figures;
}

std::vector<FigureId> figureIds(std::span<const std::size_t> ks, std::size_t networks) {
  std::vector<FigureId> ids;
  for (const Figure figure : {Figure::Rmse, Figure::RSquared, Figure::Mape,
                              Figure::PairwiseAccuracy, Figure::RankCorrelation})
    ids.push_back({figure});
  for (const std::size_t k : ks)
    for (const Figure figure : {Figure::RecallAt, Figure::AveragePeakAt, Figure::FailedPicksAt,
                                Figure::MeanOfNetworks, Figure::RatioOfSums})
      ids.push_back({figure, k});
  for (const std::size_t k : ks)
    for (std::size_t network = 0; network < networks; ++network)
      ids.push_back({Figure::Network, k, network});
  return ids;
}

std::vector<double> pooledFigures(std::span<const TaskFigures> tasks,
                                  std::span<const WeightedNetwork> networks,
                                  std::span<const std::size_t> ks, std::span<const double> counts) {
  WeightedMean squares, determination, error, accuracy, correlation;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const double count = counts[t], programs = count * static_cast<double>(tasks[t].programs);
    squares.add(programs, tasks[t].rmse * tasks[t].rmse);
    determination.add(programs, tasks[t].rSquared);
    error.add(count, tasks[t].mape);
    accuracy.add(count, tasks[t].pairwiseAccuracy);
    correlation.add(count, tasks[t].rankCorrelation);
  }
  std::vector<double> values = {std::sqrt(squares.value()), determination.value(), error.value(),
                                accuracy.value(), correlation.value()};
  std::vector<double> ofNetworks;
  for (std::size_t k = 0; k < ks.size(); ++k) {
    WeightedMean recall, peak, failed;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      recall.add(counts[t], tasks[t].at[k].recall);
      peak.add(counts[t], tasks[t].at[k].averagePeak);
      failed.add(counts[t], tasks[t].at[k].failedPicks);
    }
    const NetworkScores scores(tasks, networks, k, counts);
    for (const double value :
         {recall.value(), peak.value(), failed.value(), scores.meanOfNetworks, scores.ratioOfSums})
      values.push_back(value);
    ofNetworks.insert(ofNetworks.end(), scores.single.begin(), scores.single.end());
  }
  values.insert(values.end(), ofNetworks.begin(), ofNetworks.end());
  return values;
}

ModelComparison compareModels(const std::vector<std::vector<TaskFigures>>& models,
                              std::span<const WeightedNetwork> networks,
                              std::span<const std::size_t> ks, const BootstrapOptions& options) {
  std::vector<SeedGroup> alone;
  for (std::size_t model = 0; model < models.size(); ++model)
    alone.push_back({model});
  return compareGroups(models, alone, networks, ks, options);
}

ModelComparison compareGroups(const std::vector<std::vector<TaskFigures>>& models,
                              std::span<const SeedGroup> groups,
                              std::span<const WeightedNetwork> networks,
                              std::span<const std::size_t> ks, const BootstrapOptions& options) {
  ModelComparison comparison;
  comparison.ids = figureIds(ks, networks.size());
  if (groups.empty()) return comparison;
  const std::size_t tasks = models.front().size();
  const auto figuresOf = [&](const SeedGroup& group, std::span<const double> drawn,
                             std::span<const double> counts) {
    std::vector<WeightedMean> means(comparison.ids.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (drawn[i] == 0) continue;
      const std::vector<double> figures = pooledFigures(models[group[i]], networks, ks, counts);
      for (std::size_t figure = 0; figure < figures.size(); ++figure)
        means[figure].add(drawn[i], figures[figure]);
    }
    std::vector<double> values;
    for (const WeightedMean& mean : means)
      values.push_back(mean.value());
    return values;
  };
  const std::vector<double> once(tasks, 1);
  std::vector<std::vector<double>> values;
  for (const SeedGroup& group : groups)
    values.push_back(figuresOf(group, std::vector<double>(group.size(), 1), once));
  std::vector<std::vector<std::vector<double>>> resampled(groups.size()); // group, resample, figure
  std::size_t resample = 0;
  if (tasks > 1)
    forEachResample(tasks, options, [&](std::span<const double> counts) {
      for (std::size_t g = 0; g < groups.size(); ++g)
        resampled[g].push_back(
            figuresOf(groups[g], drawnSeeds(groups[g].size(), options, resample), counts));
      ++resample;
    });
  for (std::size_t g = 0; g < groups.size(); ++g)
    comparison.models.push_back(bounded(values[g], resampled[g]));
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = a + 1; b < groups.size(); ++b) {
      std::vector<std::vector<double>> differences;
      for (std::size_t i = 0; i < resampled[a].size(); ++i)
        differences.push_back(difference(resampled[a][i], resampled[b][i]));
      comparison.differences.push_back(
          {a, b, bounded(difference(values[a], values[b]), differences)});
    }
  return comparison;
}

} // namespace nestwright
