/// What a session remembers of earlier ones: which programs of which source, in which order, as a
/// quarter of a round while they win; it decides the same whatever the file learns later.

#include "core/session/run/memory/session_memory.h"

#include "core/session/crossing/ancestry.h"
#include "core/session/run/memory/memory_survey.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning_state.h"
#include "core/support/error.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <set>

namespace nestwright::session_memory_test {

using namespace nestwright::made_up;

constexpr const char* kKnown = "matmul:m=64,n=64,k=64";
constexpr const char* kNear = "matmul:m=128,n=64,k=64";
constexpr const char* kFar = "matmul:m=1024,n=16,k=64";
constexpr const char *kThird = "matmul:m=32,n=32,k=64", *kFourth = "matmul:m=16,n=64,k=128";
constexpr const char* kOther = "softmax:m=64,n=64";

SessionConfig configOf(std::vector<std::string> subjects) {
  SessionConfig config;
  config.subjects = std::move(subjects);
  config.trials = 64;
  config.trialsPerRound = 16;
  config.rules = "paper";
  config.measure.threads = 2;
  return config;
}

RowId created(const QString& path, const SessionConfig& config, int threads = 2) {
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  return createSession(store, config, hostTarget(threads));
}

SessionStatus runOnTiles(const QString& path, RowId id) {
  Session session(
      path.toStdString(), id, [](const Event&) {}, measureTiles);
  session.post(Start{});
  return session.wait();
}

class SessionMemoryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// A file that knows two products, one of them also for another number of threads.
  void initTestCase() {
    SessionConfig config = configOf({kKnown, kFar, kThird, kFourth});
    config.seed = 99;
    config.trials = 128;
    QCOMPARE(runOnTiles(file_, created(file_, config)), SessionStatus::Finished);
    config.subjects = {kKnown};
    config.trials = 16;
    config.measure.threads = 1;
    QCOMPARE(runOnTiles(file_, created(file_, config, 1)), SessionStatus::Finished);
  }

  void sourcesComeInTheirOrder() {
    SessionConfig config = configOf({kKnown, kNear, kOther});
    config.memory = {file_.toStdString()};
    const SessionMemory memory =
        recall(config, resolveSubjects(config.subjects), hostTarget(2), "none.nwdb");
    QCOMPARE(memory.tasks.size(), std::size_t(3));
    const TaskRecall& known = memory.tasks[0];
    QCOMPARE(known.standing(), "known");
    std::map<MemorySource, int> counts;
    std::set<std::string> programs;
    int measuredOfSame = 0;
    MemorySource last = MemorySource::SameTask;
    for (const RememberedProgram& program : known.programs) {
      ++counts[program.source];
      QVERIFY(programs.insert(program.program).second);
      measuredOfSame += program.isMeasured && program.source == MemorySource::SameTask ? 1 : 0;
      if (!program.isMeasured) continue;
      QVERIFY(program.source >= last);
      last = program.source;
    }
    QCOMPARE(measuredOfSame, 1); // the times of the others are known
    QCOMPARE(counts[MemorySource::SameTask], int(kMostOfSameTask));
    QVERIFY(counts[MemorySource::SameMachine] > 0);
    QVERIFY(counts[MemorySource::SameKind] > 3);
    QVERIFY(known.programs.front().splits.empty());

    const TaskRecall& near = memory.tasks[1];
    QCOMPARE(near.standing(), "similar");
    QCOMPARE(near.programs.front().source, MemorySource::SameKind);
    QCOMPARE(near.programs.front().distance, 1.0); // twice as many rows
    QCOMPARE(near.programs.size(), kMostOfKind);
    for (std::size_t i = 1; i < kNearestOfKind && i < near.programs.size(); ++i)
      QVERIFY(near.programs[i].distance >= near.programs[i - 1].distance);
    QVERIFY(!near.programs.front().splits.empty());
    const QString reason = QString::fromStdString(reasonText(near.programs.front()));
    QVERIFY2(reason.contains("a task of the same kind on this target") &&
                 reason.contains(", 64 to 128"),
             qPrintable(reason));

    QCOMPARE(memory.tasks[2].standing(), "unknown");
    QVERIFY(memory.tasks[2].programs.empty());
  }

