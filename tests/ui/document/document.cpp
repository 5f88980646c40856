#include "ui/document/document.h"

#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "tests/record/bulk_records.h"
#include "tests/record/foreign_log_beside.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/replaying.h"
#include "ui/document/choice_text.h"
#include "ui/document/document_file.h"
#include "ui/document/event_queue.h"
#include "ui/document/notices.h"
#include "ui/document/reading/reader.h"
#include "ui/document/sample.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/colours.h"
#include "ui/kit/text.h"
#include "ui/log/log_model.h"
#include "ui/window/actions.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <future>

namespace nestwright::document_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// Scripted sessions whose end takes until `mayEnd`, as that of one that still measures.
SessionFactory endingLate(SessionScript& script, std::shared_future<void> mayEnd) {
  struct Late : SessionPort {
    std::unique_ptr<SessionPort> port;
    std::shared_future<void> mayEnd;
    ~Late() override { mayEnd.wait(); }
    void post(const Command& command) override { port->post(command); }
  };
  return [make = scripted(script), mayEnd = std::move(mayEnd)](
             const std::string& path, RowId session, Session::Observer observer) {
    auto late = std::make_unique<Late>();
    late->port = make(path, session, std::move(observer));
    late->mayEnd = mayEnd;
    return late;
  };
}

class DocumentTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void openShowsTheSession();
  void openRefusesWhatIsNoDocument_data();
  void openRefusesWhatIsNoDocument();
  void foreignObjectsMakeItReadOnly();
  void logsOfOtherFilesAreTold();
  void killedSessionCanResume();
  void finishedSessionNeedsABudget();
  void commandsAndTheirEnabledStates();
  void failureToPrepareIsTold();
  void importanceReachesTheSession();
  void eventsComeInBatches();
  void eventsChangeTheNumbers();
  void countsOutlastAReading_data();
  void countsOutlastAReading();
  void sampleOpensUnchanged();
  void followsAnotherProgram();
  void followsAnImportWithNewTasks();
  void lastRequestCounts();
  void closingOutlastsTheEndOfAReplay();
  void anEndingSessionTellsNothingOfTheNext();
  void closingEndsTheSession();
  void openingAnotherEndsTheSession();
  void logTellsInSentences();
  void logTellsOfPolicyPrograms();
  void logSaysWhatTheSchedulerSays();
  void logTellsWhoSteered();
};

void DocumentTest::openShowsTheSession() {
  const auto sample = makeSample(100);
  Document document;
  openSample(document, *sample);
  QCOMPARE(document.file().title(), QStringLiteral("sample"));
  QCOMPARE(qs(document.session().contents().network), QStringLiteral("sample"));
  QCOMPARE(document.session().tasks().size(), std::size_t(3));
  QCOMPARE(document.session().history().trialCount(), std::size_t(100));
  QCOMPARE(document.session().progress().trials, 100);
  QCOMPARE(document.session().progress().errors, 10);
  QCOMPARE(document.session().history().total().back().seconds,
           bestTotal(document.session().tasks()));
  QVERIFY(bestTotal(document.session().tasks()) < document.session().history().naiveTotal());
}

void DocumentTest::openRefusesWhatIsNoDocument_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::newRow("text") << QByteArray("This is no database, only a text file of some length.");
  QTest::newRow("truncated header") << QByteArray("SQLite format 3");
  QTest::newRow("missing") << QByteArray();
}

void DocumentTest::openRefusesWhatIsNoDocument() {
  QFETCH(QByteArray, content);
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("bad.nwdb"));
  if (!content.isEmpty()) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
  }
  Document document;
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Failed);
  QVERIFY2(document.errorText().size() > 20, qPrintable(document.errorText()));
  QVERIFY2(document.errorText().contains(QStringLiteral("bad.nwdb")),
           qPrintable(document.errorText()));
  QFile file(path);
  QCOMPARE(file.exists(), !content.isEmpty());
  if (file.exists()) {
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), content);
  }
}

