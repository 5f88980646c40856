/// Programs of records are measured again, each once, in a session of their own, through
/// interruptions; each names its record, and old times are compared with new ones.

#include "core/session/run/again/measure_again.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QTest>

#include <set>

namespace nestwright::records_again_test {

using namespace nestwright::made_up;

TargetFacts plainly() {
  TargetFacts facts = hostTarget(2);
  facts.lowering = Lowering::Plain;
  return facts;
}

/// A machine on which all takes three times as long, and one program ten times more.
MeasureFunction slowerMachine() {
  return [first = true](const auto& requests, const auto& onResult, const auto*) mutable {
    for (const MeasureRequest& request : requests) {
      MeasureResult result = madeUpResult(request);
      const bool isOdd =
          !request.naive && result.verdict == Verdict::Ok && std::exchange(first, false);
      for (double& seconds : result.seconds)
        seconds *= isOdd ? 30 : 3;
      onResult(result);
    }
  };
}

std::vector<Record> recordsOf(const RecordStore& store, RowId session) {
  RecordQuery query;
  query.session = session;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 100'000;
  return store.records().page(query);
}

class RecordsAgain : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachProgramIsMeasuredOnce() {
    const QString path = tuned();
    const AgainSession opened = open(path, {});
    QVERIFY(opened.isNew);
    QCOMPARE(opened.records, std::int64_t(60));
    QCOMPARE(runToEnd(path, opened.session), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    std::set<RowId> sources;
    for (const Record& record : recordsOf(store, opened.session)) {
      const std::optional<Trace> trace = traceOf(record);
      QVERIFY(trace.has_value());
      QCOMPARE(trace->origin, Origin::MeasuredAgain);
      const std::optional<Record> source = store.records().one(trace->source);
      QVERIFY(source.has_value());
      QCOMPARE(record.program, source->program);
      QVERIFY(record.steps == source->steps);
      QVERIFY(sources.insert(source->id).second);
      QVERIFY(record.task != source->task); // its target is another
      QCOMPARE(targetOf(store, *store.tasks().one(record.task)).lowering, Lowering::Plain);
    }
    QCOMPARE(sources.size(), std::size_t(60));
    QCOMPARE(store.check(), std::vector<std::string>());
  }

  /// Cut off again and again, as by a kill, it measures what it measures in one go.
  void itGoesOnAfterInterruptions() {
    const QString path = tuned();
    const RowId id = open(path, {}).session;
    SessionStatus status = SessionStatus::Paused;
    int lives = 0;
    for (; status != SessionStatus::Finished && lives < 100; ++lives) {
      const AgainSession again = open(path, {});
      QVERIFY(!again.isNew);
      QCOMPARE(again.session, id);
      std::atomic<Session*> current{nullptr};
      Session session(
          path.toStdString(), id, [](const Event&) {}, cutOffAfter(11, current));
      current = &session;
      session.post(Start{});
      status = session.wait();
    }
    QVERIFY(lives > 3);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(recordsOf(store, id).size(), std::size_t(60));
  }

  void aWishOfItsOwnIsASessionOfItsOwn() {
    const QString path = tuned();
    const RowId all = open(path, {}).session;
    AgainWish some;
    some.limit = 20;
    const AgainSession drawn = open(path, some);
    QVERIFY(drawn.isNew && drawn.session != all);
    QCOMPARE(drawn.records, std::int64_t(20));
    QVERIFY(!open(path, some).isNew); // the same ones are drawn
    some.seed = 1;
    QVERIFY(open(path, some).isNew);
    AgainWish anew;
    anew.anew = true;
    QVERIFY(open(path, anew).isNew);
    // Records of such sessions are not measured again in turn.
    QCOMPARE(runToEnd(path, drawn.session), SessionStatus::Finished);
    QCOMPARE(open(path, {}).records, std::int64_t(60));
  }

  void timesAreCompared() {
    const QString path = tuned();
    const RowId id = open(path, {}).session;
    Session session(
        path.toStdString(), id, [](const Event&) {}, slowerMachine());
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const std::vector<TaskAgreement> tasks = agreementOf(store, id, 2);
    QCOMPARE(tasks.size(), std::size_t(3));
    int odd = 0;
    for (const TaskAgreement& task : tasks) {
      QVERIFY(task.programs > 10);
      QCOMPARE(task.failed, std::int64_t(0)); // what fails here failed then
      QVERIFY2(task.rankCorrelation > 0.8, qPrintable(QString::number(task.rankCorrelation)));
      QVERIFY2(std::abs(task.ratioOfMedians - 3) < 0.5,
               qPrintable(QString::number(task.ratioOfMedians)));
      QCOMPARE(task.worst.size(), std::size_t(2));
      QVERIFY(std::abs(task.worst.back().surprise - 1) < 1e-9);
      odd += std::abs(task.worst.front().surprise - 10) < 1e-9;
    }
    QCOMPARE(odd, 1);
  }

  void whatCannotBeMeasuredIsSaid() {
    const QString path = tuned();
    RecordStore store = RecordStore::open(path.toStdString());
    const TargetFacts gpu = cudaTarget(gpuPreset({9, 0}));
    const std::string refused = test::messageOf([&] { (void)openMeasureAgain(store, {}, gpu); });
    QVERIFY2(QString::fromStdString(refused).contains("60 records of programs without threads"),
             refused.c_str());
    AgainWish none;
    none.query.session = 99;
    const std::string empty =
        test::messageOf([&] { (void)openMeasureAgain(store, none, plainly()); });
    QVERIFY2(QString::fromStdString(empty).contains("no record matches"), empty.c_str());
    QCOMPARE(store.sessions().all().size(), std::size_t(1));
  }

 private:
  /// A file in which 60 programs of three tasks were measured.
  QString tuned() {
    const QString path = folder_.filePath(QStringLiteral("%1.nwdb").arg(++files_));
    SessionConfig config;
    config.trials = 60;
    config.scheduler = "round-robin";
    config.confirmBest = false;
    config.stopFailures = 0;
    const RowId id = makeSession(path, config);
    if (runToEnd(path, id) != SessionStatus::Finished) qFatal("the session did not finish");
    return path;
  }

  static AgainSession open(const QString& path, const AgainWish& wish) {
    RecordStore store = RecordStore::open(path.toStdString());
    return openMeasureAgain(store, wish, plainly());
  }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_APPLESS(RecordsAgain)

} // namespace nestwright::records_again_test

#include "records_again.moc"
