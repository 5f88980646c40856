/// A session on a recorded machine decides as the one that was recorded, on a clock of recorded
/// times; what the file lacks is told apart, and nothing counts as measured.

#include "core/session/run/recorded_machine.h"

#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QtTest>

#include <atomic>

namespace nestwright::recorded_machine_test {

using namespace nestwright::made_up;
using nestwright::test::messageOf;

constexpr double kBuild = 2, kRun = 3; // recorded seconds of each program

/// The made-up machine with times for the clock, and micro-batches where an evaluator asks for
/// them: ten of 50 runs, the first of them slow.
MeasureFunction recordingMachine(bool batches = false) {
  return [batches](const auto& requests, const auto& onResult, const auto* stop) {
    const auto withTimes = [&](MeasureResult result) {
      if (result.verdict != Verdict::Cancelled)
        result.buildSeconds = kBuild, result.runSeconds = kRun;
      if (batches && result.verdict == Verdict::Ok && result.seconds.front() < 1) {
        const double seconds = result.seconds.front();
        result.seconds.assign(10, seconds);
        result.seconds.front() = 1.001 * seconds;
        result.runsPerRepeat = 50;
        result.runSeconds = 600 * seconds;
        result.evaluation =
            Evaluation{EvaluatorKind::Fixed, SpeedEstimate::Batch, StopReason::AllRuns, 10};
      }
      onResult(result);
    };
    measureAll(requests, withTimes, stop);
  };
}

SessionConfig config(std::uint64_t seed = 1) {
  SessionConfig config;
  config.subjects = {"matmul:m=16,n=16,k=64", "matmul:m=32,n=32,k=64", "matmul:m=64,n=64,k=64"};
  config.trials = 90;
  config.seed = seed;
  config.confirmBest = false;
  return config;
}

/// Task, program, how it came to be, verdict and time of every trial, without the ids of the file.
QStringList courseOf(const QString& path, RowId session) {
  const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
  QStringList course;
  for (const Record& record : recordsOf(path, session))
    course.append(QString::fromStdString(fmt::format(
        "{} {} {} {} {} {}", store.tasks().one(record.task)->key, record.program, record.trace,
        name(record.result.verdict), record.result.latency(), record.best)));
  return course;
}

class RecordedMachineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { measured_ = record(original(), config(), recordingMachine()); }
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    recording_ = folder_->filePath("recording.nwdb");
    QVERIFY(QFile::copy(original(), recording_));
  }

  void theSameSeedDecidesTheSame() {
    const QString path = folder_->filePath("a.nwdb");
    const RowId id = create(path, config());
    QCOMPARE(run(path, id), SessionStatus::Finished);
    const QStringList course = courseOf(path, id);
    QCOMPARE(course.size(), 90);
    QCOMPARE(course, courseOf(recording_, measured_));
    // The naive program's time is recorded, too.
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    for (const TaskSummary& task : store.tasks().summaries())
      QCOMPARE(task.naiveSeconds, 1.0);
    QCOMPARE(store.check(), std::vector<std::string>());
  }

  /// It passes at once, and its clock shows what building and running took.
  void theClockShowsRecordedTimes() {
    const QString path = folder_->filePath("a.nwdb");
    const RowId id = create(path, config());
    QElapsedTimer timer;
    timer.start();
    double ofRounds = 0;
    QCOMPARE(run(path, id,
                 [&](const Event& event) {
                   if (const auto* round = std::get_if<RoundFinished>(&event))
                     ofRounds += round->measureSeconds;
                 }),
             SessionStatus::Finished);
    const double own = double(timer.elapsed()) / 1000;
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const double clock = sessionRow(store, id).wallSeconds;
    QVERIFY2(clock >= 90 * (kBuild + kRun) && clock <= 90 * (kBuild + kRun) + own,
             qPrintable(QString::number(clock)));
    QVERIFY(ofRounds >= 90 * (kBuild + kRun) && ofRounds <= clock);
    QVERIFY(recordsOf(path, id).back().wallSeconds >= 90 * (kBuild + kRun));
  }
  /// So a time budget is one of that clock.
  void timeBudgetsAreOfThatClock() {
    const QString path = folder_->filePath("a.nwdb");
    SessionConfig short_ = config();
    short_.maxSeconds = 20 * (kBuild + kRun) - 1;
    const RowId id = create(path, short_);
    QCOMPARE(run(path, id), SessionStatus::Finished);
    const auto trials = int(recordsOf(path, id).size());
    QVERIFY2(trials >= 1 && trials <= 20, qPrintable(QString::number(trials)));
  }

  void programsThatTheFileLacksAreToldApart() {
    const QString path = folder_->filePath("a.nwdb");
    const RowId id = create(path, config(2));
    QCOMPARE(run(path, id), SessionStatus::Finished);
    std::set<std::string> known;
    for (const Record& record : recordsOf(recording_, measured_))
      known.insert(record.program);
    int missing = 0, answered = 0;
    for (const Record& record : recordsOf(path, id)) {
      const bool lacks = record.result.verdict == Verdict::NotRecorded;
      QCOMPARE(lacks, !known.contains(record.program));
      (lacks ? missing : answered) += 1;
      if (!lacks) continue;
      QCOMPARE(record.result.error,
               fmt::format("{} has no record of this program", recording_.toStdString()));
      QCOMPARE(record.result.runSeconds + record.result.buildSeconds, 0.0);
    }
    QVERIFY(missing > 24); // and no task paused itself
    QCOMPARE(missing + answered, 90);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const double clock = sessionRow(store, id).wallSeconds;
    QVERIFY(clock >= answered * (kBuild + kRun) && clock < answered * (kBuild + kRun) + 60);
    QCOMPARE(store.check(), std::vector<std::string>());
  }

  /// A file without the naive program's time serves all the same.
  void theNaiveProgramMayBeUnknown() {
    {
      RecordStore store = RecordStore::open(recording_.toStdString(), OpenMode::ReadWrite);
      for (const TaskRow& task : store.tasks().all())
        store.tasks().setNaiveSeconds(task.id, 0);
    }
    const QString path = folder_->filePath("a.nwdb");
    const RowId id = create(path, config());
    QCOMPARE(run(path, id), SessionStatus::Finished);
    QCOMPARE(courseOf(path, id).size(), 90);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    for (const TaskSummary& task : store.tasks().summaries())
      QCOMPARE(task.naiveSeconds, 0.0);
  }

  /// Paused in the middle of rounds it goes on as one that never was, from the same file.
  void itGoesOnAfterPauses() {
    const QString path = folder_->filePath("a.nwdb");
    const RowId id = create(path, config());
    SessionStatus status = SessionStatus::Paused;
    int lives = 0;
    for (; status == SessionStatus::Paused && lives < 100; ++lives) {
      std::atomic<Session*> current{nullptr};
      int trials = 0;
      Session session(path.toStdString(), id, [&](const Event& event) {
        if (std::holds_alternative<Measured>(event) && ++trials == 13)
          current.load()->post(Pause{});
      });
      current = &session;
      session.post(Start{});
      status = session.wait();
    }
    QCOMPARE(status, SessionStatus::Finished);
    QVERIFY(lives > 3);
    QCOMPARE(courseOf(path, id), courseOf(recording_, measured_));
  }
  void withoutItsFileItSaysSo() {
    const QString path = folder_->filePath("a.nwdb");
    const RowId id = create(path, config());
    QVERIFY(QFile::rename(recording_, folder_->filePath("elsewhere.nwdb")));
    std::string reason;
    QCOMPARE(run(path, id,
                 [&](const Event& event) {
                   if (const auto* state = std::get_if<StateChanged>(&event))
                     reason = state->reason;
                 }),
             SessionStatus::Failed);
    QCOMPARE(reason, fmt::format("programs are to be answered by the records of {}, and there is "
                                 "no such file: put it where it was, or name another one",
                                 recording_.toStdString()));
    QVERIFY(QFile::rename(folder_->filePath("elsewhere.nwdb"), recording_));
    QCOMPARE(run(path, id), SessionStatus::Finished);
  }

  /// Even in the file of the recording its results are of another target.
  void itsResultsNeverCountAsMeasured() {
    RowId id = 0;
    const std::vector<TaskSummary> before = summaries();
    id = create(recording_, config(3));
    QCOMPARE(run(recording_, id), SessionStatus::Finished);
    const std::vector<TaskSummary> after = summaries();
    QCOMPARE(after.size(), 2 * before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      QCOMPARE(after[i].bestRecord, before[i].bestRecord);
      QCOMPARE(after[i].trials, before[i].trials);
    }
    const RecordStore store = RecordStore::open(recording_.toStdString(), OpenMode::ReadOnly);
    for (const Record& record : recordsOf(recording_, id))
      QVERIFY(targetOf(store, *store.tasks().one(record.task)).recorded);
    const SessionRow row = sessionRow(store, id);
    QVERIFY(row.title.ends_with(", on a recorded machine"));
    QCOMPARE(recordedSettings(row).machine, "recorded:" + recording_.toStdString());
    // Nor is it a recording: there is still one machine to choose.
    QVERIFY(recordedTarget(recording_.toStdString(), resolveSubjects(config().subjects), "llvm", 0)
                .recorded);
    QCOMPARE(store.check(), std::vector<std::string>());
  }

  void evaluatorsAreReplayed() {
    const QString recording = folder_->filePath("batches.nwdb"), path = folder_->filePath("a.nwdb");
    SessionConfig adaptive = config();
    adaptive.trials = 30;
    const RowId recorded = record(recording, adaptive, recordingMachine(true));
    recording_ = recording;
    adaptive.measure.evaluator = evaluatorFromText("adaptive");
    const RowId id = create(path, adaptive);
    QCOMPARE(run(path, id), SessionStatus::Finished);
    const std::vector<Record> whole = recordsOf(recording, recorded), some = recordsOf(path, id);
    QCOMPARE(whole.size(), some.size());
    int good = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      QCOMPARE(some[i].program, whole[i].program);
      if (some[i].result.verdict != Verdict::Ok) continue;
      ++good;
      QCOMPARE(some[i].result.seconds.size(), std::size_t(3));
      QVERIFY((some[i].result.evaluation ==
               Evaluation{EvaluatorKind::Adaptive, SpeedEstimate::Batch, StopReason::Steady, 3}));
      const double unused = 7 * 50 * some[i].result.seconds.back();
      QVERIFY(std::abs(whole[i].result.runSeconds - unused - some[i].result.runSeconds) < 1e-9);
    }
    QVERIFY(good > 20);
  }

  void whatDoesNotFitIsSaid_data() {
    QTest::addColumn<QString>("machine");
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QString>("target");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("why");
    const QString small = "matmul:m=16,n=16,k=64";
    QTest::newRow("another word") << "replayed" << small << "llvm" << 0
                                  << "\"replayed\" is no machine to measure on; a recorded one is "
                                     "recorded:FILE.nwdb";
    QTest::newRow("no file named")
        << "recorded:" << small << "llvm" << 0 << "\"recorded:\" is no machine to measure on";
    QTest::newRow("no such file") << "recorded:nowhere.nwdb" << small << "llvm" << 0
                                  << "records of nowhere.nwdb, and there is no such file";
    QTest::newRow("another task")
        << ""
        << "matmul:m=17,n=16,k=64"
        << "llvm" << 0
        << "has no records of matmul:m=17,n=16,k=64,bias=0,relu=0, and a recorded machine "
           "knows nothing else";
    QTest::newRow("another target")
        << "" << small << "cuda" << 0 << "has no records for the target cuda, but for: llvm ";
    QTest::newRow("another lowering") << "" << small << "llvm:plain" << 0
                                      << "has no records for the target llvm:plain, but for: llvm ";
    QTest::newRow("another number of threads")
        << "" << small << "llvm" << 3
        << "has no records for the target llvm on 3 threads, but for: llvm ";
  }
  void whatDoesNotFitIsSaid() {
    QFETCH(QString, machine);
    QFETCH(QString, subject);
    QFETCH(QString, target);
    QFETCH(int, threads);
    QFETCH(QString, why);
    SessionConfig wrong = config();
    wrong.subjects = {subject.toStdString()};
    wrong.machine =
        machine.isEmpty() ? "recorded:" + recording_.toStdString() : machine.toStdString();
    wrong.target = target.toStdString();
    wrong.measure.threads = threads;
    const QString said = QString::fromStdString(messageOf([&] { checkConfig(wrong); }));
    QVERIFY2(said.contains(why), qPrintable(said));
  }

 private:
  QString original() const { return whole_.filePath("original.nwdb"); }
  static RowId record(const QString& path, const SessionConfig& config,
                      const MeasureFunction& machine) {
    RowId id = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
      id = createSession(store, config, hostTarget(2));
    }
    Session session(
        path.toStdString(), id, [](const Event&) {}, machine);
    session.post(Start{});
    session.wait();
    return id;
  }
  RowId create(const QString& path, SessionConfig config) const {
    config.machine = "recorded:" + recording_.toStdString();
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    return createSession(store, config);
  }
  static SessionStatus run(const QString& path, RowId id, Session::Observer observer = {}) {
    if (!observer) observer = [](const Event&) {};
    Session session(path.toStdString(), id, observer);
    session.post(Start{});
    return session.wait();
  }
  std::vector<TaskSummary> summaries() const {
    return RecordStore::open(recording_.toStdString(), OpenMode::ReadOnly).tasks().summaries();
  }

  const QTemporaryDir whole_;
  std::unique_ptr<QTemporaryDir> folder_; // of a test
  QString recording_;                     // in it
  RowId measured_ = 0;                    // the session in it
};

NW_TEST_GUILESS(RecordedMachineTest)

} // namespace nestwright::recorded_machine_test

#include "recorded_machine.moc"