void DocumentTest::foreignObjectsMakeItReadOnly() {
  const auto sample = makeSample(10);
  sqlite::Database(sample->path.toStdString(), sqlite::Access::ReadWrite)
      .execute("CREATE TRIGGER evil AFTER INSERT ON record BEGIN DELETE FROM task; END");
  Document document;
  QSignalSpy warnings(&document.notices(), &Notices::warned);
  document.open(sample->path, true);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QVERIFY2(document.file().readOnlyReason().contains(QStringLiteral("the trigger 'evil'")),
           qPrintable(document.file().readOnlyReason()));
  QCOMPARE(warnings.count(), 1);
  QCOMPARE(document.session().progress().trials, std::int64_t(10));
  QVERIFY(!document.steering().canStart() && !document.steering().canTuneLonger() &&
          !document.session().isRunning());
  // Another document can be written again.
  const auto own = makeSample(10);
  openSample(document, *own);
  QVERIFY(document.file().readOnlyReason().isEmpty() && document.steering().canStart());
}

void DocumentTest::logsOfOtherFilesAreTold() {
  const auto sample = makeSample(10);
  putForeignLogBeside(sample->path.toStdString());
  Document document;
  QSignalSpy warnings(&document.notices(), &Notices::warned);
  openSample(document, *sample);
  QCOMPARE(warnings.count(), 1);
  const QString text = warnings.front().front().toString();
  QVERIFY2(text.contains(sample->path + QStringLiteral("-wal was written on another file")) &&
               text.contains(QStringLiteral(".of-another-file-")),
           qPrintable(text));
  QVERIFY(document.file().readOnlyReason().isEmpty() && document.steering().canStart());
}

void DocumentTest::killedSessionCanResume() {
  const auto sample = makeSample(50, SessionStatus::Running);
  Document document;
  openSample(document, *sample);
  QCOMPARE(document.session().status(), SessionStatus::Paused);
  QVERIFY(document.session().wasKilled());
  QVERIFY(document.steering().canStart());
  QVERIFY(document.steering().startResumes());
}

void DocumentTest::finishedSessionNeedsABudget() {
  const auto sample = makeSample(1000, SessionStatus::Finished);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  QVERIFY(!document.steering().canStart());
  document.steering().steer(SetTrialBudget{2000});
  QVERIFY(document.steering().canStart());
  QTRY_COMPARE(script.commands, (std::vector<Command>{SetTrialBudget{2000}}));
}

void DocumentTest::commandsAndTheirEnabledStates() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  SessionScript script;
  Document document(scripted(script));
  Actions actions(document);
  const auto enabled = [&] {
    return QStringLiteral("%1%2%3")
        .arg(actions.start->isEnabled())
        .arg(actions.pause->isEnabled())
        .arg(actions.stop->isEnabled());
  };
  QCOMPARE(enabled(), QStringLiteral("000"));
  openSample(document, *sample);
  QCOMPARE(enabled(), QStringLiteral("100"));
  QCOMPARE(actions.start->text().remove('&'), QStringLiteral("Start"));

  script.answers = false;
  actions.start->trigger();
  QCOMPARE(enabled(), QStringLiteral("000")); // until the session says that it runs
  QTRY_COMPARE(script.commands, (std::vector<Command>{Start{}}));
  script.tell(StateChanged{SessionStatus::Running, ""});
  QTRY_COMPARE(enabled(), QStringLiteral("011"));
  actions.pause->trigger();
  QCOMPARE(enabled(), QStringLiteral("001")); // one may still decide to stop
  script.tell(Progress{.trials = 5, .budget = 1000});
  script.tell(StateChanged{SessionStatus::Paused, "paused by the user"});
  QTRY_COMPARE(enabled(), QStringLiteral("101"));
  QCOMPARE(actions.start->text().remove('&'), QStringLiteral("Resume"));
  actions.stop->trigger();
  script.tell(StateChanged{SessionStatus::Finished, "stopped by the user"});
  QTRY_COMPARE(document.session().status(), SessionStatus::Finished);
  QCOMPARE(enabled(), QStringLiteral("100")); // 5 of 1000 trials: it may go on
  QCOMPARE(script.commands, (std::vector<Command>{Start{}, Pause{}, Stop{}}));
}

