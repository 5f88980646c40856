/// A program that the user asks to measure again is measured as the search measured it, and the two
/// times agree within their intervals (C34).

#include "core/execute/latency_comparison.h"
#include "core/record/store/store.h"
#include "core/session/run/session.h"
#include "core/support/random.h"
#include "tests/measure/faulty_workers.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>

namespace nestwright::measured_again_test {

using namespace nestwright::made_up;

/// Uniform noise of this standard deviation, as a share.
double noisy(double seconds, double deviation, Random& random) {
  return seconds * (1 + deviation * std::sqrt(12.0) * (random.unit() - 0.5));
}

/// Every repeat is off by 2 %, and all repeats of a measurement by another 1.5 % together.
MeasureFunction noisyMachine(std::uint64_t seed) {
  return [random = Random(seed)](const auto& requests, const auto& onResult, const auto*) mutable {
    for (const MeasureRequest& request : requests) {
      MeasureResult result = madeUpResult(request);
      const double drift = noisy(1, 0.015, random);
      for (double& seconds : result.seconds)
        seconds = noisy(drift * seconds, 0.02, random);
      onResult(result);
    }
  };
}

/// Another way of measuring, which finds everything a sixth slower the second time.
MeasureFunction twoWays(std::uint64_t seed) {
  auto seen = std::make_shared<std::map<std::string, int>>();
  return [seen, machine = noisyMachine(seed)](const auto& requests, const auto& onResult,
                                              const auto* stop) {
    machine(
        requests,
        [&](MeasureResult result) {
          const auto request = std::ranges::find(requests, result.id, &MeasureRequest::id);
          const std::string program = recordText(toJson(request->steps)) + request->dag;
          if ((*seen)[program]++ > 0)
            for (double& seconds : result.seconds)
              seconds *= 7.0 / 6;
          onResult(result);
        },
        stop);
  };
}

/// A program with the times that it had at first and when it was asked for.
struct Pair {
  Record first, again;
};

/// A session over one task, all of whose good programs are then measured again.
std::vector<Pair> measureAllAgain(const QString& path, SessionConfig config,
                                  const MeasureFunction& machine) {
  config.confirmBest = false; // claims measure again by themselves
  const RowId id = makeSession(path, config, {32});
  Session session(
      path.toStdString(), id, [](const Event&) {}, machine);
  session.post(Start{});
  session.wait();
  std::vector<Pair> pairs;
  for (const Record& record : recordsOf(path))
    if (record.result.verdict == Verdict::Ok) pairs.push_back({record, {}});
  for (const Pair& pair : pairs)
    session.post(MeasureProgram{pair.first.task, {pair.first.id, {}}});
  session.wait();
  for (const Record& record : recordsOf(path))
    for (Pair& pair : pairs)
      if (record.original == pair.first.id) pair.again = record;
  return pairs;
}

int differing(const std::vector<Pair>& pairs) {
  return static_cast<int>(std::ranges::count_if(pairs, [](const Pair& pair) {
    return compareLatencies({pair.first.result.seconds}, {pair.again.result.seconds}).verdict !=
           LatencyVerdict::NotSignificant;
  }));
}

SessionConfig config(int trials) {
  SessionConfig config;
  config.trials = trials;
  config.scheduler = "round-robin";
  return config;
}

class MeasuredAgain : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Whatever a worker is told of a program, it is told both times; only what a check is worth
  /// follows the task's best.
  void workersAreAskedTheSame() {
    const QTemporaryDir folder;
    std::vector<MeasureRequest> asked;
    const std::vector<Pair> pairs =
        measureAllAgain(folder.filePath("a.nwdb"), config(24),
                        [&](const auto& requests, const auto& onResult, const auto* stop) {
                          for (const MeasureRequest& request : requests)
                            if (!request.naive) asked.push_back(request);
                          measureAll(requests, onResult, stop);
                        });
    QVERIFY(pairs.size() > 10);
    QCOMPARE(asked.size(), std::size_t(24) + pairs.size());
    const double best = std::ranges::min(pairs, {}, [](const Pair& pair) {
                          return pair.first.result.latency();
                        }).first.result.latency();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const MeasureRequest& again = asked[24 + i];
      const auto first = std::ranges::find(asked, pairs[i].first.steps, &MeasureRequest::steps);
      QVERIFY(first != asked.end() && first < asked.begin() + 24);
      QCOMPARE(again.dag, first->dag);
      QCOMPARE(again.steps, first->steps);
      QCOMPARE(again.naive, first->naive);
      QCOMPARE(again.check, first->check);
      QCOMPARE(again.checkBelowSeconds, best);
    }
  }

  /// On a machine with the noise that measurements have, the 95 % intervals miss one another no
  /// more often than they may.
  void timesAgreeWithinTheirIntervals() {
    const QTemporaryDir folder;
    const std::vector<Pair> pairs =
        measureAllAgain(folder.filePath("a.nwdb"), config(180), noisyMachine(3));
    QVERIFY(pairs.size() > 140);
    // Five in a hundred; more than this has a chance below one in a thousand.
    const int allowed =
        static_cast<int>(0.05 * pairs.size() + 3.1 * std::sqrt(0.0475 * pairs.size()));
    qInfo("%d of %zu differ", differing(pairs), pairs.size());
    QVERIFY(differing(pairs) <= allowed);
  }

  /// The same comparison sees it when the second time is found in another way.
  void anotherWayOfMeasuringWouldShow() {
    const QTemporaryDir folder;
    const std::vector<Pair> pairs =
        measureAllAgain(folder.filePath("a.nwdb"), config(60), twoWays(3));
    qInfo("%d of %zu differ", differing(pairs), pairs.size());
    QVERIFY(differing(pairs) > static_cast<int>(pairs.size()) / 2);
  }

  /// Through worker processes: warm-ups, repeats and checks are those of the session, both times.
  void realWorkersMeasureAsBefore() {
    const QTemporaryDir folder;
    qputenv("NESTWRIGHT_TEST_FOLDER", folder.path().toUtf8());
    SessionConfig wanted = config(8);
    wanted.measure = test::quickOptions();
    wanted.measure.repeats = 4;
    wanted.measure.warmups = 2;
    Measurer measurer(wanted.measure, test::faultyWorker());
    const std::vector<Pair> pairs =
        measureAllAgain(folder.filePath("a.nwdb"), wanted,
                        [&](const auto& requests, const auto& onResult, const auto* stop) {
                          measurer.measure(requests, onResult, stop);
                        });
    QVERIFY(pairs.size() >= 6);
    for (const auto& [first, again] : pairs) {
      QVERIFY2(again.result.verdict == Verdict::Ok, again.result.error.c_str());
      for (const Record* record : {&first, &again}) {
        QCOMPARE(record->result.seconds.size(), std::size_t(4));
        QVERIFY(record->result.warmups >= 2); // and those that found the batch
        QVERIFY(record->result.runsPerRepeat >= 1);
      }
      QCOMPARE(again.steps, first.steps);
      QCOMPARE(again.program, first.program);
      QCOMPARE(again.result.cacheFlushed, first.result.cacheFlushed);
    }
  }
};

NW_TEST_GUILESS(MeasuredAgain)

} // namespace nestwright::measured_again_test

#include "measured_again.moc"
