/// \file Which of two latencies, two sessions, is faster, and when that cannot be said.

#include "core/session/insight/compare_sessions.h"

#include "core/network/graph/workloads.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/session.h"
#include "core/support/random.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace nestwright::compare_sessions_test {

double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += random.unit();
  return sum;
}

/// A measurement of a program that takes `seconds`: off as a whole, and in each repeat.
LatencySample measured(double seconds, int repeats, Random& random, double drift, double noise) {
  const double off = std::exp(drift * normal(random));
  LatencySample sample;
  for (int i = 0; i < repeats; ++i)
    sample.repeats.push_back(seconds * off * std::exp(noise * normal(random)));
  return sample;
}

/// A file with two sessions over the same two tasks.
struct TwoSessions {
  QTemporaryDir folder;
  RecordStore store =
      RecordStore::open(folder.filePath("two.nwdb").toStdString(), OpenMode::Create);
  std::vector<RowId> tasks, sessions;
  int made = 0;

  TwoSessions() {
    const RowId network = store.networks().add({0, "n", "n"});
    const RowId target = store.targets().add({0, "machine", "llvm", "{}"});
    for (int i = 0; i < 2; ++i) {
      const Workload work = parseTaskSpec(fmt::format("matmul:m={0},n={0},k={0}", 16 << i));
      TaskRow row;
      row.network = network, row.target = target, row.index = i;
      row.key = workloadKey(work.dag), row.name = fmt::format("task {}", i);
      row.dag = print(work.dag), row.weight = 2 - i, row.flops = flops(work.dag);
      tasks.push_back(store.tasks().add(row));
    }
    for (int i = 0; i < 2; ++i) {
      SessionRow row;
      row.network = network, row.title = fmt::format("session {}", i);
      row.config = toJson(SessionConfig()).dump();
      sessions.push_back(store.sessions().add(row));
      store.sessions().setTasks(sessions.back(), tasks);
    }
  }

  RowId add(int session, int task, std::vector<double> repeats, bool verified = true,
            const std::string& program = {}) {
    Record record;
    record.session = sessions[static_cast<std::size_t>(session)];
    record.task = tasks[static_cast<std::size_t>(task)];
    record.trial = ++made;
    record.program = program.empty() ? fmt::format("{:032x}", made) : program;
    record.steps = {AnnotationStep{2, 0, Annotation::Parallel}};
    record.result.seconds = std::move(repeats);
    record.trace = "{}";
    record.verified = record.result.checked = verified;
    return store.records().add(record);
  }

  SessionComparison compare() {
    return compareSessions({&store, sessions[0]}, {&store, sessions[1]});
  }
};

