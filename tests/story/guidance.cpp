/// What the rules say of sessions in which something is lost, and what they keep silent about.

#include "core/story/advice/guidance.h"

#include "core/story/advice/progress_range.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::guidance_test {

TaskEntry tuned(RowId id, const char* name, double flops, double seconds, double weight = 1) {
  TaskEntry task;
  task.row.id = id, task.row.name = name, task.row.flops = flops, task.row.weight = weight;
  task.summary.task = id, task.summary.trials = 100;
  task.summary.naiveSeconds = 1;
  task.summary.bestRecord = id * 10, task.summary.bestSeconds = seconds;
  return task;
}

SessionContents contents(std::vector<TaskEntry> tasks) {
  SessionContents made;
  made.session.id = 1;
  made.session.config = "{}";
  made.peakFlops = 100e9;
  made.tasks = std::move(tasks);
  return made;
}

std::vector<GuidanceKind> kinds(const std::vector<Guidance>& found) {
  std::vector<GuidanceKind> kinds;
  for (const Guidance& guidance : found)
    kinds.push_back(guidance.kind);
  return kinds;
}

LiveSession running(SessionContents contents) {
  LiveSession session(std::move(contents));
  LiveChanges changes;
  session.apply(StateChanged{SessionStatus::Running, {}, PauseCause::None}, changes);
  return session;
}

class GuidanceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theFarthestFromItsRoof();
  void aTaskBehindItsSibling();
  void failuresComeFirst();
  void noiseIsToldWhileItCanBeAvoided();
  void aBudgetWorthNothing();
  void importsAreLeftAlone();
  void progressBeginsAfterTheWarmUp();
};

void GuidanceTest::theFarthestFromItsRoof() {
  // 20 % of the peak in most of the time, and 90 % in the rest.
  const LiveSession session(contents({tuned(1, "MatMul 1x2 by 2x3", 1e9, 1e9 / 20e9, 2),
                                      tuned(2, "Conv 3x3 1->1 on 2x2", 1e9, 1e9 / 90e9)}));
  const std::vector<Guidance> found = guidance(session, {});
  QCOMPARE(kinds(found), std::vector{GuidanceKind::BelowRoof});
  QCOMPARE(found[0].task, RowId(1));
  QCOMPARE(found[0].reached, 0.2);
  const double share = 2 * 0.05 / (2 * 0.05 + 1 / 90.0);
  QCOMPARE(found[0].gain, share * 0.8);
  // At the roof there is nothing to say.
  QVERIFY(guidance(LiveSession(contents({tuned(1, "MatMul", 1e9, 1e9 / 99.5e9)})), {}).empty());
}

void GuidanceTest::aTaskBehindItsSibling() {
  const LiveSession session(
      contents({tuned(1, "Conv 3x3 64->64 on 56x56", 1e9, 1e9 / 20e9),
                tuned(2, "Conv 3x3 128->128 on 28x28", 1e9, 1e9 / 80e9),
                tuned(3, "Conv 1x1 64->64 on 56x56", 1e9, 1e9 / 10e9)})); // of another kernel
  const std::vector<Guidance> found = guidance(session, {});
  const auto behind = std::ranges::find(found, GuidanceKind::BehindSibling, &Guidance::kind);
  QVERIFY(behind != found.end());
  QCOMPARE(behind->task, RowId(1));
  QCOMPARE(behind->sibling, RowId(2));
  QCOMPARE(behind->reached, 0.25);
}

void GuidanceTest::failuresComeFirst() {
  TaskEntry failing = tuned(2, "Conv 3x3", 1e9, 1);
  failing.summary.bestRecord = 0;
  failing.summary.errors = failing.summary.trials = 20;
  const LiveSession session(contents({tuned(1, "MatMul", 1e9, 1e9 / 20e9), failing}));
  const std::vector<Guidance> found = guidance(session, {});
  QCOMPARE(found.front().kind, GuidanceKind::NoProgram);
  QCOMPARE(found.front().task, RowId(2));
  QCOMPARE(found.front().trials, 20);
  failing.summary.errors = 19; // one ran, and is wrong or not compared yet
  QVERIFY(!std::ranges::count(kinds(guidance(LiveSession(contents({failing})), {})),
                              GuidanceKind::NoProgram));
}

void GuidanceTest::noiseIsToldWhileItCanBeAvoided() {
  MeasuringHealth noisy;
  noisy.measurements = 40, noisy.spread = 0.4;
  QCOMPARE(noisy.grade(), HealthGrade::Noisy);
  const SessionContents roofed = contents({tuned(1, "MatMul", 1e9, 1e9 / 99.5e9)});
  QCOMPARE(kinds(guidance(running(roofed), {noisy, {}})), std::vector{GuidanceKind::Noise});
  QVERIFY(guidance(LiveSession(roofed), {noisy, {}}).empty()); // it is over
  MeasuringHealth contested;
  contested.measurements = 40, contested.spread = 0.01, contested.contested = 5;
  QCOMPARE(contested.grade(), HealthGrade::Quiet);
  QCOMPARE(kinds(guidance(LiveSession(roofed), {contested, {}})),
           std::vector{GuidanceKind::Contested});
}

void GuidanceTest::aBudgetWorthNothing() {
  BudgetAdvice rest;
  rest.forecast.trials = 500;
  rest.forecast.gain = {0.0005, 0.0001, 0.001};
  const SessionContents roofed = contents({tuned(1, "MatMul", 1e9, 1e9 / 99.5e9)});
  const std::vector<Guidance> found = guidance(running(roofed), {{}, rest});
  QCOMPARE(kinds(found), std::vector{GuidanceKind::BudgetSpent});
  QCOMPARE(found[0].trials, 500);
  rest.forecast.gain.high = 0.05; // it may well bring something
  QVERIFY(guidance(running(roofed), {{}, rest}).empty());
}

void GuidanceTest::importsAreLeftAlone() {
  SessionContents import = contents({tuned(1, "MatMul", 1e9, 1e9 / 20e9)});
  QVERIFY(!guidance(LiveSession(import), {}).empty());
  import.session.config = R"({"import": {}})";
  QVERIFY(guidance(LiveSession(import), {}).empty());
  QVERIFY(guidance(LiveSession(), {}).empty());
}

void GuidanceTest::progressBeginsAfterTheWarmUp() {
  QVERIFY(!progressRange({}));
  // Twenty-fold within the first trials, a seventh afterwards.
  const Curve curve{{10, 12, 40, 400, 600}, {100, 20, 19.5, 17, 17}};
  const std::optional<ProgressRange> range = progressRange(curve);
  QVERIFY(range);
  QCOMPARE(range->from, 40.0); // 10 and a twentieth of 600
  QCOMPARE(range->before, 19.5);
  QCOMPARE(range->now, 17.0);
  QCOMPARE(std::round(100 * range->change()), -13.0);
  const std::optional<ProgressRange> single = progressRange({{5}, {3}});
  QVERIFY(single && single->from == 5 && single->change() == 0);
}

NW_TEST_APPLESS(GuidanceTest)

} // namespace nestwright::guidance_test

#include "guidance.moc"
