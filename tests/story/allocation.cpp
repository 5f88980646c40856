#include "core/story/allocation.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::allocation_test {

class AllocationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void trialsAddUp_data();
  void trialsAddUp();
};

void AllocationTest::trialsAddUp_data() {
  QTest::addColumn<int>("axis");
  QTest::addColumn<bool>("share");
  QTest::newRow("trials") << 0 << false;
  QTest::newRow("share") << 0 << true;
  QTest::newRow("time") << 1 << false;
}

void AllocationTest::trialsAddUp() {
  QFETCH(int, axis);
  QFETCH(bool, share);
  TuningHistory history;
  std::vector<TaskRow> rows(4);
  std::vector<TaskSummary> summaries(4);
  std::vector<AllocationTask> tasks;
  for (int i = 0; i < 4; ++i) {
    rows[i].id = summaries[i].task = i + 1;
    tasks.push_back({i + 1, i, i < 2});
  }
  history.reset(rows, summaries);
  constexpr int kTrials = 300;
  const auto taskOf = [](int trial) { return 1 + (trial * trial / 7) % 4; };
  const auto wallOf = [](int trial) { return 0.01 * trial * trial; };
  for (int trial = 1; trial <= kTrials; ++trial)
    history.add({trial, wallOf(trial), 1e-3, taskOf(trial), trial});
  const Allocation shown = allocation(history, tasks, XAxis(axis), share, 40);
  QCOMPARE(shown.trials, std::int64_t(kTrials));
  QCOMPARE(shown.bands.size(), std::size_t(3));
  QCOMPARE(shown.bands[0].task, RowId(0)); // the other two, below
  QCOMPARE(shown.bands[0].tasks, 2);
  for (int i = 1; i < 39; ++i) {
    double all = 0, first = 0;
    for (int trial = 1; trial <= kTrials; ++trial) {
      const double x = axis == 0 ? trial : double(float(wallOf(trial)));
      if (x > shown.x[i]) continue;
      ++all;
      first += taskOf(trial) == 1;
    }
    const double scale = share ? (all > 0 ? 100 / all : 0) : 1;
    QCOMPARE(shown.bands[1].top[i] - shown.bands[0].top[i] + 1, first * scale + 1);
    QCOMPARE(shown.bands[2].top[i] + 1, all * scale + 1);
  }
  QVERIFY(allocation(TuningHistory{}, tasks, XAxis::Trials, false, 40).bands.empty());
}

NW_TEST_APPLESS(AllocationTest)

} // namespace nestwright::allocation_test

#include "allocation.moc"