class CompareSessions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void verdicts_data() {
    QTest::addColumn<QVector<double>>("left");
    QTest::addColumn<QVector<double>>("right");
    QTest::addColumn<int>("verdict");
    const auto row = [](const char* name, QVector<double> left, QVector<double> right,
                        LatencyVerdict verdict) {
      QTest::newRow(name) << left << right << static_cast<int>(verdict);
    };
    row("twice as fast", {2e-3, 2.01e-3, 1.99e-3}, {1e-3, 1.01e-3, 0.99e-3},
        LatencyVerdict::RightFaster);
    row("twice as slow", {1e-3, 1.01e-3, 0.99e-3}, {2e-3, 2.01e-3, 1.99e-3},
        LatencyVerdict::LeftFaster);
    row("the same repeats", {1e-3, 1.01e-3, 1e-3}, {1e-3, 1.01e-3, 1e-3},
        LatencyVerdict::NotSignificant);
    row("three percent, no spread", {1.03e-3, 1.03e-3, 1.03e-3}, {1e-3, 1e-3, 1e-3},
        LatencyVerdict::NotSignificant);
    row("a fifth, but scattered", {1.2e-3, 1.5e-3, 1.0e-3}, {1e-3, 1.3e-3, 0.8e-3},
        LatencyVerdict::NotSignificant);
    row("single repeats far apart", {2}, {1}, LatencyVerdict::RightFaster);
    row("single repeats near", {1.1}, {1}, LatencyVerdict::NotSignificant);
    row("nothing on the left", {}, {1}, LatencyVerdict::Unknown);
  }
  void verdicts() {
    QFETCH(QVector<double>, left);
    QFETCH(QVector<double>, right);
    QFETCH(int, verdict);
    const LatencySample l{{left.begin(), left.end()}}, r{{right.begin(), right.end()}};
    const LatencyComparison comparison = compareLatencies(l, r);
    QCOMPARE(name(comparison.verdict), name(static_cast<LatencyVerdict>(verdict)));
    if (comparison.verdict == LatencyVerdict::Unknown) return;
    QVERIFY(comparison.low <= comparison.ratio && comparison.ratio <= comparison.high);
    // The other way round it is the same in reverse.
    const LatencyComparison back = compareLatencies(r, l);
    QVERIFY(std::abs(back.ratio * comparison.ratio - 1) < 1e-9);
    QVERIFY(std::abs(back.low * comparison.high - 1) < 1e-9);
  }

  void words() {
    QCOMPARE(inWords(compareLatencies({{2, 2}}, {{1, 1}})),
             std::string("2× faster (1.89× to 2.11×)"));
    QVERIFY(inWords(compareLatencies({{1, 1}}, {{1, 1}})).starts_with("not significantly"));
    QCOMPARE(inWords(compareLatencies({}, {{1, 1}})), std::string("not measured"));
  }

  /// Equal programs on a machine that drifts by two percent: seldom told apart. Programs a fifth
  /// apart: nearly always.
  void falseAlarmsAreRare() {
    Random random(1);
    int alarms = 0, found = 0;
    constexpr int kRounds = 2000;
    for (int i = 0; i < kRounds; ++i) {
      const LatencySample a = measured(1e-3, 3, random, 0.02, 0.01);
      const LatencySample b = measured(1e-3, 3, random, 0.02, 0.01);
      const LatencySample slow = measured(1.2e-3, 3, random, 0.02, 0.01);
      alarms += compareLatencies(a, b).verdict != LatencyVerdict::NotSignificant ? 1 : 0;
      found += compareLatencies(slow, a).verdict == LatencyVerdict::RightFaster ? 1 : 0;
    }
    // One in twenty by construction.
    QVERIFY2(alarms < kRounds * 6 / 100, qPrintable(QString::number(alarms)));
    QVERIFY2(found > kRounds * 95 / 100, qPrintable(QString::number(found)));
  }

  void totalsWeighTheirTasks() {
    const std::vector<WeightedPair> pairs{{1, {{1, 1, 1}}, {{1, 1, 1}}},
                                          {4, {{2, 2, 2}}, {{1, 1, 1}}}};
    const LatencyComparison total = compareTotals(pairs);
    QCOMPARE(total.left, 9.0);
    QCOMPARE(total.right, 5.0);
    QCOMPARE(total.verdict, LatencyVerdict::RightFaster);
    // Independent tasks average their drift out.
    const LatencyComparison one = compareTotals({pairs.data() + 1, 1});
    QVERIFY(total.high / total.ratio < one.high / one.ratio);
  }

  void tasksOfTwoSessions() {
    TwoSessions two;
    two.add(0, 0, {2e-3, 2e-3, 2e-3});
    two.add(0, 1, {1e-3, 1e-3, 1e-3}, true, std::string(32, 'a'));
    two.add(1, 0, {1e-3, 1e-3, 1e-3});
    const RowId slower = two.add(1, 1, {1.01e-3, 1.01e-3, 1.01e-3}, false, std::string(32, 'a'));
    const SessionComparison comparison = two.compare();
    QCOMPARE(comparison.tasks.size(), std::size_t(2));
    QCOMPARE(comparison.tasks[0].latency.verdict, LatencyVerdict::RightFaster);
    QCOMPARE(comparison.tasks[1].latency.verdict, LatencyVerdict::NotSignificant);
    QVERIFY(comparison.tasks[1].sameProgram && !comparison.tasks[0].sameProgram);
    QCOMPARE(comparison.tasks[1].right.record, slower); // nothing verified: the fastest
    QVERIFY(!comparison.tasks[1].right.verified && comparison.tasks[1].left.verified);
    QCOMPARE(comparison.total.left, 2 * 2e-3 + 1e-3);
    QCOMPARE(comparison.compared, 2);
    QVERIFY(comparison.sameMachine);
  }

  void theFastestIsTheBestWhateverWasCompared() {
    TwoSessions two;
    // The first of its sketch was compared; what does not beat the file's best is not.
    two.add(0, 0, {1e-3, 1e-3}, true);
    const RowId faster = two.add(0, 0, {0.5e-3, 0.5e-3}, false);
    const SessionBest best = bestOf({&two.store, two.sessions[0]}, two.tasks[0]);
    QCOMPARE(best.record, faster);
    QCOMPARE(best.trials, 2);
    QVERIFY(!best.verified);
  }

  void aTaskThatOneSideLacksIsListedAndLeftOut() {
    TwoSessions two;
    two.store.sessions().setTasks(two.sessions[1], {two.tasks[1]});
    two.add(0, 0, {2e-3, 2e-3});
    two.add(0, 1, {2e-3, 2e-3});
    two.add(1, 1, {1e-3, 1e-3});
    const SessionComparison comparison = two.compare();
    QCOMPARE(comparison.tasks.size(), std::size_t(2));
    QCOMPARE(comparison.tasks[0].right.task, RowId(0));
    QCOMPARE(comparison.tasks[0].latency.verdict, LatencyVerdict::Unknown);
    QCOMPARE(comparison.compared, 1);
    QVERIFY(std::abs(comparison.total.ratio - 2) < 1e-12);
  }

  void sessionsThatAreNotThere() {
    TwoSessions two;
    QVERIFY_EXCEPTION_THROWN(compareSessions({&two.store, two.sessions[0]}, {&two.store, 99}),
                             std::exception);
  }
};

NW_TEST_APPLESS(CompareSessions)

} // namespace nestwright::compare_sessions_test

#include "compare_sessions.moc"
