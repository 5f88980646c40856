#include "core/session/task_scheduler.h"

#include <QTest>

#include <cmath>

using namespace nestwright;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TaskProgress warmTask(RowId id, double weight, std::vector<double> history, double flops = 1e9) {
  TaskProgress task;
  task.task = id;
  task.weights = {weight};
  task.history = std::move(history);
  task.rounds = static_cast<std::int64_t>(task.history.size());
  task.bestSeconds = task.history.back();
  task.flops = flops;
  return task;
}

GradientScheduler scheduler(Objective objective = {}) {
  GradientOptions options;
  options.epsilon = 0; // the terms alone decide
  return GradientScheduler(std::move(objective), options);
}

} // namespace

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
    // Task 2 runs at 10 GFLOP/s, task 1 only at 1.25: beta = 2 puts 0.2 s within reach.
    std::vector<TaskProgress> tasks{warmTask(1, 1, {0.8, 0.8, 0.8, 0.8}), warmTask(2, 1, {0.1})};
    for (TaskProgress& task : tasks)
      task.similarityTag = "conv2d_40";
    tasks[0].rounds = 4;
    const TaskChoice choice = scheduler().next(tasks, 5);
    QVERIFY(std::abs(choice.terms[0].similar - (0.2 - 0.8)) < 1e-9);
    QCOMPARE(choice.index, 0);
    // After its patience the lagging task leaves the group, and the promise goes.
    tasks[0] = warmTask(1, 1, std::vector<double>(10, 0.8));
    tasks[0].similarityTag = "conv2d_40";
    QCOMPARE(scheduler().next(tasks, 11).terms[0].similar, kInfinity);
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

  void objectivesByHand() {
    Objective objective;
    objective.networkSeconds = {2.0, 8.0};
    QCOMPARE(objective.value({1.0, 4.0}), 5.0);
    objective.kind = ObjectiveKind::LatencyRequirement;
    QCOMPARE(objective.value({1.0, 9.0}), 11.0);
    objective.kind = ObjectiveKind::SpeedUp;
    QVERIFY(std::abs(objective.value({1.0, 4.0}) - -2.0) < 1e-12);
  }

  void randomChoicesAreRareAndRepeatable() {
    std::vector<TaskProgress> tasks{warmTask(1, 1, {1.0}), warmTask(2, 1, {1e-9})};
    const GradientScheduler withEpsilon{Objective{}};
    int others = 0;
    for (int round = 0; round < 1000; ++round) {
      const TaskChoice choice = withEpsilon.next(tasks, round);
      QCOMPARE(withEpsilon.next(tasks, round).index, choice.index);
      others += choice.index == 1;
    }
    QVERIFY(others > 5 && others < 60); // 2.5 % expected
  }
};

QTEST_APPLESS_MAIN(GradientSchedulerTest)
#include "gradient_scheduler.moc"
