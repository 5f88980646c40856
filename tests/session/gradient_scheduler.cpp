#include "core/session/schedule/network_totals.h"
#include "core/session/schedule/task_scheduler.h"
#include "tests/support/binomial.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace nestwright::gradient_scheduler_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TaskProgress warmTask(RowId id, double weight, std::vector<double> history, double flops = 1e9) {
  TaskProgress task;
  task.task = id;
  task.weights = {weight};
  task.history = std::move(history);
  task.rounds = static_cast<std::int64_t>(task.history.size());
  task.trials = 16 * task.rounds;
  task.bestSeconds = task.history.back();
  task.flops = flops;
  return task;
}

GradientScheduler scheduler(Objective objective = {}) {
  GradientOptions options;
  options.epsilon = 0; // the terms alone decide
  return GradientScheduler(std::move(objective), options);
}

class GradientSchedulerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyTaskWarmsUpFirst() {
    std::vector<TaskProgress> tasks{warmTask(1, 1, {1.0}), warmTask(2, 1, {1.0})};
    tasks[1].rounds = 0;
    tasks[1].history.clear();
    tasks[1].bestSeconds = kInfinity;
    QCOMPARE(scheduler().next(tasks, 1).index, 1);
  }

  /// gradient = chain * (alpha * backward + (1 - alpha) * min(optimistic, similar)), by hand.
  void theTermsAreThoseOfThePaper() {
    std::vector<TaskProgress> tasks{warmTask(1, 3, {8, 6, 5, 4}), warmTask(2, 1, {1})};
    const TaskChoice choice = scheduler().next(tasks, 5);
    const GradientTerms& t = choice.terms[0];
    QVERIFY(std::abs(t.chain - 3) < 1e-9);
    QVERIFY(std::abs(t.backward - (4.0 - 8.0) / 3) < 1e-12);
    QVERIFY(std::abs(t.optimistic - -1.0) < 1e-12);
    QCOMPARE(t.similar, kInfinity);
    QVERIFY(std::abs(t.gradient - 3 * (0.2 * (-4.0 / 3) + 0.8 * -1.0)) < 1e-9);
    QCOMPARE(choice.index, 0);
  }

  void aSimilarTasksRatePromisesMore() {
    // Task 2 runs at 10 GFLOP/s, task 1 only at 1.25: at that rate it would take 0.1 s.
    std::vector<TaskProgress> tasks{warmTask(1, 1, {0.8, 0.8, 0.8, 0.8}), warmTask(2, 1, {0.1})};
    for (TaskProgress& task : tasks)
      task.similarityTag = "conv2d_40";
    tasks[0].rounds = 4;
    const TaskChoice choice = scheduler().next(tasks, 5);
    QVERIFY(std::abs(choice.terms[0].similar - (0.1 - 0.8)) < 1e-9);
    QCOMPARE(choice.index, 0);
    // After its patience the lagging task leaves the group, and the promise goes.
    tasks[0] = warmTask(1, 1, std::vector<double>(10, 0.8));
    tasks[0].similarityTag = "conv2d_40";
    QCOMPARE(scheduler().next(tasks, 11).terms[0].similar, kInfinity);
  }

  /// A slow task is different after all once it got more than five rounds more than the others.
  void aTaskLeavesItsGroupAfterItsPatience() {
    const auto similar = [](std::size_t rounds, double seconds) {
      std::vector<TaskProgress> tasks{warmTask(1, 1, std::vector<double>(rounds, seconds)),
                                      warmTask(2, 1, {0.1, 0.1})};
      for (TaskProgress& task : tasks)
        task.similarityTag = "conv2d_40";
      return scheduler().next(tasks, 20).terms[0].similar;
    };
    QVERIFY(std::abs(similar(7, 0.8) - (0.1 - 0.8)) < 1e-9); // five more: it may still come to it
    QCOMPARE(similar(8, 0.8), kInfinity);
    QVERIFY(std::abs(similar(20, 0.1)) < 1e-9); // one as fast as the others stays
  }

  /// Of the definitions of one operator the fastest counts, and others what they promise below it.
  void alternativesAreWorthWhatTheyPromise() {
    std::vector<TaskProgress> tasks{warmTask(1, 3, {1.0}), warmTask(2, 3, {3.0}),
                                    warmTask(3, 3, {6.0}), warmTask(4, 1, {0.1})};
    tasks[1].definition = tasks[2].definition = 1;
    const TaskChoice choice = scheduler().next(tasks, 4);
    QCOMPARE(choice.terms[0].behind, 0.0);
    QVERIFY(std::abs(choice.terms[0].gradient - 3 * -0.8) < 1e-9);
    // Two behind, and its first round promises 2.4 less: it may come to 0.4 below the fastest.
    QCOMPARE(choice.terms[1].behind, 2.0);
    QVERIFY(std::abs(choice.terms[1].gradient - 3 * (2.0 - 2.4)) < 1e-9);
    // Five behind, and 4.8 less at best: no further round.
    QCOMPARE(choice.terms[2].behind, 5.0);
    QCOMPARE(choice.terms[2].gradient, 0.0);
    QCOMPARE(choice.terms[2].chain, 0.0);
    QCOMPARE(choice.index, 0);
    tasks[1] = warmTask(2, 3, {3.0, 0.5});
    tasks[1].definition = 1;
    const TaskChoice next = scheduler().next(tasks, 5);
    QCOMPARE(next.terms[0].behind, 0.5);
    QCOMPARE(next.terms[1].behind, 0.0);
    QVERIFY2(next.reason.find("behind") == std::string::npos || next.index == 0,
             next.reason.c_str());
  }

  void aHopelessAlternativeIsNotDrawn() {
    std::vector<TaskProgress> tasks{warmTask(1, 1, {1.0}), warmTask(2, 1, {9.0})};
    tasks[1].definition = 1;
    GradientOptions options;
    options.epsilon = 1; // every round is drawn
    const GradientScheduler all({}, options);
    for (int round = 0; round < 100; ++round)
      QCOMPARE(all.next(tasks, round).index, 0);
    // Alone it goes on: the faster one is paused.
    tasks[0].mode = TaskMode::Paused;
    for (int round = 0; round < 100; ++round)
      QCOMPARE(all.next(tasks, round).index, 1);
    tasks[0].mode = TaskMode::Free;
    tasks[1].definition = 0;
    int drawn = 0;
    for (int round = 0; round < 100; ++round)
      drawn += all.next(tasks, round).index;
    QVERIFY(drawn > 20 && drawn < 80);
  }

  /// The total has the fastest definition of each operator, and its own naive program.
  void totalsHaveTheFastestDefinition() {
    std::vector<TaskProgress> tasks{warmTask(1, 3, {1.0}), warmTask(2, 3, {0.25}),
                                    warmTask(3, 1, {2.0})};
    tasks[1].definition = 1;
    tasks[0].naiveSeconds = 10, tasks[1].naiveSeconds = 7, tasks[2].naiveSeconds = 5;
    NetworkTotals totals = networkTotals(tasks).front();
    QCOMPARE(totals.best, 3 * 0.25 + 2.0);
    QCOMPARE(totals.present, 3 * 0.25 + 2.0);
    QCOMPARE(totals.naive, 3 * 10.0 + 5.0);
    tasks[0].bestSeconds = tasks[1].bestSeconds = kInfinity;
    totals = networkTotals(tasks).front();
    QCOMPARE(totals.best, kInfinity);
    QCOMPARE(totals.present, 3 * 10.0 + 2.0);
    // One whose definition the session does not have is a task like others.
    tasks[1].definition = 77;
    QCOMPARE(countedTasks(tasks), (std::vector{true, true, true}));
  }

  void importanceMultiplies() {
    std::vector<TaskProgress> tasks{warmTask(1, 1, {1.0}), warmTask(2, 1, {0.9})};
    QCOMPARE(scheduler().next(tasks, 1).index, 0);
    tasks[1].importance = 2;
    QCOMPARE(scheduler().next(tasks, 1).index, 1);
    tasks[1].importance = 0;
    QCOMPARE(scheduler().next(tasks, 1).index, 0);
  }

  /// C6: what found nothing in its warm-up does not take the budget.
  void aTaskWithoutProgramsWaits() {
    std::vector<TaskProgress> tasks{warmTask(1, 1, {kInfinity}), warmTask(2, 1, {1e-6})};
    QCOMPARE(scheduler().next(tasks, 1).index, 1);
    tasks[1].exhausted = true;
    QCOMPARE(scheduler().next(tasks, 1).index, 0);
  }

  void requirementsEndTheInterest() {
    Objective objective;
    objective.kind = ObjectiveKind::LatencyRequirement;
    objective.networkSeconds = {5.0, 0.1};
    std::vector<TaskProgress> tasks{warmTask(1, 1, {2.0}), warmTask(2, 1, {0.2})};
    tasks[0].weights = {1, 0}; // its network meets 5 s
    tasks[1].weights = {0, 1};
    const TaskChoice choice = scheduler(objective).next(tasks, 1);
    QCOMPARE(choice.terms[0].gradient, 0.0);
    QCOMPARE(choice.index, 1);
  }

  void earlyStopEndsTheInterest() {
    Objective objective;
    objective.kind = ObjectiveKind::EarlyStop;
    objective.stopAfterRounds = 3;
    std::vector<TaskProgress> tasks{warmTask(1, 1, {5, 4, 4, 4, 4}), warmTask(2, 1, {0.5, 0.4})};
    const TaskChoice choice = scheduler(objective).next(tasks, 8);
    QCOMPARE(choice.terms[0].gradient, 0.0);
    QCOMPARE(choice.index, 1);
  }

  void metRequirementsEndTheSession() {
    Objective objective;
    objective.kind = ObjectiveKind::LatencyRequirement;
    objective.networkSeconds = {3.0};
    std::vector<TaskProgress> tasks{warmTask(1, 1, {2.0}), warmTask(2, 2, {0.2})};
    QCOMPARE(scheduler(objective).next(tasks, 1).index, -1);
    QCOMPARE(GradientScheduler(objective).next(tasks, 1).reason,
             std::string("every network meets its latency requirement"));
    // A task without a program counts with its naive one, and that is too slow.
    tasks.push_back(warmTask(3, 1, {kInfinity}));
    tasks[2].naiveSeconds = 5;
    QVERIFY(scheduler(objective).next(tasks, 1).index >= 0);
  }

  void earlyStopOfAllTasksEndsTheSession() {
    Objective objective;
    objective.kind = ObjectiveKind::EarlyStop;
    objective.stopAfterRounds = 2;
    std::vector<TaskProgress> tasks{warmTask(1, 1, {5, 4, 4, 4}), warmTask(2, 1, {1, 1, 1})};
    QCOMPARE(scheduler(objective).next(tasks, 8).index, -1);
    QVERIFY(scheduler().next(tasks, 8).index >= 0); // f1 goes on
  }

  /// One task in two networks: what it gains counts in both.
  void aSharedTaskCountsInEachNetwork() {
    std::vector<TaskProgress> tasks{warmTask(1, 1, {1.0}), warmTask(2, 1, {0.9})};
    tasks[0].weights = {1, 0};
    tasks[1].weights = {0, 1};
    QCOMPARE(scheduler().next(tasks, 1).index, 0);
    tasks[1].weights = {1, 1};
    const TaskChoice choice = scheduler().next(tasks, 1);
    QCOMPARE(choice.index, 1);
    QVERIFY(std::abs(choice.terms[1].chain - 2) < 1e-9);
  }

  /// f3 by hand: d/dg of -sqrt(B1/L1 · B2/L2) is w · sqrt(...) / (2 L).
  void speedUpsAreWeighedPerNetwork() {
    Objective objective;
    objective.kind = ObjectiveKind::SpeedUp;
    std::vector<TaskProgress> tasks{warmTask(1, 1, {2.0}), warmTask(2, 1, {0.2})};
    tasks[0].weights = {1, 0};
    tasks[1].weights = {0, 1};
    tasks[0].naiveSeconds = 8; // the references, since none are given
    tasks[1].naiveSeconds = 0.8;
    const TaskChoice choice = scheduler(objective).next(tasks, 1);
    QVERIFY(std::abs(choice.terms[0].chain - 4 / (2 * 2.0)) < 5e-3); // a step, not a limit
    QVERIFY(std::abs(choice.terms[1].chain - 4 / (2 * 0.2)) < 5e-2);
    objective.networkSeconds = {32, 0};
    QVERIFY(std::abs(scheduler(objective).next(tasks, 1).terms[0].chain - 8 / (2 * 2.0)) < 1e-2);
  }

  /// What an event says is what decided: the chosen task has the lowest gradient, and each gradient
  /// follows from the other terms (C38).
  void theTermsExplainTheChoice() {
    std::vector<TaskProgress> tasks{warmTask(1, 3, {8, 6, 5, 4}), warmTask(2, 1, {9, 9, 9, 9}),
                                    warmTask(3, 2, {2, 1})};
    tasks[1].importance = 1.5;
    const TaskChoice choice = scheduler().next(tasks, 9);
    QCOMPARE(choice.terms.size(), tasks.size());
    const GradientOptions options;
    for (const GradientTerms& t : choice.terms) {
      const double forward = std::min(t.optimistic, t.similar);
      QCOMPARE(t.gradient, t.chain * (options.alpha * t.backward + (1 - options.alpha) * forward));
      QVERIFY(choice.terms[choice.index].gradient <= t.gradient);
    }
    QCOMPARE(choice.terms[1].importance, 1.5);
    QCOMPARE(choice.terms[1].stagnantRounds, 3);
    QVERIFY(std::abs(choice.terms[1].chain - 1.5) < 1e-9);
  }

  void objectivesByHand() {
    Objective objective;
    objective.networkSeconds = {2.0, 8.0};
    QCOMPARE(objective.value({1.0, 4.0}), 5.0);
    objective.kind = ObjectiveKind::LatencyRequirement;
    QCOMPARE(objective.value({1.0, 9.0}), 11.0);
    objective.kind = ObjectiveKind::SpeedUp;
    QVERIFY(std::abs(objective.value({1.0, 4.0}) - -2.0) < 1e-12);
    QVERIFY(std::abs(objective.value({1.0, 0.0}) - -2.0) < 1e-12); // nothing known of the second
    objective.networkSeconds = {2.0};
    QVERIFY(std::abs(objective.withReferences({5.0, 8.0}).value({1.0, 4.0}) - -2.0) < 1e-12);
  }

  void randomChoicesAreRareAndRepeatable() {
    std::vector<TaskProgress> tasks{warmTask(1, 1, {1.0}), warmTask(2, 1, {1e-9})};
    const GradientScheduler withEpsilon{Objective{}};
    constexpr int kRounds = 6000;
    int others = 0;
    for (int round = 0; round < kRounds; ++round) {
      const TaskChoice choice = withEpsilon.next(tasks, round);
      QCOMPARE(withEpsilon.next(tasks, round).index, choice.index);
      others += choice.index == 1;
    }
    QCOMPARE(test::doubt(others, kRounds, 0.05 / 2),
             QString()); // half of the draws fall on the first
  }
};

NW_TEST_APPLESS(GradientSchedulerTest)

} // namespace nestwright::gradient_scheduler_test

#include "gradient_scheduler.moc"
