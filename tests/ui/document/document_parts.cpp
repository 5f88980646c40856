/// The parts of a document each on its own.

#include "core/record/file/document_file.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/session_lock.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/document_file.h"
#include "ui/document/elsewhere.h"
#include "ui/document/notices.h"
#include "ui/document/reading/reader.h"
#include "ui/document/session_follower.h"
#include "ui/document/session_runner.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"

#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include <future>

namespace nestwright::document_parts_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class DocumentPartsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void selectionIsToldOnce();
  void fileTellsWhyItCannotBeWritten();
  void lastFileCounts();
  void runnerPassesOnWhatWasPostedBefore();
  void runnerMayGoBeforeItsWork();
  void rereadingOutlastsTheEndOfAWriter();
  void whoTunesElsewhereIsReadFromTheFile();
  void ownTrialsAreNobodyElses();
  void steeringIsUndone();
  void obstaclesForbidStarting();
};

void DocumentPartsTest::selectionIsToldOnce() {
  SessionContents contents;
  contents.session.id = 1;
  contents.tasks.resize(1);
  contents.tasks[0].row.id = 5;
  const LiveSession session(contents);
  SharedSelection selection(session);
  QSignalSpy changed(&selection, &SharedSelection::changed);
  QSignalSpy crossing(&selection, &SharedSelection::crossingWanted);
  selection.selectTask(5);
  selection.selectTask(5);
  QCOMPARE(changed.count(), 1);
  QCOMPARE(selection.current(), (Selection{5, 0}));
  selection.begin({5, 3}); // of another session, which is not ready yet
  QCOMPARE(changed.count(), 1);
  selection.announce();
  QCOMPARE(changed.count(), 2);
  selection.cross(6, {}); // there is no such task
  QCOMPARE(crossing.count(), 0);
  selection.cross(5, {});
  QCOMPARE(crossing.count(), 1);
}

void DocumentPartsTest::fileTellsWhyItCannotBeWritten() {
  const auto sample = makeSample(5);
  sqlite::Database(sample->path.toStdString(), sqlite::Access::ReadWrite)
      .execute("CREATE TRIGGER evil AFTER INSERT ON record BEGIN DELETE FROM task; END");
  WorkQueue work;
  DocumentFile file(work);
  std::optional<DocumentFile::Outcome> outcome;
  file.look(sample->path, [&](const DocumentFile::Outcome& came) { outcome = came; });
  QVERIFY(file.path().isEmpty());
  QTRY_VERIFY(outcome);
  QVERIFY(outcome->error.isEmpty());
  file.enter(sample->path, *outcome);
  QCOMPARE(file.path(), QFileInfo(sample->path).absoluteFilePath());
  QVERIFY(file.readOnlyReason().contains(QStringLiteral("the trigger 'evil'")));
  QVERIFY(outcome->notice.contains(file.readOnlyReason()));
  file.leave();
  QVERIFY(file.path().isEmpty() && file.readOnlyReason().isEmpty());
}

void DocumentPartsTest::lastFileCounts() {
  const auto first = makeSample(5), second = makeSample(5);
  WorkQueue work;
  DocumentFile file(work);
  int answers = 0;
  bool opened = false;
  file.look(first->path, [&](const DocumentFile::Outcome&) { ++answers; });
  file.look(second->path, [&](const DocumentFile::Outcome& came) {
    ++answers;
    file.enter(second->path, came);
    opened = came.error.isEmpty();
  });
  QTRY_VERIFY(opened);
  QCOMPARE(answers, 1);
  file.keepViewState(R"({"session": 1})");
  QTRY_VERIFY(kept(second->path.toStdString(), kViewStateKey).has_value());
  QVERIFY(!kept(first->path.toStdString(), kViewStateKey).has_value());
}

