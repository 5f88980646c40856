#include "core/model/evaluation.h"
#include "core/model/yardsticks.h"
#include "core/support/random.h"
#include "tests/model/synthetic.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <cmath>

namespace nestwright::model_evaluation_test {

using Values = std::vector<double>;
using nlohmann::json;

constexpr double kAgree = 1e-6;

bool close(double a, double b, double tolerance = 1e-12) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

json oracle() {
  QFile file(NESTWRIGHT_TEST_DATA "/learning-oracle.json");
  if (!file.open(QIODevice::ReadOnly)) return {};
  return json::parse(file.readAll().toStdString()).at("metrics");
}

TaskScores taskOf(const json& task) {
  return {task.at("best_seconds"), task.at("predictions").get<Values>(),
          task.at("labels").get<Values>()};
}

/// A task whose favourite is as fast as the best, and then one half as fast, and one that failed.
std::vector<TaskScores> threeTasks() {
  return {{1e-3, {0.9, 0.1, 0.2}, {1, 0.5, 0}},
          {2e-3, {0.9, 0.1, 0.2}, {0.5, 1, 0}},
          {3e-3, {0.9, 0.1, 0.2}, {0, 0.5, 1}}};
}

double valueOf(const ModelComparison& comparison, std::size_t model, const FigureId& id) {
  const auto found = std::ranges::find(comparison.ids, id);
  if (found == comparison.ids.end()) return std::nan("");
  return comparison.models[model][static_cast<std::size_t>(found - comparison.ids.begin())].value;
}

class ModelEvaluation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The public code's values for three tasks. Its pairwise accuracy depends on the order of the
  /// programs where there are ties; ours is its mean over an order and the reverse one.
  void tasksAgreeWithTheOracle() {
    const json tasks = oracle().at("tasks");
    QCOMPARE(tasks.size(), std::size_t{3});
    const std::vector<std::size_t> ks = {1, 5};
    for (const json& task : tasks) {
      const TaskScores scores = taskOf(task);
      const TaskFigures figures = taskFigures(scores, ks);
      const json& wanted = task.at("metrics");
      QVERIFY(close(figures.rmse, wanted.at("rmse"), kAgree));
      QVERIFY(close(figures.rSquared, wanted.at("r_squared"), kAgree));
      QVERIFY(close(figures.at[1].recall, wanted.at("recall_at_5"), kAgree));
      QVERIFY(close(figures.at[0].averagePeak, wanted.at("peak_at_1"), kAgree));
      QVERIFY(close(figures.at[1].averagePeak, wanted.at("average_peak_at_5"), kAgree));
      const auto inOrder = [](const Values& predictions, const Values& labels) {
        double agreeing = 0, pairs = 0;
        for (std::size_t i = 0; i < labels.size(); ++i)
          for (std::size_t j = i + 1; j < labels.size(); ++j, ++pairs)
            agreeing += (predictions[i] > predictions[j]) == (labels[i] > labels[j]);
        return agreeing / pairs;
      };
      const double forward = inOrder(scores.predictions, scores.labels);
      const double backward = inOrder({scores.predictions.rbegin(), scores.predictions.rend()},
                                      {scores.labels.rbegin(), scores.labels.rend()});
      QVERIFY(close(forward, wanted.at("pairwise"), kAgree));
      QVERIFY(close(figures.pairwiseAccuracy, (forward + backward) / 2));
    }
  }

  void networksAgreeWithTheOracleInBothAggregations() {
    const json metrics = oracle();
    const std::vector<std::size_t> ks = {1, 5};
    std::vector<TaskFigures> tasks;
    for (const json& task : metrics.at("tasks"))
      tasks.push_back(taskFigures(taskOf(task), ks));
    std::vector<WeightedNetwork> networks;
    for (const json& network : metrics.at("networks")) {
      WeightedNetwork weighted{network.at("name"), Values(tasks.size(), 0)};
      for (const json& weight : network.at("weights"))
        weighted.weights[weight.at(0)] = weight.at(1);
      networks.push_back(weighted);
    }
    const ModelComparison comparison = compareModels({tasks}, networks, ks, {.resamples = 0});
    for (const std::size_t k : ks) {
      const std::string key = fmt::format("{}", k);
      for (std::size_t n = 0; n < networks.size(); ++n)
        QVERIFY(close(valueOf(comparison, 0, {Figure::Network, k, n}),
                      metrics.at("networks")[n].at("top_" + key), kAgree));
      QVERIFY(close(valueOf(comparison, 0, {Figure::MeanOfNetworks, k}),
                    metrics.at("tenset_mean_of_networks").at(key), kAgree));
      QVERIFY(close(valueOf(comparison, 0, {Figure::RatioOfSums, k}),
                    metrics.at("tlp_ratio_of_sums").at(key), kAgree));
    }
    // The two differ, so that one cannot stand for the other.
    QVERIFY(!close(valueOf(comparison, 0, {Figure::MeanOfNetworks, 1}),
                   valueOf(comparison, 0, {Figure::RatioOfSums, 1}), 1e-3));
  }

