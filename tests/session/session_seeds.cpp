/// Programs that a session begins with: measured first, each once whatever interrupts it, with the
/// reason of each; what it cannot take is named.

#include "core/session/run/memory/session_seeds.h"

#include "core/session/run/row_contents.h"
#include "core/session/run/tuning_state.h"
#include "core/support/error.h"
#include "core/travel/seed_file.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <set>

namespace nestwright::session_seeds_test {

using namespace nestwright::made_up;

constexpr const char* kSubjects[] = {"matmul:m=64,n=64,k=64", "matmul:m=128,n=64,k=64"};

SessionConfig configOf(std::vector<std::string> subjects) {
  SessionConfig config;
  config.subjects = std::move(subjects);
  config.trials = 24;
  config.trialsPerRound = 4;
  config.rules = "paper";
  config.measure.threads = 2;
  return config;
}

RowId created(const QString& path, const SessionConfig& config) {
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  return createSession(store, config, hostTarget(2));
}

class SessionSeedsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Six programs of each of two tasks, found by a session with another seed.
  void initTestCase() {
    const QString path = folder_.filePath("elsewhere.nwdb");
    SessionConfig config = configOf({kSubjects[0], kSubjects[1]});
    config.seed = 99;
    const RowId session = created(path, config);
    QCOMPARE(runToEnd(path, session), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    std::map<RowId, int> counts;
    for (const Record& record : recordsOf(path, session)) {
      if (++counts[record.task] > 6) continue;
      const TaskRow task = *store.tasks().one(record.task);
      seeds_.push_back({task.key, task.name, record.program,
                        fmt::format("reason {}", seeds_.size()), record.steps, std::nullopt});
    }
    QCOMPARE(seeds_.size(), std::size_t(12));
    writeSeeds(seeds_, file_);
  }

  void seedsAreMeasuredFirst_data() {
    QTest::addColumn<QString>("policy");
    QTest::newRow("random") << "random";
#ifdef HAS_COST_MODEL
    // The second task begins when there is a model, by which seeds would be parents alone.
    QTest::newRow("evolutionary") << "evolutionary";
#endif
  }
  void seedsAreMeasuredFirst() {
    QFETCH(QString, policy);
    const QString path = newPath();
    SessionConfig config = configOf({kSubjects[0], kSubjects[1]});
    config.trials = 40;
    config.policy = policy.toStdString();
    config.warmup = 2;
    config.population = 32;
    config.seeds = file_;
    const RowId session = created(path, config);
    QCOMPARE(runToEnd(path, session), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    std::map<std::string, std::vector<Record>> ofTask;
    for (const Record& record : recordsOf(path, session))
      ofTask[store.tasks().one(record.task)->key].push_back(record);
    QCOMPARE(ofTask.size(), std::size_t(2));
    for (const auto& [key, records] : ofTask) {
      std::size_t at = 0;
      for (const SeedProgram& seed : seeds_) {
        if (seed.task != key) continue;
        QCOMPARE(records.at(at).program, seed.program);
        const Trace trace = traceOf(records[at++]).value();
        QCOMPARE(trace.origin, Origin::Seed);
        QCOMPARE(trace.reason, seed.reason);
      }
      QCOMPARE(at, std::size_t(6));
      QVERIFY(records.size() > 6);
      QVERIFY(traceOf(records[6])->origin != Origin::Seed);
    }
    // What was measured is remembered no more.
    const TuningState state = tuningStateFromText(store.sessions().one(session)->schedulerState);
    for (const auto& [task, memory] : state.tasks)
      QVERIFY(memory.first.empty());
  }

  /// Cut off after any number of programs, it goes on with the same decisions.
  void interruptedSessionsMeasureEachOnce() {
    SessionConfig config = configOf({kSubjects[0]});
    config.trials = 12;
    config.seeds = file_;
    const QString whole = newPath();
    const RowId uninterrupted = created(whole, config);
    QCOMPARE(runToEnd(whole, uninterrupted), SessionStatus::Finished);
    const QStringList expected = decisions(whole, uninterrupted);
    QCOMPARE(expected.size(), 12);
    for (int cut = 1; cut < 9; ++cut) {
      const QString path = newPath();
      const RowId session = created(path, config);
      {
        std::atomic<Session*> self{nullptr};
        Session first(
            path.toStdString(), session, [](const Event&) {}, cutOffAfter(cut, self));
        self = &first;
        first.post(Start{});
        QCOMPARE(first.wait(), SessionStatus::Paused);
      }
      QCOMPARE(runToEnd(path, session), SessionStatus::Finished);
      QCOMPARE(decisions(path, session), expected);
    }
  }

  void whatCannotBeTakenIsNamed() {
    std::vector<SeedProgram> some = {seeds_[0], seeds_[0]}; // twice the same
    SeedProgram elsewhere = seeds_[1];
    elsewhere.task = "of another network";
    elsewhere.taskName = "conv of another network";
    some.push_back(elsewhere);
    SeedProgram illegal = seeds_[0];
    illegal.program = "illegal";
    illegal.steps = {AnnotationStep{99, 0, Annotation::Parallel}};
    some.push_back(illegal);
    SeedProgram ofGpu = seeds_[0];
    ofGpu.program = "of a GPU";
    ofGpu.steps = {AnnotationStep{2, 0, Annotation::BlockX},
                   AnnotationStep{2, 1, Annotation::ThreadX}};
    some.push_back(ofGpu);
    SeedProgram ofTemplate = seeds_[0];
    ofTemplate.config = TemplateConfig{"dense_pack.x86", TemplateVersion::V0_11, {}};
    some.push_back(ofTemplate);
    const std::string file = folder_.filePath("some.json").toStdString();
    writeSeeds(some, file);

    SessionConfig config = configOf({kSubjects[0], kSubjects[1]});
    config.seeds = file;
    const SessionSeeds seeds =
        sessionSeeds(config, resolveSubjects(config.subjects), hostTarget(2));
    QCOMPARE(seeds.count(), std::size_t(1));
    QCOMPARE(seeds.problem(), std::string());
    const std::vector<std::string> lines = unusableText(seeds);
    const QString all = QString::fromStdString(fmt::format("{}", fmt::join(lines, "\n")));
    QVERIFY2(all.contains("1 seed of conv of another network: its task is not one of the "
                          "session's"),
             qPrintable(all));
    QVERIFY2(all.contains("it is illegal: "), qPrintable(all));
    QVERIFY2(all.contains("it is illegal on llvm"), qPrintable(all));
    QVERIFY2(all.contains("the search goes over sketches, and it is a program of the template"),
             qPrintable(all));
  }

  /// Without a seed that it can take no session begins, and nothing is written.
  void noSessionWithoutAnySeed() {
    const std::string file = folder_.filePath("none.json").toStdString();
    SeedProgram elsewhere = seeds_[0];
    elsewhere.task = "of another network";
    SessionConfig config = configOf({kSubjects[0]});
    config.seeds = file;
    const QString path = newPath();
    for (const std::vector<SeedProgram>& none : {std::vector{elsewhere}, {}}) {
      writeSeeds(none, file);
      QVERIFY_THROWS_EXCEPTION(InputError, created(path, config));
    }
    config.seeds = folder_.filePath("missing.json").toStdString();
    QVERIFY_THROWS_EXCEPTION(InputError, created(path, config));
    QVERIFY(RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().all().empty());
  }

 private:
  QString newPath() {
    return folder_.filePath(QString("%1.nwdb").arg(++files_));
  }

  QTemporaryDir folder_;
  const std::string file_ = folder_.filePath("seeds.json").toStdString();
  std::vector<SeedProgram> seeds_;
  int files_ = 0;
};

NW_TEST_GUILESS(SessionSeedsTest)

} // namespace nestwright::session_seeds_test

#include "session_seeds.moc"