void DocumentPartsTest::runnerPassesOnWhatWasPostedBefore() {
  SessionScript script;
  WorkQueue work;
  SessionRunner runner(scripted(script), work);
  QSignalSpy told(&runner, &SessionRunner::told);
  runner.setSession(QStringLiteral("any.nwdb"), 1);
  runner.post(SetImportance{1, 2}); // nothing is prepared yet
  runner.post(Start{});
  QVERIFY(!runner.isAlive());
  QTRY_COMPARE(script.commands, (std::vector<Command>{SetImportance{1, 2}, Start{}}));
  QVERIFY(runner.isAlive());
  QTRY_COMPARE(told.count(), 1); // that it runs
  bool ended = false;
  runner.end([&] { ended = true; });
  QVERIFY(!runner.isAlive());
  QTRY_VERIFY(ended);
  QCOMPARE(script.alive, 0);
}

/// What is being prepared uses nothing of a runner that has gone.
void DocumentPartsTest::runnerMayGoBeforeItsWork() {
  SessionScript script;
  auto token = std::make_shared<int>();
  const std::weak_ptr<int> factory = token;
  WorkQueue work;
  std::promise<void> goOn; // goes first, so that nobody waits for it if something fails
  work.run(
      &work, [wait = goOn.get_future().share()] { wait.wait(); }, [](const QString&) {});
  auto runner = std::make_unique<SessionRunner>(
      [token = std::move(token), make = scripted(script)](const std::string& path, RowId session,
                                                          Session::Observer observer) {
        auto port = make(path, session, observer);
        observer(StateChanged{SessionStatus::Running, ""});
        return port;
      },
      work);
  runner->setSession(QStringLiteral("any.nwdb"), 1);
  runner->post(Start{});
  runner.reset();
  QVERIFY(!factory.expired());
  goOn.set_value();
  QTRY_VERIFY(factory.expired());
  QTRY_COMPARE(script.alive, 0);
  QVERIFY(script.commands.empty());
}

/// Steering of a made-up session, without a document.
struct Bench {
  std::unique_ptr<Sample> sample = makeSample(10);
  SessionScript script;
  Notices notices;
  QUndoStack undo;
  Steering::Obstacles obstacles;
  SessionRunner runner;
  WorkQueue work;
  Reader reader;
  SessionFollower follower{reader, notices, [this] { return runner.isAlive(); }};
  Steering steering{follower, runner, undo, notices, [this] { return obstacles; }};

  Bench() : runner(scripted(script), work) {
    reader.setPath(sample->path);
    const RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
    follower.adopt(LiveSession(readContents(store, sample->session)));
    runner.setSession(sample->path, sample->session);
    QObject::connect(&runner, &SessionRunner::told, &follower, &SessionFollower::take);
  }
  /// To the file, as whoever else tunes the session would.
  void addTrial(std::int64_t trial) const {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    Record record = *store.records().one(sample->records.back());
    record.trial = trial;
    store.records().add(record);
  }
  double importance() const { return follower.session().task(sample->tasks[0])->importance; }
};

/// What another writer leaves is read with everything else.
void DocumentPartsTest::rereadingOutlastsTheEndOfAWriter() {
  Bench bench;
  bench.addTrial(11);
  QSignalSpy reread(&bench.follower, &SessionFollower::recordsReread);
  bench.follower.reread();
  bench.follower.writerEnded();
  QTRY_COMPARE(reread.count(), 1);
  QCOMPARE(bench.follower.session().progress().trials, std::int64_t(11));
  QTRY_COMPARE(bench.follower.session().history().trialCount(), std::size_t(11));
}