  /// The best of the same task first, at most a quarter of the first round, with its record.
  void aRoundMeasuresAQuarter() {
    const QString path = copied();
    SessionConfig config = configOf({kKnown});
    config.memory = {"this"};
    const RowId session = created(path, config);
    const Record best = *RecordStore::open(path.toStdString(), OpenMode::ReadOnly)
                             .records()
                             .best(recordsOf(path).front().task);
    QCOMPARE(runOnTiles(path, session), SessionStatus::Finished);
    const std::vector<Record> records = recordsOf(path, session);
    QCOMPARE(records.size(), std::size_t(64));
    QCOMPARE(records[0].program, best.program);
    const Trace first = *traceOf(records[0]);
    QCOMPARE(first.origin, Origin::Remembered);
    QCOMPARE(first.source, best.id);
    QCOMPARE(first.parents, std::vector<std::string>{best.program});
    QVERIFY(!first.reason.empty());
    // The next round has a quarter again as long as one of them wins, and some are left.
    bool wins = true;
    std::size_t measured = 0;
    for (std::size_t round = 0; round < 4; ++round) {
      std::size_t fastest = 16 * round;
      for (std::size_t i = 16 * round; i < 16 * round + 16; ++i) {
        const bool isRemembered = traceOf(records[i])->origin == Origin::Remembered;
        measured += isRemembered ? 1 : 0;
        if (!wins || i % 16 >= 4) QVERIFY(!isRemembered);
        if (round == 0) QCOMPARE(isRemembered, i < 4);
        if (records[i].result.latency() < records[fastest].result.latency()) fastest = i;
      }
      wins = wins && traceOf(records[fastest])->origin == Origin::Remembered;
    }
    QVERIFY(measured >= 4);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const TuningState state = tuningStateFromText(store.sessions().one(session)->schedulerState);
    QVERIFY(state.tasks.begin()->second.rememberedParents.empty());
  }

  /// The next round has a quarter again while they win; what does not is forgotten.
  void onlyWinnersGoOn_data() {
    QTest::addColumn<bool>("wins");
    QTest::newRow("they win") << true;
    QTest::newRow("they lose") << false;
  }
  void onlyWinnersGoOn() {
    QFETCH(bool, wins);
    const QString path = copied();
    SessionConfig config = configOf({kNear});
    config.memory = {"this"};
    config.confirmBest = false;
    const RowId session = created(path, config);
    const auto judge = [wins](const auto& requests, const auto& onResult, const auto*) {
      int at = 0;
      for (const MeasureRequest& request : requests) {
        MeasureResult result = timeOfTiles(request);
        const double seconds = request.naive ? 1 : (at++ < 4) == wins ? 0.1 : 0.5 + 0.001 * at;
        result.seconds = {seconds, seconds, seconds};
        onResult(result);
      }
    };
    Session run(
        path.toStdString(), session, [](const Event&) {}, judge);
    run.post(Start{});
    QCOMPARE(run.wait(), SessionStatus::Finished);
    const std::vector<Record> records = recordsOf(path, session);
    QCOMPARE(records.size(), std::size_t(64));
    // Six programs of the same kind are known: four, and then the other two.
    for (std::size_t i = 0; i < records.size(); ++i)
      QCOMPARE(traceOf(records[i])->origin == Origin::Remembered,
               i < 4 || (wins && i >= 16 && i < 18));
  }

  /// The source counts before how far its extents are, and these before its time.
  void theNearestIsOfTheNearestSource() {
    const auto program = [](MemorySource source, double distance, double seconds) {
      RememberedProgram one;
      one.source = source;
      one.distance = distance;
      one.seconds = seconds;
      return one;
    };
    TaskRecall task;
    QVERIFY(!nearest(task));
    task.programs = {program(MemorySource::SameKind, 2, 1e-6),
                     program(MemorySource::SameKind, 1, 3e-6),
                     program(MemorySource::SameKind, 1, 2e-6)};
    QCOMPARE(nearest(task), &task.programs[2]);
    task.programs.push_back(program(MemorySource::SameTask, 0, 1));
    QCOMPARE(nearest(task), &task.programs[3]);
  }

  /// Its decisions follow from what was known when it was made (C35).
  void whatTheFileLearnsLaterDoesNotMatter() {
    SessionConfig config = configOf({kNear});
    config.memory = {"this"};
#ifdef HAS_COST_MODEL
    config.policy = "evolutionary";
    config.population = 64;
#endif
    const QString path = copied(), other = copied();
    const RowId session = created(path, config);
    const RowId same = created(other, config);
    QCOMPARE(session, same);
    // In between the other file learns more of the same.
    SessionConfig more = configOf({kKnown});
    more.seed = 12345;
    QCOMPARE(runOnTiles(other, created(other, more)), SessionStatus::Finished);
    QCOMPARE(runOnTiles(path, session), SessionStatus::Finished);
    const QStringList expected = decisions(path, session);
    QCOMPARE(runInPieces(other, same, 3, 5, measureTiles).status, SessionStatus::Finished);
    QCOMPARE(decisions(other, same), expected);
    QVERIFY(expected.join("\n").contains("remembered"));
#ifdef HAS_COST_MODEL
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QVERIFY(configOf(*store.sessions().one(session)).memoryModel);
    // It ranks from the first round on, and says which part of it does (C39).
    QVERIFY2(expected.front().contains("remembered"), qPrintable(expected.front()));
    QVERIFY2(expected.join("\n").contains("\"ranking\":\"base\""), qPrintable(expected[8]));
#endif
  }

