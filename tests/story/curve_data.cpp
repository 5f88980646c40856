#include "core/story/curve_data.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <random>

namespace nestwright::curve_data_test {

TaskRow task(RowId id, double weight, double flops) {
  TaskRow row;
  row.id = id, row.weight = weight, row.flops = flops;
  return row;
}

CurvePoint point(std::int64_t trial, RowId taskId, double seconds, bool best) {
  return {trial,
          trial * 0.5,
          seconds,
          taskId,
          trial,
          best,
          std::isfinite(seconds) ? Verdict::Ok : Verdict::RunError};
}

TuningHistory twoTasks() {
  TuningHistory history;
  history.reset({task(1, 2, 4e6), task(2, 1, 8e6)},
                {{1, 0, 0, 0, kUnknown, 4e-3, 0}, {2, 0, 0, 0, kUnknown, 8e-3, 0}});
  history.add(point(1, 1, 2e-3, true));
  history.add(point(2, 2, kUnknown, false));
  history.add(point(3, 2, 6e-3, true));
  history.add(point(4, 1, 3e-3, false));
  history.add(point(5, 1, 1e-3, true));
  return history;
}

class CurveDataTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void bestsStepDown();
  void totalCountsUntunedTasksAsNaive();
  void totalHasTheFastestDefinition();
  void totalNeedsEveryNaiveOrBest();
  void pointsAreTakenOnce();
  void bestAnnouncedAfterItsTrial();
  void inheritedBestsComeFirst();
  void axes_data();
  void axes();
  void errorsAreMarkedNotPlotted();
  void dotsAreBoundedByTheScreen();
};

void CurveDataTest::bestsStepDown() {
  const TuningHistory history = twoTasks();
  const Curve curve = bestCurve(history, *history.find(1), {});
  QCOMPARE(curve.x, (std::vector<double>{1, 5}));
  QCOMPARE(curve.y, (std::vector<double>{2, 1}));
  // The other task's line goes on to where the session stands.
  QCOMPARE(bestCurve(history, *history.find(2), {}).x, (std::vector<double>{3, 5}));
}

void CurveDataTest::totalCountsUntunedTasksAsNaive() {
  const TotalCurve total = totalCurve(twoTasks(), {});
  QCOMPARE(total.incomplete.x, (std::vector<double>{1, 3}));
  QCOMPARE(total.incomplete.y, (std::vector<double>{2 * 2 + 8, 2 * 2 + 6}));
  QCOMPARE(total.complete.x, (std::vector<double>{3, 5}));
  QCOMPARE(total.complete.y, (std::vector<double>{2 * 2 + 6, 2 * 1 + 6}));
}

void CurveDataTest::totalHasTheFastestDefinition() {
  TaskRow other = task(3, 2, 1e6), own = task(1, 2, 4e6);
  own.key = "conv#1f", other.key = "winograd#2e", other.definition = "1f";
  TuningHistory history;
  history.reset({own, task(2, 1, 8e6), other}, {{1, 0, 0, 0, kUnknown, 4e-3, 0},
                                                {2, 0, 0, 0, kUnknown, 8e-3, 0},
                                                {3, 0, 0, 0, kUnknown, 3e-3, 0}});
  QCOMPARE(history.naiveTotal(), 2 * 4e-3 + 8e-3);
  QCOMPARE(history.totalFlops(), 2 * 4e6 + 8e6);
  history.add(point(1, 2, 6e-3, true));
  history.add(point(2, 1, 2e-3, true));
  history.add(point(3, 3, 1e-3, true)); // the other definition overtakes
  history.add(point(4, 1, 1.5e-3, true));
  const auto expected = [](const std::vector<TotalPoint>& total) {
    QCOMPARE(total.size(), std::size_t(4));
    QCOMPARE(total[0].seconds, 2 * 4e-3 + 6e-3);
    QVERIFY(!total[0].complete);
    QCOMPARE(total[1].seconds, 2 * 2e-3 + 6e-3);
    QVERIFY(total[1].complete); // that nothing ran of the other one is no gap
    QCOMPARE(total[2].seconds, 2 * 1e-3 + 6e-3);
    QCOMPARE(total[3].seconds, 2 * 1e-3 + 6e-3);
  };
  expected(history.total());
  expected(history.until(history.extent()).total());
  QCOMPARE(history.countedNow(), (std::vector{false, true, true}));
  const SessionNetwork network{1, "net", {{1, 2}, {2, 1}, {3, 2}}};
  QCOMPARE(networkCurve(history, network, {}).complete.y, totalCurve(history, {}).complete.y);
  history.setNaive(2, 9e-3); // makes the total anew
  expected(history.total());
}

