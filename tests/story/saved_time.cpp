/// What an adaptive evaluator saves, of one measurement and of a session.

#include "core/story/saved_time.h"

#include "core/record/store/record_rows.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::saved_time_test {

MeasureOptions adaptive() {
  MeasureOptions options;
  options.evaluator = evaluatorFromText("adaptive:runs=500,batch=50");
  return options;
}

/// Three micro-batches of 50 runs.
MeasureResult stopped(StopReason reason, double seconds = 1e-3) {
  MeasureResult result;
  result.seconds = {seconds, seconds, seconds};
  result.runsPerRepeat = 50;
  result.evaluation = Evaluation{EvaluatorKind::Adaptive, SpeedEstimate::Batch, reason, 3};
  return result;
}

class SavedTimeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void itIsOfTheRunsThatWereNotMade() {
    const MeasureOptions options = adaptive();
    QVERIFY(savesTime(options) && !savesTime(MeasureOptions()));
    QCOMPARE(savedRuns(options, stopped(StopReason::Steady)).seconds, 350 * 1e-3);
    QCOMPARE(savedRuns(options, stopped(StopReason::Hopeless)).seconds, 350 * 1e-3);
    QCOMPARE(savedRuns(options, stopped(StopReason::AllRuns)).seconds, 0.0);
    QCOMPARE(savedRuns(options, stopped(StopReason::SecondsSpent)).seconds, 0.0);
    MeasureResult failed = stopped(StopReason::Steady);
    failed.verdict = Verdict::RunError;
    QCOMPARE(savedRuns(options, failed).seconds, 0.0);
  }

  /// Of a slow program no evaluator would have made all runs.
  void noMeasurementTakesLongerThanItMay() {
    MeasureOptions options = adaptive();
    options.runTimeoutSeconds = 10; // of which 8 are for micro-batches
    QCOMPARE(savedRuns(options, stopped(StopReason::Steady, 0.02)).seconds, 8 - 150 * 0.02);
    QCOMPARE(savedRuns(options, stopped(StopReason::Steady, 0.02)).runs, 8 / 0.02 - 150);
    options.evaluator.seconds = 4;
    QCOMPARE(savedRuns(options, stopped(StopReason::Steady, 0.02)).seconds, 4 - 150 * 0.02);
    options.evaluator.seconds = 1;
    QCOMPARE(savedRuns(options, stopped(StopReason::Steady, 0.02)).seconds, 0.0);
  }

  void newRecordsAreAdded() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.nwdb"));
    SessionConfig config;
    config.measure = adaptive();
    config.trials = 30;
    const RowId session = made_up::makeSession(path, config);
    const auto early = [](const auto& requests, const auto& onResult, const auto* stop) {
      made_up::measureAll(
          requests,
          [&](MeasureResult result) {
            if (result.verdict == Verdict::Ok) {
              const std::uint64_t id = result.id;
              result = stopped(StopReason::Steady, result.seconds.front());
              result.id = id;
            }
            onResult(result);
          },
          stop);
    };
    {
      Session run(
          path.toStdString(), session, [](const Event&) {}, early);
      run.post(Start{});
      run.wait();
    }
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const SavedTime all = savedTime(store, session, config.measure);
    QVERIFY(all.measurements > 10 && all.seconds > 0);
    QCOMPARE(all.runs, 350.0 * double(all.measurements));
    // In two parts it is the same.
    const SavedTime part = savedTime(store, session, config.measure, {}, all.last / 2);
    QVERIFY(part.measurements < all.measurements && part.last <= all.last / 2);
    const SavedTime rest = savedTime(store, session, config.measure, part);
    QCOMPARE(rest.runs, all.runs);
    QVERIFY(qAbs(rest.seconds - all.seconds) < 1e-9 * all.seconds);
    // Who waits no longer ends it between two pages.
    struct NotWanted {};
    QVERIFY_THROWS_EXCEPTION(NotWanted, savedTime(store, session, config.measure, {}, all.last,
                                                  [] { throw NotWanted(); }));
  }
};

NW_TEST_GUILESS(SavedTimeTest)

} // namespace nestwright::saved_time_test

#include "saved_time.moc"