void DocumentTest::failureToPrepareIsTold() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  Document document(
      [](const std::string&, RowId, Session::Observer) -> std::unique_ptr<SessionPort> {
        throw std::runtime_error("The llvm plugin is missing.");
      });
  QSignalSpy warnings(&document.notices(), &Notices::warned);
  openSample(document, *sample);
  document.steering().start();
  QTRY_COMPARE(warnings.count(), 1);
  QVERIFY(warnings.first().first().toString().contains(QStringLiteral("plugin is missing")));
  QVERIFY(document.steering().canStart());
}

void DocumentTest::importanceReachesTheSession() {
  const auto sample = makeSample(20);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  document.steering().steer(SetImportance{sample->tasks[1], 2});
  document.steering().steer(SetImportance{sample->tasks[1], -1}); // refused
  QTRY_COMPARE(script.commands, (std::vector<Command>{SetImportance{sample->tasks[1], 2}}));
  QCOMPARE(document.session().task(sample->tasks[1])->importance, 2.0);
}

void DocumentTest::eventsComeInBatches() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  QSignalSpy batches(&document.follower(), &SessionFollower::historyChanged);
  std::thread session([&] {
    for (int trial = 1; trial <= 2000; ++trial)
      script.tell(Measured{trial, sample->tasks[0], trial, Verdict::Ok, 1e-3, trial * 1e-3, ""});
  });
  session.join();
  QTRY_COMPARE(document.session().history().trialCount(), std::size_t(2000));
  QVERIFY2(batches.count() <= 10, qPrintable(QString::number(batches.count())));
}

void DocumentTest::eventsChangeTheNumbers() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  const RowId task = sample->tasks[0];
  script.tell(TaskChosen{task, 1, "its turn", {}});
  script.tell(NaiveMeasured{task, 2e-3});
  script.tell(Measured{1, task, 1, Verdict::Ok, 1e-3, 0.1, ""});
  script.tell(NewBest{task, 1, 1, 1e-3, kUnknown, kUnknown, 0.1});
  script.tell(Measured{2, task, 2, Verdict::CompileError, kUnknown, 0.2, "It does not compile."});
  script.tell(TaskExhausted{task, "nothing left"});
  QTRY_COMPARE(document.session().task(task)->summary.trials, 2);
  const TaskEntry& entry = *document.session().task(task);
  QCOMPARE(entry.summary.errors, 1);
  QCOMPARE(entry.summary.bestSeconds, 1e-3);
  QCOMPARE(entry.summary.naiveSeconds, 2e-3);
  QCOMPARE(entry.exhausted, std::string("nothing left"));
  QVERIFY(entry.active);
  QCOMPARE(document.session().history().find(task)->bests.size(), std::size_t(1));
}

void DocumentTest::countsOutlastAReading_data() {
  QTest::addColumn<int>("seen"); // the last trial that the reading finds
  QTest::newRow("told, not seen") << 51;
  QTest::newRow("seen, not told") << 53;
}

/// Trials that come while the file is read again are counted once.
void DocumentTest::countsOutlastAReading() {
  QFETCH(int, seen);
  const auto sample = makeSample(50);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  const Record last =
      *RecordStore::open(sample->path.toStdString()).records().one(sample->records.back());
  const int before = document.session().task(last.task)->summary.trials;
  const auto tell = [&](std::int64_t trial) {
    script.tell(Measured{1000 + trial, last.task, trial, Verdict::Ok, 1, 9, ""});
  };
  // The reading waits behind another question until the events are taken.
  std::promise<void> goOn;
  document.reader().ask<int>(
      &document, Reader::Channel::Log,
      [wait = goOn.get_future().share()](const RecordStore&) {
        wait.wait();
        return 0;
      },
      [](int) {});
  QSignalSpy reread(&document.follower(), &SessionFollower::recordsReread);
  script.tell(RecordsForgotten{{sample->records.front()}, true});
  tell(51);
  tell(52);
  QTRY_COMPARE(document.session().progress().trials, std::int64_t(52));
  RecordStore store = RecordStore::open(sample->path.toStdString());
  for (int trial = 51; trial <= seen; ++trial) {
    Record record = last;
    record.trial = trial;
    store.records().add(record);
  }
  goOn.set_value();
  QTRY_COMPARE(reread.count(), 1);
  QCOMPARE(document.session().task(last.task)->summary.trials, before + std::max(seen, 52) - 50);
  tell(53);
  tell(54);
  QTRY_COMPARE(document.session().progress().trials, std::int64_t(54));
  QCOMPARE(document.session().task(last.task)->summary.trials, before + 4);
}