void CurveDataTest::totalNeedsEveryNaiveOrBest() {
  TuningHistory history;
  history.reset({task(1, 1, 1), task(2, 1, 1)}, {});
  history.add(point(1, 1, 1e-3, true));
  QVERIFY(history.total().empty());
  QVERIFY(!std::isfinite(history.naiveTotal()));
  history.setNaive(2, 5e-3);
  QCOMPARE(history.total().size(), std::size_t(1));
  QVERIFY(!history.total().front().complete);
  history.add(point(2, 2, 4e-3, true));
  QVERIFY(history.total().back().complete);
}

void CurveDataTest::pointsAreTakenOnce() {
  TuningHistory history = twoTasks();
  history.add(point(5, 1, 0.5e-3, true));
  history.add(point(3, 2, 0.5e-3, true));
  QCOMPARE(history.trialCount(), std::size_t(5));
  QCOMPARE(history.find(1)->best(), 1e-3);
}

void CurveDataTest::bestAnnouncedAfterItsTrial() {
  TuningHistory history = twoTasks();
  history.add(point(6, 2, 4e-3, false));
  history.addBest(2, {6, 3.0, 4e-3, 6});
  QCOMPARE(history.find(2)->best(), 4e-3);
  QCOMPARE(history.total().back().seconds, 2 * 1e-3 + 4e-3);
  // One that was settled late stands at its trial, before what it is faster than.
  history.add(point(7, 2, 3e-3, false));
  history.add(point(8, 1, 0.9e-3, true));
  history.add(point(9, 2, 3.5e-3, true));
  history.addBest(2, {7, 3.5, 3e-3, 7});
  QCOMPARE(history.find(2)->bests.back().trial, 7);
  QCOMPARE(history.total().back().trial, 8);
  QCOMPARE(history.total().back().seconds, 2 * 0.9e-3 + 3e-3);
}