void DocumentPartsTest::whoTunesElsewhereIsReadFromTheFile() {
  Elsewhere elsewhere;
  Elsewhere::News news = elsewhere.take({4, 4, ""}, 4, false);
  QVERIFY(!news.contents && !news.status && !elsewhere.isBusy());
  news = elsewhere.take({4, 9, ""}, 4, false); // records of another session
  QVERIFY(news.contents && !news.status);
  news = elsewhere.take({4, 9, "process 7"}, 4, true); // it holds the session, and nothing came yet
  QVERIFY(!news.contents && news.status && elsewhere.isBusy());
  QCOMPARE(elsewhere.runner(), "process 7");
  news = elsewhere.take({5, 10, "process 7"}, 4, true); // what is still being read is no news
  QVERIFY(!news.contents && !news.status);
  news = elsewhere.take({5, 10, "process 7"}, 4, false);
  QVERIFY(news.contents && !news.status);
  news = elsewhere.take({5, 10, ""}, 5, false); // it may only wait, or its lock be out of sight
  QVERIFY(!news.contents && news.status && elsewhere.isBusy());
  elsewhere.writerEnded();
  QVERIFY(!elsewhere.isBusy());
  // A program that was measured on demand: it is in the file before its event is here.
  news = elsewhere.take({6, 10, "", true, true}, 5, false);
  QVERIFY(!news.contents && !news.status && !elsewhere.isBusy());
  // In another window of this program.
  news = elsewhere.take({7, 11, "this program", true}, 6, false);
  QVERIFY(news.contents && news.status && elsewhere.isBusy());
}

/// A program that is measured on demand is in the file before its event is in the window.
void DocumentPartsTest::ownTrialsAreNobodyElses() {
  Bench bench;
  const SessionLock lock(bench.sample->path.toStdString(), bench.sample->session);
  bench.runner.post(SetImportance{bench.sample->tasks[0], 2});
  QTRY_VERIFY(bench.runner.isAlive());
  bench.follower.begin();
  QTRY_VERIFY(!bench.follower.session().historyLoading());
  std::int64_t trial = 10;
  const auto shown = [&] { return bench.follower.session().progress().trials; };
  for (; shown() == 10 && trial < 100; QTest::qWait(400)) // until the file was looked at
    bench.addTrial(++trial);
  QVERIFY(shown() > 10);
  QVERIFY(!bench.follower.elsewhere().isBusy() && bench.steering.canStart());
  // Held in another window of this program, which refuses this one.
  bench.script.tell(StateChanged{SessionStatus::Paused, "in use", PauseCause::InUse});
  bench.addTrial(trial + 1);
  QTRY_VERIFY(bench.follower.elsewhere().isBusy());
  QVERIFY(!bench.steering.canStart());
}

void DocumentPartsTest::steeringIsUndone() {
  Bench bench;
  const RowId task = bench.sample->tasks[0];
  QSignalSpy changed(&bench.follower, &SessionFollower::tasksChanged);
  bench.steering.steer(SetImportance{task, 3});
  QCOMPARE(bench.importance(), 3.0); // before the session has said so
  QCOMPARE(changed.count(), 1);
  bench.undo.undo();
  QCOMPARE(bench.importance(), 1.0);
  QTRY_COMPARE(bench.script.commands,
               (std::vector<Command>{SetImportance{task, 3}, SetImportance{task, 1}}));
  bench.steering.start();
  QCOMPARE(bench.follower.session().pending(), Pending::Start);
  QVERIFY(!bench.steering.canStart());
  QTRY_VERIFY(bench.follower.session().isRunning());
  QCOMPARE(bench.follower.session().pending(), Pending::None);
  QVERIFY(bench.steering.canPause() && bench.steering.canStop());
}

void DocumentPartsTest::obstaclesForbidStarting() {
  Bench bench;
  QVERIFY(bench.steering.canStart() && bench.steering.canTuneLonger());
  bench.obstacles.importing = true;
  QVERIFY(!bench.steering.canStart() && bench.steering.canTuneLonger());
  bench.obstacles = {.readOnly = true};
  QVERIFY(!bench.steering.canStart() && !bench.steering.canTuneLonger());
  bench.obstacles = {.replaying = true};
  QSignalSpy warned(&bench.notices, &Notices::warned);
  bench.steering.steer(SetImportance{bench.sample->tasks[0], 3});
  QCOMPARE(warned.count(), 1);
  QCOMPARE(bench.importance(), 1.0);
  QVERIFY(!bench.steering.canStart() && !bench.steering.canStop());
}

NW_TEST_GUI(DocumentPartsTest)

} // namespace nestwright::document_parts_test

#include "document_parts.moc"
