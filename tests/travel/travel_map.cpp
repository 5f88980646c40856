#include "core/travel/travel_map.h"

#include "core/model/metrics.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/random.h"
#include "tests/dataset/recorded.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>

namespace nestwright::travel_map_test {

using test::product;
using test::RecordedFile;
using test::tiled;

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
constexpr double kFailed = kInfinity;

/// A task on so many targets, with these times of each program.
TaskTimes timesOf(std::size_t targets, const std::vector<std::vector<double>>& programs) {
  TaskTimes task;
  task.task.name = "task";
  task.best.assign(targets, kInfinity);
  for (std::size_t target = 0; target < targets; ++target)
    task.targets.push_back(target);
  for (const std::vector<double>& seconds : programs) {
    task.programs.push_back(fmt::format("program {:03}", task.programs.size()));
    for (std::size_t target = 0; target < targets; ++target) {
      task.seconds.push_back(seconds[target]);
      if (seconds[target] < task.best[target]) task.best[target] = seconds[target];
    }
  }
  return task;
}

std::vector<DataTarget> targetsNamed(const std::vector<std::string>& ids) {
  std::vector<DataTarget> targets;
  for (const std::string& id : ids)
    targets.push_back({id, id, {}, 0});
  return targets;
}

/// The least programs of the task that are together good on all targets on which any ran.
std::size_t leastCover(const TaskTimes& task, double within) {
  for (std::size_t size = 0;; ++size)
    for (std::uint32_t chosen = 0; chosen < (1U << task.programs.size()); ++chosen) {
      if (static_cast<std::size_t>(std::popcount(chosen)) != size) continue;
      bool all = true;
      for (std::size_t target = 0; target < task.targets.size(); ++target) {
        bool covered = !std::isfinite(task.best[target]);
        for (std::size_t program = 0; program < task.programs.size(); ++program)
          covered |= (chosen >> program & 1U) != 0 &&
                     isGood(task.of(program)[target], task.best[target], within);
        all &= covered;
      }
      if (all) return size;
    }
}

class TravelMapTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Of 4 programs that ran on both, 5 of 6 pairs are ordered alike: tau = (5 - 1) / 6. One failed
  /// on one target, one on both, and one was not measured on the second.
  void aPairOfTargets() {
    const TaskTimes task = timesOf(
        2,
        {{1, 10}, {2, 30}, {3, 20}, {4, 40}, {5, kFailed}, {kFailed, kFailed}, {6, kNotMeasured}});
    const std::vector<TargetPair> pairs = targetPairs(task);
    QCOMPARE(pairs.size(), std::size_t{1});
    QCOMPARE(pairs[0].shared, std::size_t{4});
    QCOMPARE(pairs[0].failedOnOne, std::size_t{1});
    QVERIFY(std::abs(pairs[0].rankCorrelation.value() - 4.0 / 6) < 1e-12);
  }

  /// A tie on one side: tau-b = 2 / sqrt(3 * 2). A constant side and a single program have none.
  void tiesAndFewPrograms() {
    const TaskTimes tied = timesOf(2, {{1, 1}, {2, 2}, {3, 2}});
    QVERIFY(std::abs(*targetPairs(tied)[0].rankCorrelation - 2 / std::sqrt(6.0)) < 1e-12);
    QVERIFY(!targetPairs(timesOf(2, {{1, 2}, {2, 2}}))[0].rankCorrelation);
    QVERIFY(!targetPairs(timesOf(2, {{1, 2}, {2, kFailed}}))[0].rankCorrelation);
    QVERIFY(!targetPairs(timesOf(2, {}))[0].rankCorrelation);
  }

  /// The mean over the tasks with enough shared programs; its interval lies between theirs.
  void pairsOverTasks() {
    std::vector<std::vector<TargetPair>> tasks;
    tasks.push_back({{0, 1, 20, 1, 0.5}});
    tasks.push_back({{0, 1, 12, 0, 0.9}});
    tasks.push_back({{0, 1, 3, 2, -1.0}});
    tasks.push_back({{0, 2, 30, 0, 0.25}});
    const std::vector<PooledPair> pooled = pooledPairs(3, tasks, 10, {1000, 0});
    QCOMPARE(pooled.size(), std::size_t{3}); // 0 and 1, 0 and 2, 1 and 2
    QCOMPARE(pooled[0].tasks, std::size_t{2});
    QCOMPARE(pooled[0].tooFew, std::size_t{1});
    QCOMPARE(pooled[0].shared, std::size_t{32});
    QCOMPARE(pooled[0].failedOnOne, std::size_t{3});
    QCOMPARE(pooled[0].rankCorrelation.value, 0.7);
    // Both tasks are the same one in half of the resamples: the bounds are those of one alone.
    QCOMPARE(pooled[0].rankCorrelation.bounds.low, 0.5);
    QCOMPARE(pooled[0].rankCorrelation.bounds.high, 0.9);
    QCOMPARE(pooled[1].rankCorrelation.value, 0.25);
    QVERIFY(std::isnan(pooled[1].rankCorrelation.bounds.low)); // of a single task
    QCOMPARE(pooled[2].tasks, std::size_t{0});
    QVERIFY(std::isnan(pooled[2].rankCorrelation.value));
  }