void CurveDataTest::inheritedBestsComeFirst() {
  TuningHistory history;
  history.reset({task(1, 2, 4e6), task(2, 1, 8e6)},
                {{1, 0, 0, 0, kUnknown, 4e-3, 0}, {2, 0, 0, 0, kUnknown, 8e-3, 0}});
  const auto record = [](RowId id, double seconds) { return BestPoint{700, 9, seconds, id}; };
  // Records 1 to 9 are of an earlier session, 14 is this one's, 15 of another beside it.
  history.inherit(1, {record(3, 3e-3), record(7, 2e-3), record(14, 1.8e-3)});
  history.inherit(2, {record(9, 6e-3), record(15, 5e-3)});
  const auto add = [&](std::int64_t trial, RowId of, double seconds, bool best) {
    CurvePoint own = point(trial, of, seconds, best);
    own.record = 10 + 2 * trial;
    history.add(own);
  };
  add(1, 1, 2.5e-3, false);
  QCOMPARE(history.total().size(), std::size_t(1));
  QCOMPARE(history.total().front().trial, 0);
  QVERIFY(history.total().front().complete);
  QCOMPARE(history.total().front().seconds, 2 * 2e-3 + 6e-3);
  add(2, 1, 1.8e-3, true);
  add(3, 1, 1e-3, true);
  QCOMPARE(history.find(1)->bests.size(), std::size_t(4));
  QCOMPARE(history.find(2)->best(), 5e-3);
  QCOMPARE(history.find(2)->bests.back().trial, 2);
  const std::vector<double> expected{10e-3, 9.6e-3, 8.6e-3, 7e-3};
  QCOMPARE(history.total().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    QCOMPARE(history.total()[i].seconds, expected[i]);
  QCOMPARE(totalCurve(history, {}).incomplete.x.size(), std::size_t{0});
  QCOMPARE(trendOf(history, 2, 3), (std::vector<double>{6e-3, 5e-3, 5e-3}));
  // One network's share of it, and what a new naive time makes of the total.
  const SessionNetwork network{1, "one", {{1, 1.0}, {2, 1.0}}};
  const TotalCurve part = networkCurve(history, network, {});
  QVERIFY(part.incomplete.empty());
  QCOMPARE(part.complete.y.front(), 8.0);
  QCOMPARE(part.complete.y.back(), 6.0);
  history.setNaive(2, 9e-3);
  QCOMPARE(history.total().size(), expected.size());
  QCOMPARE(history.total().front().seconds, expected.front());
}

void CurveDataTest::axes_data() {
  QTest::addColumn<int>("x");
  QTest::addColumn<int>("y");
  QTest::addColumn<double>("firstX");
  QTest::addColumn<double>("firstY");
  QTest::newRow("latency over trials") << int(XAxis::Trials) << int(YAxis::Latency) << 1.0 << 2.0;
  QTest::newRow("latency over time") << int(XAxis::WallTime) << int(YAxis::Latency) << 0.5 << 2.0;
  QTest::newRow("throughput") << int(XAxis::Trials) << int(YAxis::Throughput) << 1.0 << 2.0;
  QTest::newRow("speed-up") << int(XAxis::Trials) << int(YAxis::SpeedUp) << 1.0 << 2.0;
}

void CurveDataTest::axes() {
  QFETCH(int, x);
  QFETCH(int, y);
  CurveOptions options;
  options.x = XAxis(x), options.y = YAxis(y);
  const TuningHistory history = twoTasks();
  const Curve curve = bestCurve(history, *history.find(1), options);
  QTEST(double(curve.x.front()), "firstX");
  QTEST(double(curve.y.front()), "firstY");
}

void CurveDataTest::errorsAreMarkedNotPlotted() {
  const TuningHistory history = twoTasks();
  const Dots dots = trialDots(*history.find(2), {}, 0, 10, 0.1, 100, 100, 100);
  QCOMPARE(dots.measured.x, (std::vector<double>{3}));
  QCOMPARE(dots.errors, (std::vector<double>{2}));
}

void CurveDataTest::dotsAreBoundedByTheScreen() {
  TuningHistory history;
  history.reset({task(1, 1, 1e6)}, {});
  constexpr unsigned kSeed = 11;
  qInfo("seed %u", kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> seconds(1e-4, 1e-2);
  for (int trial = 1; trial <= 300'000; ++trial)
    history.add(point(trial, 1, seconds(random), false));
  const Dots all = trialDots(*history.find(1), {}, 0, 300'001, 0.05, 20, 100, 80);
  QVERIFY(all.measured.x.size() <= 100 * 80);
  QVERIFY(all.measured.x.size() > 4000);
  QVERIFY(std::is_sorted(all.measured.x.begin(), all.measured.x.end()));
  // Looking closely shows every single trial.
  const Dots close = trialDots(*history.find(1), {}, 1000, 1011, 0.05, 20, 2000, 2000);
  QCOMPARE(close.measured.x.size(), std::size_t{11});
}

NW_TEST_APPLESS(CurveDataTest)

} // namespace nestwright::curve_data_test

#include "curve_data.moc"