  void failedPicksCountAndAreTold() {
    const std::vector<TaskScores> tasks = threeTasks();
    QVERIFY(close(pickedSeconds(1, tasks[0]), 1e-3));
    QVERIFY(close(pickedSeconds(1, tasks[1]), 4e-3));
    QVERIFY(close(pickedSeconds(1, tasks[2]), 3e-3 * 1e5));
    QVERIFY(close(pickedSeconds(2, tasks[2]), 3e-3));
    QVERIFY(close(failedPicks(1, tasks[0]), 0));
    QVERIFY(close(failedPicks(1, tasks[2]), 1));
    QVERIFY(close(failedPicks(2, tasks[1]), 0.5)); // {0, 2}, of which 2 failed
    QVERIFY(close(failedPicks(9, tasks[1]), 1.0 / 3));
    QVERIFY(close(mape(Values{2, 1, 7}, Values{1, 2, 0}), (1 + 0.5) / 2));
    QVERIFY(close(mape({}, {}), 0));
  }

  /// An unknown program ranks last, and its distance is that of a prediction of 0.
  void unknownProgramsRankLast() {
    const std::vector<std::size_t> ks = {1};
    const double unknown = -std::numeric_limits<double>::infinity();
    const TaskFigures figures = taskFigures({1e-3, {0.5, unknown}, {0.5, 1}}, ks);
    QVERIFY(close(figures.rmse, std::sqrt(0.5)));
    QVERIFY(close(figures.pairwiseAccuracy, 0));
    QVERIFY(close(figures.at[0].averagePeak, 0.5));
  }

  /// The interval of a mean is what the normal distribution says of so many values.
  void intervalsAreAsWideAsTheyShouldBe() {
    constexpr std::size_t kTasks = 200;
    const std::vector<std::size_t> ks = {1};
    Random random(7);
    std::vector<TaskFigures> tasks;
    double sum = 0, squares = 0;
    for (std::size_t t = 0; t < kTasks; ++t) {
      TaskFigures figures = taskFigures({1e-3, {0.1, 0.2}, {0.5, 1}}, ks);
      figures.rankCorrelation = random.unit();
      sum += figures.rankCorrelation;
      squares += figures.rankCorrelation * figures.rankCorrelation;
      tasks.push_back(figures);
    }
    const double mean = sum / kTasks;
    const double error = std::sqrt((squares / kTasks - mean * mean) / kTasks);
    const ModelComparison comparison =
        compareModels({tasks}, {}, ks, {.resamples = 10000, .seed = 1});
    const BoundedFigure& figure = comparison.models[0][4]; // Figure::RankCorrelation
    QVERIFY(comparison.ids[4].figure == Figure::RankCorrelation);
    QVERIFY(close(figure.value, mean));
    QVERIFY(std::abs(figure.bounds.low - (mean - 1.96 * error)) < 0.1 * error);
    QVERIFY(std::abs(figure.bounds.high - (mean + 1.96 * error)) < 0.1 * error);
    // The same seed, the same interval; another seed, another.
    const auto again = [&](std::uint64_t seed) {
      return compareModels({tasks}, {}, ks, {.resamples = 1000, .seed = seed}).models[0][4].bounds;
    };
    QVERIFY(again(5) == again(5));
    QVERIFY(!(again(5) == again(6)));
  }

  /// Models are compared on the same draws: where one is better by the same in each task, there is
  /// no doubt about it, however much the tasks differ.
  void differencesArePaired() {
    const std::vector<std::size_t> ks = {1};
    Random random(3);
    std::vector<TaskFigures> better, worse;
    for (int t = 0; t < 50; ++t) {
      TaskFigures figures = taskFigures({1e-3, {0.1, 0.2}, {0.5, 1}}, ks);
      figures.rankCorrelation = random.unit();
      worse.push_back(figures);
      figures.rankCorrelation += 0.125;
      better.push_back(figures);
    }
    const ModelComparison comparison =
        compareModels({better, worse, worse}, {}, ks, {.resamples = 500});
    QCOMPARE(comparison.differences.size(), std::size_t{3});
    const BoundedFigure& gain = comparison.differences[0].figures[4];
    QVERIFY(close(gain.value, 0.125) && close(gain.bounds.low, 0.125, 1e-9) &&
            close(gain.bounds.high, 0.125, 1e-9));
    const BoundedFigure& none = comparison.differences[2].figures[4]; // of equal models
    QCOMPARE(none.value, 0.0);
    QVERIFY(none.bounds == Bounds95());
    const Bounds95& alone = comparison.models[0][4].bounds;
    QVERIFY(alone.high - alone.low > 0.05);
  }