  void howFarAProgramTravels() {
    const TaskTimes task = timesOf(3, {{100, 100, 100},
                                       {104, 105, 90},
                                       {104, 105, 80},
                                       {106, 100, 200},
                                       {106, 106, 106},
                                       {100, 100, kFailed},
                                       {100, 100, kNotMeasured},
                                       {100, 200, kNotMeasured},
                                       {200, 200, kNotMeasured}});
    const std::vector<Travel> expected = {
        Travel::Several, // 100 is 25 % above the best on the third
        Travel::Several, // so is 90
        Travel::Everywhere, Travel::OneTarget, Travel::Nowhere,
        Travel::Several, // a program that fails somewhere is never good everywhere
        Travel::Unknown, // it may be good everywhere
        Travel::Unknown, // on one target or two
        Travel::Unknown};
    const TaskTravels travels = travelsOf(task, 0.05);
    QCOMPARE(travels.programs, expected);
    QCOMPARE(travels.counts, (std::array<std::size_t, kTravels>{1, 3, 1, 1, 3}));
    // On a target where nothing ran nothing is good, and a failure is none.
    QCOMPARE(travelOf(timesOf(2, {{1, kFailed}}), 0, 0.05), Travel::OneTarget);
  }

  /// Greedy takes A (targets 0 and 1), then B for the last; C covers nothing new.
  void aPortfolio() {
    const TaskTimes task = timesOf(3, {{1.00, 1.04, 9}, {1.03, 9, kFailed}, {2, 3, 1}});
    const Portfolio portfolio = portfolioOf(task, 0.05);
    QCOMPARE(portfolio.programs.size(), std::size_t{2});
    QCOMPARE(portfolio.programs[0].program, std::size_t{0});
    QCOMPARE(portfolio.programs[0].covers, (std::vector<std::size_t>{0, 1}));
    QCOMPARE(portfolio.programs[1].program, std::size_t{2});
    QVERIFY(portfolio.coversAll());
    const std::vector<DataTarget> targets = targetsNamed({"A", "B", "C"});
    QCOMPARE(reasonText(portfolio.programs[0], task, targets, 0.05),
             std::string("within 5 % of the best on A and B"));
    QCOMPARE(reasonText(portfolio.programs[1], task, targets, 0.05),
             std::string("within 5 % of the best on C"));
    const Portfolio one = portfolioOf(task, 0.05, 1);
    QVERIFY(!one.coversAll());
    QCOMPARE(one.targets[2].slowdown, 9.0);
    // Where no program ran there is nothing to cover.
    QVERIFY(portfolioOf(timesOf(2, {{1, kFailed}}), 0.05).coversAll());
    QCOMPARE(portfolioOf(timesOf(2, {{kFailed, kFailed}}), 0.05).programs.size(), std::size_t{0});
  }

  /// Of programs that cover as much, the faster one; of equal ones the first.
  void equalProgramsOfAPortfolio() {
    QCOMPARE(
        portfolioOf(timesOf(2, {{1.04, 1.04}, {1.01, 1}, {1, 1.04}}), 0.05).programs[0].program,
        std::size_t{1});
    QCOMPARE(portfolioOf(timesOf(2, {{1, 1}, {1, 1}}), 0.05).programs[0].program, std::size_t{0});
  }

  /// Against all subsets of random programs: it covers what can be covered, with few enough
  /// programs, and each says truly what it covers.
  void portfoliosCover() {
    Random random = Random::stream(20261125, "portfolios", 0);
    for (int round = 0; round < 300; ++round) {
      const std::size_t targets = 2 + random.below(4);
      std::vector<std::vector<double>> programs(1 + random.below(9));
      for (std::vector<double>& seconds : programs)
        for (std::size_t target = 0; target < targets; ++target) {
          const auto kind = random.below(10);
          seconds.push_back(kind == 0   ? kFailed
                            : kind == 1 ? kNotMeasured
                                        : 1.0 + 0.02 * double(random.below(8)));
        }
      const TaskTimes task = timesOf(targets, programs);
      const Portfolio portfolio = portfolioOf(task, 0.03);
      QVERIFY(portfolio.coversAll());
      double harmonic = 0;
      for (std::size_t n = 1; n <= targets; ++n)
        harmonic += 1.0 / double(n);
      QVERIFY(double(portfolio.programs.size()) <= harmonic * double(leastCover(task, 0.03)));
      std::vector<int> covered(targets, 0);
      for (const PortfolioProgram& chosen : portfolio.programs) {
        QVERIFY(!chosen.covers.empty());
        for (const std::size_t target : chosen.covers) {
          QVERIFY(isGood(task.of(chosen.program)[target], task.best[target], 0.03));
          ++covered[target];
        }
      }
      for (std::size_t target = 0; target < targets; ++target)
        QCOMPARE(covered[target], std::isfinite(task.best[target]) ? 1 : 0);
      // A smaller one is the beginning of a larger one.
      const Portfolio first = portfolioOf(task, 0.03, 1);
      QVERIFY(portfolio.programs.empty() ||
              first.programs[0].program == portfolio.programs[0].program);
    }
  }