  /// Killed at any of twenty moments, between two measurements or two events, it goes on to the
  /// same decisions (C25): what was remembered, the search, and the polish at the end.
  void killsChangeNothing() {
    SessionConfig config = configOf({kNear, kKnown});
    config.memory = {"this"};
    config.polish = 16;
    config.confirmBest = true;
#ifdef HAS_COST_MODEL
    config.policy = "evolutionary";
    config.population = 64;
#endif
    const QString path = copied();
    const RowId session = created(path, config);
    constexpr int kKills = 20;
    std::vector<QString> killed;
    int moments = 0, next = 3;
    QRandomGenerator random(7);
    const auto kill = [&] {
      if (++moments < next || killed.size() >= kKills) return;
      killed.push_back(snapshot(path, newPath()));
      next = moments + 1 + random.bounded(12);
    };
    {
      Session run(
          path.toStdString(), session, [&](const Event&) { kill(); },
          [&](const auto& requests, const auto& onResult, const auto*) {
            for (const MeasureRequest& request : requests) {
              kill();
              onResult(timeOfTiles(request));
            }
          });
      run.post(Start{});
      QCOMPARE(run.wait(), SessionStatus::Finished);
    }
    QCOMPARE(killed.size(), std::size_t(kKills));
    const QStringList expected = decisions(path, session);
    QVERIFY(expected.join("\n").contains("remembered") && expected.join("\n").contains("polish"));
    int unfinished = 0;
    for (const QString& file : killed) {
      unfinished += recordsOf(file, session).size() < std::size_t(expected.size()) ? 1 : 0;
      QCOMPARE(runOnTiles(file, session), SessionStatus::Finished);
      QCOMPARE(decisions(file, session), expected);
    }
    QVERIFY2(unfinished >= kKills - 2, qPrintable(QString::number(unfinished)));
  }

  /// Without one a session is as it ever was.
  void offIsCold() {
    const QString path = copied();
    const RowId session = created(path, configOf({kKnown}));
    QCOMPARE(runOnTiles(path, session), SessionStatus::Finished);
    for (const Record& record : recordsOf(path, session))
      QVERIFY(traceOf(record)->origin != Origin::Remembered);
  }

  void badMemoriesAreToldOf() {
    SessionConfig config = configOf({kKnown});
    const QString path = newPath();
    config.memory = {folder_.filePath("missing.nwdb").toStdString()};
    QVERIFY_THROWS_EXCEPTION(InputError, created(path, config));
    const QString noDocument = folder_.filePath("text.nwdb");
    QFile text(noDocument);
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write("this is no record file");
    text.close();
    config.memory = {noDocument.toStdString()};
    QVERIFY_THROWS_EXCEPTION(InputError, created(path, config));
    config.memory = {"off", "this"};
    QVERIFY_THROWS_EXCEPTION(UsageError, created(path, config));
    QVERIFY(RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().all().empty());
    // One without records, or of another machine, knows nothing, and that is all.
    const QString empty = newPath();
    RecordStore::open(empty.toStdString(), OpenMode::Create);
    config.memory = {empty.toStdString()};
    QVERIFY(recall(config, resolveSubjects(config.subjects), hostTarget(2), "")
                .tasks[0]
                .programs.empty());
  }

  /// Of a program that was re-fitted from another task's the family has that one, and no other.
  void aFamilyBeginsWithWhatWasRemembered() {
    const QString path = copied();
    SessionConfig config = configOf({kNear});
    config.memory = {"this"};
    config.trials = 16;
    const RowId session = created(path, config);
    QCOMPARE(runOnTiles(path, session), SessionStatus::Finished);
    const Record first = recordsOf(path, session).front();
    const Trace trace = *traceOf(first);
    QCOMPARE(trace.origin, Origin::Remembered);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const Record source = *store.records().one(trace.source);
    const std::vector<Ancestor> family = ancestors(store, session, first.task, first.program);
    QCOMPARE(family.size(), std::size_t(2));
    QCOMPARE(family[0].parents, std::vector<std::string>{source.program});
    QCOMPARE(family[1].record, source.id);
    QCOMPARE(family[1].task, source.task);
    QCOMPARE(family[1].session, source.session);
    QCOMPARE(family[1].seconds, source.result.latency());
    QVERIFY(family[1].steps == source.steps);
    // From another file there is no record to go to, and the reason names the file.
    const QString other = newPath();
    config.memory = {file_.toStdString()};
    const RowId elsewhere = created(other, config);
    QCOMPARE(runOnTiles(other, elsewhere), SessionStatus::Finished);
    const Trace far = *traceOf(recordsOf(other, elsewhere).front());
    QCOMPARE(far.source, RowId(0));
    QVERIFY2(QString::fromStdString(far.reason).endsWith("known.nwdb"), far.reason.c_str());
  }

 private:
  QString newPath() {
    return folder_.filePath(QString("%1.nwdb").arg(++files_));
  }
  QString copied() {
    const QString path = newPath();
    QFile::copy(file_, path);
    return path;
  }

  QTemporaryDir folder_;
  const QString file_ = folder_.filePath("known.nwdb");
  int files_ = 0;
};

NW_TEST_GUILESS(SessionMemoryTest)

} // namespace nestwright::session_memory_test

#include "session_memory.moc"