void DocumentTest::sampleOpensUnchanged() {
  const QString sample = samplePath();
  QVERIFY2(sample.endsWith(QStringLiteral("resources/sample.nwdb")), qPrintable(sample));
  const QString copy = copyOfSample(sample);
  QVERIFY(QFileInfo(copy).isWritable());
  Document document;
  document.open(copy);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  QCOMPARE(qs(document.session().contents().network), QStringLiteral("resnet18"));
  QCOMPARE(document.session().tasks().size(), std::size_t(18));
  QVERIFY(std::isfinite(bestTotal(document.session().tasks())));
  QVERIFY(bestTotal(document.session().tasks()) < document.session().history().naiveTotal() / 10);
  QCOMPARE(document.session().progress().errors, 0);
  QFile::remove(copy);
}

void DocumentTest::followsAnotherProgram() {
  const auto sample = makeSample(50);
  Document document;
  openSample(document, *sample);
  QVERIFY(document.steering().canStart());
  RecordStore store = RecordStore::open(sample->path.toStdString());
  Record record = *store.records().one(sample->records.back());
  record.trial = 51;
  record.result.verdict = Verdict::Ok;
  record.result.seconds = {1e-9};
  record.verified = true;
  store.records().add(record);
  QTRY_COMPARE(document.session().progress().trials, 51);
  QTRY_COMPARE(document.session().history().trialCount(), std::size_t(51));
  QCOMPARE(document.session().task(record.task)->summary.bestSeconds, 1e-9);
  QVERIFY(document.follower().elsewhere().isBusy());
  QVERIFY(!document.steering().canStart());
}