  /// A group has the mean of its models' figures. Where all tasks are alike, only the seeds make
  /// its interval, and groups that differ by the same in each seed differ without doubt.
  void groupsHaveIntervalsOverSeeds() {
    const std::vector<std::size_t> ks = {1};
    const auto model = [&](double correlation) {
      TaskFigures figures = taskFigures({1e-3, {0.1, 0.2}, {0.5, 1}}, ks);
      figures.rankCorrelation = correlation;
      return std::vector<TaskFigures>(20, figures);
    };
    const std::vector<std::vector<TaskFigures>> models = {model(0.25), model(0.75), model(0.125),
                                                          model(0.625)};
    const BootstrapOptions options{.resamples = 500, .seed = 1};
    const std::vector<SeedGroup> groups = {{0, 1}, {2, 3}, {0}};
    const ModelComparison comparison = compareGroups(models, groups, {}, ks, options);
    QCOMPARE(comparison.models.size(), std::size_t{3});
    const BoundedFigure& group = comparison.models[0][4]; // Figure::RankCorrelation
    QVERIFY(close(group.value, 0.5));
    QVERIFY(close(group.bounds.low, 0.25) && close(group.bounds.high, 0.75));
    const BoundedFigure& alone = comparison.models[2][4];
    QVERIFY(close(alone.value, 0.25) && close(alone.bounds.low, 0.25) &&
            close(alone.bounds.high, 0.25));
    const BoundedFigure& difference = comparison.differences[0].figures[4];
    QVERIFY(close(difference.value, 0.125) && close(difference.bounds.low, 0.125) &&
            close(difference.bounds.high, 0.125));
    const ModelComparison single = compareModels({models[0]}, {}, ks, options);
    QVERIFY(single.models[0][4].bounds == alone.bounds);
  }

  /// One task says nothing of how others would be.
  void aSingleTaskHasNoInterval() {
    const std::vector<std::size_t> ks = {1};
    const ModelComparison comparison =
        compareModels({{taskFigures(threeTasks()[1], ks)}}, {}, ks, {.resamples = 100});
    QVERIFY(std::isnan(comparison.models[0][0].bounds.low));
    QVERIFY(std::isnan(comparison.models[0][0].bounds.high));
  }

  /// A network without a task in a resample leaves the mean; it is not taken for a perfect one.
  void networksWithoutTasksAreLeftOut() {
    const std::vector<std::size_t> ks = {1};
    std::vector<TaskFigures> tasks;
    for (const TaskScores& task : threeTasks())
      tasks.push_back(taskFigures(task, ks));
    const std::vector<WeightedNetwork> networks = {{"a", {1, 0, 0}}, {"b", {0, 1, 0}}};
    const std::vector<FigureId> ids = figureIds(ks, networks.size());
    const Values values = pooledFigures(tasks, networks, ks, Values{0, 3, 0});
    const auto at = [&](const FigureId& id) {
      return values[static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin())];
    };
    QCOMPARE(values.size(), ids.size());
    QVERIFY(close(at({Figure::MeanOfNetworks, 1}), 0.5));
    QVERIFY(close(at({Figure::RatioOfSums, 1}), 0.5));
    QVERIFY(std::isnan(at({Figure::Network, 1, 0})));
    QVERIFY(close(at({Figure::Network, 1, 1}), 0.5));
  }

  void yardsticksKnowAllOrNothing() {
    const DataSet set = test::synthetic({.programs = 2000, .tasks = 1, .failures = 0.1});
    const Values labels = oracleScores(set);
    QVERIFY(close(rmse(labels, labels), 0));
    QVERIFY(close(pairwiseAccuracy(oracleScores(set), labels), 1));
    const Values random = randomScores(set, 1);
    QVERIFY(std::abs(pairwiseAccuracy(random, labels) - 0.5) < 0.05);
    QVERIFY(randomScores(set, 2) != random);
    // A program's score is its own, wherever it stands.
    const std::size_t chosen[] = {700, 3};
    QCOMPARE(randomScores(select(set, chosen), 1), (Values{random[700], random[3]}));
  }
};

NW_TEST_APPLESS(ModelEvaluation)

} // namespace nestwright::model_evaluation_test

#include "model_evaluation.moc"