  /// Two files, in whichever order, give one map; a task of one target is left out and counted.
  void filesInAnyOrder() {
    const samples::Folder folder;
    const ComputeDag small = product(128), large = product(512);
    {
      RecordedFile a(folder.file("a.nwdb")), b(folder.file("b.nwdb"));
      a.addMany(a.task(small, a.target("old")), small, 30, 1e-3);
      b.addMany(b.task(small, b.target("new")), small, 25, 5e-4);
      const RowId again = b.task(small, b.target("old"));
      b.add(again, small, tiled(128, 3), {9e-3}); // a second time
      b.addMany(b.task(large, b.target("new")), large, 20);
    }
    TravelChoice choice;
    choice.settings.bootstrap.resamples = 100;
    std::vector<nlohmann::json> maps;
    for (const std::vector<std::string>& files :
         {std::vector{folder.file("a.nwdb"), folder.file("b.nwdb")},
          std::vector{folder.file("b.nwdb"), folder.file("a.nwdb")}}) {
      choice.data.files = files;
      const TravelTimes times = readTravelTimes(openFiles(choice.data), choice);
      QCOMPARE(travelProblem(times, "a.nwdb"), std::string());
      maps.push_back(toJson(travelMap(times, choice.settings), times));
    }
    QCOMPARE(maps[0].dump(), maps[1].dump());
    const nlohmann::json& map = maps[0];
    QCOMPARE(map["targets"].size(), std::size_t{2});
    QCOMPARE(map["tasks_on_one_target"].get<int>(), 1);
    QCOMPARE(map["tasks"].size(), std::size_t{1});
    // 25 on both, of which programs 9 and 19 failed on both.
    QCOMPARE(map["tasks"][0]["pairs"][0]["shared"].get<int>(), 23);
    QCOMPARE(map["tasks"][0]["measured"].get<int>(), 30);
    // Program 0 is the fastest on both.
    QCOMPARE(map["tasks"][0]["portfolio"]["programs"].size(), std::size_t{1});
    QCOMPARE(map["tasks"][0]["portfolio"]["programs"][0]["program"].get<std::string>(),
             programId(small, tiled(128, 0)));
    QCOMPARE(map["tasks"][0]["counts"]["everywhere"].get<int>(), 1);
  }

  /// Only the targets that are asked for; and what there is to do where nothing can be compared.
  void whatCannotBeCompared() {
    const samples::Folder folder;
    const ComputeDag small = product(128), large = product(512);
    {
      RecordedFile file(folder.file("it's.nwdb"));
      file.addMany(file.task(small, file.target("first")), small, 12);
      file.addMany(file.task(large, file.target("second")), large, 12);
      const RowId third = file.task(small, file.target("third"));
      file.add(third, small, tiled(128, 40), {1e-3}); // none of the first target's
    }
    TravelChoice choice;
    choice.data.files = {folder.file("it's.nwdb")};
    const std::vector<RecordStore> files = openFiles(choice.data);
    const auto problem = [&](std::vector<std::string> targets) {
      choice.targets = std::move(targets);
      return QString::fromStdString(
          travelProblem(readTravelTimes(files, choice), folder.file("it's.nwdb")));
    };
    QVERIFY(
        problem({"first"}).startsWith("all records are of one target, first: measure the same"));
    QVERIFY(problem({"first"}).contains("nestwright measure --db '" +
                                        QString::fromStdString(folder.file("it'\\''s.nwdb")) +
                                        "' --isa sse4.2"));
    QVERIFY(problem({"first", "second"}).startsWith("the records are of 2 targets, and no task"));
    QVERIFY(problem({"first", "third"}).startsWith("no program was measured on two"));
    QVERIFY(problem({"fourth"}).startsWith("none of the records"));
    TravelSettings settings;
    settings.within = -0.1;
    QVERIFY_THROWS_EXCEPTION(UsageError, checkTravel(settings));
    settings = {};
    settings.leastShared = 1;
    QVERIFY_THROWS_EXCEPTION(UsageError, checkTravel(settings));
  }

  /// Reading ends where it is told to.
  void readingIsStopped() {
    const samples::Folder folder;
    const ComputeDag small = product(128);
    {
      RecordedFile file(folder.file("a.nwdb"));
      file.addMany(file.task(small, file.target("first")), small, 12);
      file.addMany(file.task(small, file.target("second")), small, 12);
    }
    TravelChoice choice;
    choice.data.files = {folder.file("a.nwdb")};
    struct Enough {};
    const auto goOn = [](double) -> bool { throw Enough(); };
    QVERIFY_THROWS_EXCEPTION(Enough, readTravelTimes(openFiles(choice.data), choice, goOn));
    QVERIFY_THROWS_EXCEPTION(QueryStopped, readTravelTimes(openFiles(choice.data), choice,
                                                           [](double) { return false; }));
  }
};

NW_TEST_GUILESS(TravelMapTest)

} // namespace nestwright::travel_map_test

#include "travel_map.moc"