/// Another program's import goes on, and most of what comes is of tasks that nobody knew when the
/// document was opened.
void DocumentTest::followsAnImportWithNewTasks() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("import.nwdb"));
  SessionRow row;
  row.title = "Import of made-up logs";
  nlohmann::json config = toJson(SessionConfig());
  config["import"] = {"logs"};
  row.config = config.dump();
  row.createdAt = row.updatedAt = 1;
  const auto import = [&](std::int64_t records, std::uint64_t seed) {
    samples::importMany(path.toStdString(), row, records, 1000, seed);
  };
  import(1000, 1);
  Document document;
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  QCOMPARE(document.session().tasks().size(), std::size_t(1));
  import(60'000, 2);
  QTRY_COMPARE_WITH_TIMEOUT(document.session().progress().trials, std::int64_t(61'000), 20'000);
  QTRY_VERIFY(!document.session().historyLoading());
  QCOMPARE(document.session().tasks().size(), std::size_t(60));
  QCOMPARE(document.session().history().trialCount(), std::size_t(61'000));
  // Then it is quiet: nothing is read any more.
  QSignalSpy history(&document.follower(), &SessionFollower::historyChanged);
  QTest::qWait(1500);
  QCOMPARE(history.count(), 0);
  // Records of another session of the file may be in sight.
  QSignalSpy records(&document.follower(), &SessionFollower::recordsAdded);
  row.title = "Import of others";
  import(1000, 3);
  QTRY_VERIFY(records.count() > 0);
  QTRY_COMPARE(document.session().contents().sessions.size(), std::size_t(2));
}

void DocumentTest::lastRequestCounts() {
  const auto first = makeSample(10), second = makeSample(20);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *first);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  document.close(); // the session is still ending
  document.open(second->path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_COMPARE(document.session().progress().trials, 20);
  QTest::qWait(100);
  QCOMPARE(document.state(), DocumentState::Ready);
}

/// A session that was paused is still there behind its replay, and the file may be read sooner than
/// it ends.
void DocumentTest::closingOutlastsTheEndOfAReplay() {
  const auto sample = makeSample(10);
  SessionScript script;
  std::promise<void> mayEnd;
  Document document(endingLate(script, mayEnd.get_future().share()));
  openSample(document, *sample);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  document.steering().steer(Pause{});
  QTRY_COMPARE(document.session().status(), SessionStatus::Paused);
  QTRY_VERIFY(document.replayMode().canStart());
  replayFrom(document);
  QSignalSpy closed(&document, &Document::closed);
  document.replayMode().end();
  QCOMPARE(document.state(), DocumentState::Loading);
  document.close();
  QTRY_COMPARE(document.state(), DocumentState::Ready); // the present is back, and is left
  QCOMPARE(closed.count(), 0);
  mayEnd.set_value();
  QTRY_COMPARE(closed.count(), 1);
  QCOMPARE(document.state(), DocumentState::Empty);
}

/// Of two sessions asked for while one ends the second is shown at once.
void DocumentTest::anEndingSessionTellsNothingOfTheNext() {
  const auto sample = makeSample(10);
  const auto another = [&] {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    SessionRow row = *store.sessions().one(sample->session);
    row.id = 0;
    const RowId id = store.sessions().add(row);
    store.sessions().setTasks(id, sample->tasks);
    return id;
  };
  const RowId second = another(), third = another();
  SessionScript script;
  std::promise<void> mayEnd;
  Document document(endingLate(script, mayEnd.get_future().share()));
  openSample(document, *sample);
  document.showSession(sample->session);
  QTRY_VERIFY(document.state() == DocumentState::Ready &&
              document.session().row().id == sample->session);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  document.showSession(third);
  document.showSession(second);
  QTRY_VERIFY(document.state() == DocumentState::Ready && document.session().row().id == second);
  QSignalSpy arrived(&document.follower(), &SessionFollower::eventsArrived);
  script.tell(Measured{11, sample->tasks[0], 11, Verdict::Ok, 1e-3, 0.1, ""});
  mayEnd.set_value();
  QTRY_COMPARE(script.alive, 0);
  QTest::qWait(3 * EventQueue::kInterval);
  QCOMPARE(arrived.count(), 0);
  QCOMPARE(document.session().progress().trials, std::int64_t(0));
  QCOMPARE(document.session().row().id, second);
  QCOMPARE(document.session().status(), SessionStatus::Paused);
}

void DocumentTest::closingEndsTheSession() {
  const auto sample = makeSample(10);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  QCOMPARE(script.alive, 1);
  QSignalSpy closed(&document, &Document::closed);
  document.close();
  QTRY_COMPARE(closed.count(), 1);
  QCOMPARE(script.alive, 0);
  QCOMPARE(document.state(), DocumentState::Empty);
}

void DocumentTest::openingAnotherEndsTheSession() {
  const auto first = makeSample(10), second = makeSample(20);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *first);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  document.open(second->path);
  QTRY_COMPARE(document.session().progress().trials, 20);
  QCOMPARE(script.alive, 0);
  QCOMPARE(document.state(), DocumentState::Ready);
}

void DocumentTest::logTellsInSentences() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  SessionScript script;
  Document document(scripted(script));
  LogModel log(document);
  QAbstractItemModelTester tester(&log);
  openSample(document, *sample);
  document.steering().start();
  QTRY_COMPARE(log.rowCount(), 1);
  script.tell(Measured{1, sample->tasks[0], 1, Verdict::Ok, 1e-3, 0.1, ""}); // not a line
  script.tell(NewBest{sample->tasks[0], 1, 1, 1e-3, 2e-3, 4e-3, 0.1});
  script.tell(
      Measured{2, sample->tasks[1], 2, Verdict::RunTimeout, kUnknown, 0.2, "It took too long."});
  QTRY_COMPARE(log.rowCount(), 3);
  const auto text = [&](int row) { return log.index(row, LogModel::Message).data().toString(); };
  QCOMPARE(text(1), QStringLiteral("matmul 32x32x32: 1.000 ms, 50.0 % faster; total 4.000 ms"));
  QCOMPARE(text(2), QStringLiteral("matmul 64x64x64, trial 2: It took too long."));
}

/// Of a policy in a process of its own: what it proposed, and what went wrong.
void DocumentTest::logTellsOfPolicyPrograms() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  SessionScript script;
  Document document(scripted(script));
  LogModel log(document);
  openSample(document, *sample);
  document.steering().start();
  QTRY_COMPARE(log.rowCount(), 1);
  PolicyTalked talked{sample->tasks[0], {}};
  talked.talk.name = "my policy";
  talked.talk.asked = talked.talk.given = 16;
  script.tell(talked);
  talked.talk.given = 3;
  talked.talk.failure = "the policy's program ended: exit code 1";
  talked.talk.printed = "Traceback\nNameError: x";
  script.tell(talked);
  QTRY_COMPARE(log.rowCount(), 3);
  const auto text = [&](int row) { return log.index(row, LogModel::Message).data().toString(); };
  QCOMPARE(text(1), QStringLiteral("matmul 32x32x32: my policy proposed 16 programs"));
  QCOMPARE(text(2), QStringLiteral("matmul 32x32x32: my policy proposed 3 of 16 programs, the "
                                   "others were drawn at random: the policy's program ended: exit "
                                   "code 1; it printed \"NameError: x\""));
  const auto colour = [&](int row) {
    return log.index(row, LogModel::Kind).data(Qt::ForegroundRole).value<QColor>();
  };
  QCOMPARE(colour(1), colours().dim);
  QCOMPARE(colour(2), colours().failed);
}

