/// What further trials are forecast to be worth, on sessions whose future is known.

#include "core/session/schedule/budget_advice.h"

#include "core/support/random.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <map>

namespace nestwright::budget_advice_test {

/// Tasks whose best falls with a power of their trials, some trials in a row each; the steps come
/// at random where `random` is given.
SessionCourse powerLaw(const std::vector<double>& slopes, std::int64_t trials,
                       Random* random = nullptr) {
  struct Task {
    std::vector<std::int64_t> trials; // own ones
    std::vector<double> best;
  };
  auto tasks = std::make_shared<std::vector<Task>>(slopes.size());
  for (std::int64_t trial = 1; trial <= trials; ++trial) {
    const std::size_t i = static_cast<std::size_t>(trial / 8) % slopes.size();
    Task& task = (*tasks)[i];
    task.trials.push_back(trial);
    const auto made = static_cast<double>(task.trials.size());
    const double last = task.best.empty() ? 1e-2 : task.best.back();
    // A record comes with the chance of one in `made`, and is worth `slope` in the mean.
    const double drop = !random ? slopes[i] * std::log(made / std::max(1.0, made - 1))
                        : random->unit() * made < 1.0 ? -slopes[i] * std::log(1 - random->unit())
                                                      : 0;
    task.best.push_back(last * std::exp(-drop));
  }
  SessionCourse course{trials, std::vector<double>(slopes.size(), 1.0), {}};
  course.at = [tasks](std::int64_t trial) {
    SessionStanding standing{trial, 0.1 * static_cast<double>(trial), {}};
    for (const Task& task : *tasks) {
      const auto made = std::ranges::upper_bound(task.trials, trial) - task.trials.begin();
      standing.tasks.push_back(
          {made, made == 0 ? 1e-2 : task.best[static_cast<std::size_t>(made) - 1]});
    }
    return standing;
  };
  return course;
}

SessionCourse until(const SessionCourse& course, std::int64_t trials) {
  SessionCourse part = course;
  part.trials = trials;
  return part;
}

double totalAt(const SessionCourse& course, std::int64_t trial) {
  double total = 0;
  for (const TaskStanding& task : course.at(trial).tasks)
    total += task.seconds;
  return total;
}

class TestBudgetAdvice : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void smoothCoursesAreForeseen_data() {
    QTest::addColumn<int>("further");
    for (const int further : {40, 200, 400, 800})
      QTest::addRow("%d more", further) << further;
  }
  void smoothCoursesAreForeseen() {
    QFETCH(int, further);
    const SessionCourse whole = powerLaw({0.3, 0.1, 0.02}, 1600);
    const SessionCourse course = until(whole, 800);
    const auto advice = adviseBudget(course, further);
    QVERIFY(advice.has_value());
    const double actual = 1 - totalAt(whole, 800 + further) / totalAt(whole, 800);
    const GainForecast& forecast = advice->forecast;
    QVERIFY2(std::abs(forecast.gain.value / actual - 1) < 0.25,
             qPrintable(QStringLiteral("%1 %2").arg(forecast.gain.value).arg(actual)));
    QVERIFY(forecast.gain.low <= actual && actual <= forecast.gain.high);
    // What remains of the task with the steepest fall is least, yet here it is worth most.
    double sum = 0, trials = 0;
    for (std::size_t i = 0; i < 3; ++i)
      sum += forecast.taskGains[i], trials += forecast.taskTrials[i];
    QVERIFY(std::abs(sum - forecast.gain.value) < 1e-12);
    QCOMPARE(std::round(trials), double(further));
    QVERIFY(forecast.taskGains[2] < forecast.taskGains[1]);
    QVERIFY(!advice->tests.empty());
    QCOMPARE(advice->seconds.value, 0.1 * further);
  }

  void rangesHoldFourTimesInFive() {
    Random random(7);
    int held = 0, forecasts = 0, tests = 0, testsHeld = 0;
    double bias = 0;
    for (int i = 0; i < 300; ++i) {
      const SessionCourse whole = powerLaw({0.3, 0.2, 0.1, 0.05}, 1200, &random);
      const auto advice = adviseBudget(until(whole, 800), 200);
      QVERIFY(advice.has_value());
      const double actual = 1 - totalAt(whole, 1000) / totalAt(whole, 800);
      const Ranged& gain = advice->forecast.gain;
      ++forecasts;
      held += actual >= gain.low && actual <= gain.high;
      bias += gain.value - actual;
      for (const TestedForecast& test : advice->tests)
        ++tests, testsHeld += test.held();
    }
    const double share = double(held) / forecasts, inTests = double(testsHeld) / tests;
    qInfo("%d forecasts: %.0f %% of the ranges held (%.0f %% of %d tests), mean error %+.4f",
          forecasts, 100 * share, 100 * inTests, tests, bias / forecasts);
    QVERIFY(share > 0.7 && share < 0.95);
    QVERIFY(inTests > 0.55 && inTests < 0.95); // from less: they are of its early days, too
    QVERIFY(std::abs(bias / forecasts) < 0.01);
  }

  void aForecastKnowsNothingOfItsFuture() {
    Random random(3);
    const SessionCourse whole = powerLaw({0.3, 0.1}, 1600, &random);
    SessionCourse course = until(whole, 800);
    std::int64_t latest = 0;
    course.at = [&](std::int64_t trial) {
      latest = std::max(latest, trial);
      return whole.at(trial);
    };
    QVERIFY(adviseBudget(course, 400).has_value());
    QCOMPARE(latest, 800);
    // A test is what the same course would have told then.
    const auto advice = adviseBudget(course, 400);
    const TestedForecast& last = advice->tests.back();
    const auto then = adviseBudget(until(whole, last.forecast.from), last.forecast.trials);
    QVERIFY(std::abs(then->forecast.gain.value - last.forecast.gain.value) <
            0.1 * last.forecast.gain.value + 1e-9);
  }

  void sharesMoveTheGain() {
    const SessionCourse course = powerLaw({0.3, 0.02}, 800);
    const double both = adviseBudget(course, 400)->forecast.gain.value;
    const auto steep = adviseBudget(course, 400, {1, 0});
    const auto flat = adviseBudget(course, 400, {0, 1});
    QCOMPARE(steep->forecast.taskTrials, (std::vector<double>{400, 0}));
    QCOMPARE(flat->forecast.taskGains[0], 0.0);
    QVERIFY(flat->forecast.gain.value < both);
    QVERIFY(steep->forecast.gain.value > flat->forecast.gain.value);
  }

  void saysNothingWithoutGrounds() {
    QVERIFY(!adviseBudget(powerLaw({0.3}, 10), 100));
    QVERIFY(!adviseBudget(powerLaw({0.3}, 800), 0));
    SessionCourse unknown = powerLaw({0.3}, 800);
    unknown.at = [at = unknown.at](std::int64_t trial) {
      SessionStanding standing = at(trial);
      standing.tasks[0].seconds = std::numeric_limits<double>::infinity();
      return standing;
    };
    QVERIFY(!adviseBudget(unknown, 100));
    // No fall at all: nothing is to be expected, and that holds.
    const auto flat = adviseBudget(powerLaw({0.0}, 800), 100);
    QCOMPARE(flat->forecast.gain.value, 0.0);
    QCOMPARE(flat->forecast.gain.high, 0.0);
  }
};

NW_TEST_GUILESS(TestBudgetAdvice)

} // namespace nestwright::budget_advice_test

#include "budget_advice.moc"
