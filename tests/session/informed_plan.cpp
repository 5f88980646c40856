/// \file The bound that `bench scheduler` prints, against a search over all plans.

#include "tests/bench/informed_plan.h"

#include "core/support/random.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace nestwright::informed_plan_test {

using bench::RecordedTask;

class InformedPlanTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void expectedBestOfDraws() {
    QCOMPARE(bench::expectedBest({1, 2}, 0, 1), 1.5);
    QCOMPARE(bench::expectedBest({1, 2}, 0, 2), 1.25);
    QCOMPARE(bench::expectedBest({1, 2}, 2, 1), 1.75); // failures count as the slowest
    QVERIFY(std::isinf(bench::expectedBest({}, 3, 5)));
  }

  void aTaskWithNothingToGainGetsOneTrial() {
    const bench::InformedPlan plan = bench::informedPlan({task({5}, 1), task({1, 2}, 1)}, 4);
    QCOMPARE(plan.roundRobinTrials, std::int64_t(4));
    QCOMPARE(plan.trials, std::int64_t(3));
    QCOMPARE(plan.seconds, 5 + 1.25);
  }

  void noPlanNeedsFewer() {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random = Random::stream(seed, "informed plan", 0);
      std::vector<RecordedTask> tasks;
      for (int t = 0; t < 3; ++t) {
        std::vector<double> seconds;
        for (int i = 0; i < 6; ++i)
          seconds.push_back(1 + static_cast<double>(random.below(100)));
        tasks.push_back(task(seconds, 1 + static_cast<double>(random.below(4))));
      }
      const bench::InformedPlan plan = bench::informedPlan(tasks, 18);
      std::int64_t fewest = 18;
      for (int a = 1; a <= 16; ++a)
        for (int b = 1; a + b <= 17; ++b)
          for (int c = 1; a + b + c <= 18; ++c)
            if (total(tasks, {a, b, c}) <= total(tasks, {6, 6, 6}) + 1e-9)
              fewest = std::min<std::int64_t>(fewest, a + b + c);
      QCOMPARE(plan.trials, fewest);
    }
  }

 private:
  static RecordedTask task(std::vector<double> seconds, double weight) {
    RecordedTask task;
    task.seconds = std::move(seconds);
    task.start.weights = {weight};
    return task;
  }
  static double total(const std::vector<RecordedTask>& tasks, const std::vector<int>& trials) {
    double total = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      std::vector<double> sorted = tasks[i].seconds;
      std::ranges::sort(sorted);
      total += tasks[i].start.weights[0] * bench::expectedBest(sorted, 0, trials[i]);
    }
    return total;
  }
};

NW_TEST_GUILESS(InformedPlanTest)

} // namespace nestwright::informed_plan_test

#include "informed_plan.moc"