/// The journal says of a choice what the scheduler's panel says of it, in the same units, whatever
/// an older version wrote into the file; and its times have a date.
void DocumentTest::logSaysWhatTheSchedulerSays() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  SessionScript script;
  Document document(scripted(script));
  LogModel log(document);
  openSample(document, *sample);
  document.steering().start();
  QTRY_COMPARE(log.rowCount(), 1);
  TaskChosen choice{sample->tasks[0], 7, "largest expected gain: 0.000245 s of the objective", {}};
  choice.byGradient = true;
  choice.trials = 5;
  choice.whyFewer = "the budget leaves no more";
  choice.terms.push_back({sample->tasks[0], 1, -5e-5, -1e-4, kUnknown, -245e-6, 1, 0, 0});
  script.tell(choice);
  QTRY_COMPARE(log.rowCount(), 2);
  const QString line = log.index(1, LogModel::Message).data().toString();
  QVERIFY2(line.contains(choiceText(choice, taskNames(document), ObjectiveKind::TotalLatency)),
           qPrintable(line));
  QVERIFY2(line.contains(QStringLiteral("245.0 µs")), qPrintable(line));
  QVERIFY2(!line.contains(QStringLiteral("0.000245")), qPrintable(line));
  QVERIFY2(
      line.endsWith(QStringLiteral("It may measure only 5 programs: the budget leaves no more.")),
      qPrintable(line));
  const QString time = log.index(1, LogModel::Time).data().toString();
  QVERIFY2(time.startsWith(QDate::currentDate().toString(Qt::ISODate).left(7)), qPrintable(time));
}

/// One line for each command: what it changed, and who gave it.
void DocumentTest::logTellsWhoSteered() {
  const auto sample = makeSample(0, SessionStatus::Ready);
  SessionScript script;
  Document document(scripted(script));
  LogModel log(document);
  openSample(document, *sample);
  document.steering().start();
  QTRY_COMPARE(log.rowCount(), 1);
  const RowId task = sample->tasks[0];
  script.tell(CommandObeyed{SetImportance{task, 2}, Sender::Window, true});
  QTest::qWait(2 * EventQueue::kInterval); // the other half comes with another batch
  script.tell(ImportanceChanged{task, 2});
  script.tell(ImportanceChanged{task, 3}); // of a file from before
  script.tell(CommandObeyed{Pause{}, Sender::Signal, true});
  script.tell(StateChanged{SessionStatus::Paused, "paused by the user"});
  script.tell(CommandObeyed{SetTrialBudget{70}, Sender::CommandLine, false});
  QTRY_COMPARE(log.rowCount(), 5);
  const auto text = [&](int row) { return log.index(row, LogModel::Message).data().toString(); };
  QCOMPARE(text(1), QStringLiteral("matmul 32x32x32 is now at 2× (by the window)"));
  QCOMPARE(text(2), QStringLiteral("matmul 32x32x32 is now at 3×"));
  QCOMPARE(text(3), QStringLiteral("paused: paused by the user (by Ctrl+C)"));
  QCOMPARE(text(4),
           QStringLiteral("change the trial budget: nothing changed (by the command line)"));
}

NW_TEST_GUI(DocumentTest)

} // namespace nestwright::document_test

#include "document.moc"
