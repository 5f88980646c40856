/// The numbers of one session and those of its whole file: each kind agrees with itself, told or
/// read.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/story/live_session.h"
#include "core/story/read_story.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <optional>

namespace nestwright::scopes_test {

class ScopesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void curvesEndWhereTheTasksAre_data();
  void curvesEndWhereTheTasksAre();
  void noSessionIsFasterThanItsFile();
  void theWindowsScopeIsKept();
  void claimsCountOnceTheyAreSettled();
  void importsHaveNoBest();

 private:
  std::optional<RecordStore> store_;
};

void ScopesTest::initTestCase() {
  store_ = RecordStore::open(NESTWRIGHT_SAMPLE, OpenMode::ReadOnly);
  QVERIFY(store_->sessions().all().size() > 1);
}

void ScopesTest::curvesEndWhereTheTasksAre_data() {
  QTest::addColumn<bool>("newest");
  QTest::addColumn<int>("scope");
  for (const bool newest : {false, true})
    for (const Scope scope : {Scope::WholeFile, Scope::ThisSession})
      QTest::addRow("%s session, %s", newest ? "last" : "first", kScopeNames.of(scope))
          << newest << int(scope);
}

void ScopesTest::curvesEndWhereTheTasksAre() {
  QFETCH(const bool, newest);
  QFETCH(const int, scope);
  const std::vector<SessionRow> sessions = store_->sessions().all();
  const RowId session = newest ? sessions.back().id : sessions.front().id;
  const SessionContents contents = readContents(*store_, session, Scope(scope));
  const TuningHistory history = readHistory(*store_, contents);
  std::int64_t trials = 0;
  for (const TaskEntry& task : contents.tasks) {
    const TaskHistory* of = history.find(task.row.id);
    QVERIFY(of != nullptr);
    QCOMPARE(of->best(), task.summary.bestSeconds);
    if (!of->bests.empty()) QCOMPARE(of->bests.back().record, task.summary.bestRecord);
    QVERIFY(std::ranges::is_sorted(of->bests, std::greater(), &BestPoint::seconds));
    trials += task.summary.trials;
  }
  QCOMPARE(history.total().back().seconds, presentTotal(contents.tasks));
  if (Scope(scope) == Scope::ThisSession) {
    QCOMPARE(trials, contents.summary.trials);
    for (const TaskHistory& task : history.tasks())
      QVERIFY(std::ranges::none_of(task.bests, &BestPoint::inherited));
  } else {
    QVERIFY(trials > contents.summary.trials);
  }
}

void ScopesTest::noSessionIsFasterThanItsFile() {
  std::map<RowId, double> fastest;
  for (const SessionRow& session : store_->sessions().all())
    for (const TaskEntry& task : readContents(*store_, session.id, Scope::ThisSession).tasks) {
      QVERIFY(task.summary.bestSeconds >= task.fileBestSeconds);
      double& known = fastest.try_emplace(task.row.id, kUnknown).first->second;
      known = std::min(known, task.summary.bestSeconds);
    }
  // And one of them has the file's best.
  for (const TaskEntry& task : readContents(*store_, 0, Scope::WholeFile).tasks)
    QCOMPARE(fastest[task.row.id], task.summary.bestSeconds);
}

void ScopesTest::theWindowsScopeIsKept() {
  const SessionContents left = readContents(*store_, 0, std::nullopt);
  QCOMPARE(left.scope, Scope::WholeFile); // the sample's window left none
}

/// A session that began with a best of 1 ms of another one.
SessionContents contents(Scope scope) {
  SessionContents made;
  made.scope = scope;
  made.session.id = 7;
  TaskEntry task;
  task.row.id = 11, task.row.weight = 1;
  task.summary.naiveSeconds = 1;
  task.summary.bestSeconds = kUnknown;
  task.fileBestSeconds = 1e-3;
  if (scope == Scope::WholeFile) {
    task.summary.bestRecord = 1;
    task.summary.bestSeconds = 1e-3;
  }
  made.tasks.push_back(task);
  return made;
}

void ScopesTest::claimsCountOnceTheyAreSettled() {
  LiveSession own(contents(Scope::ThisSession)), all(contents(Scope::WholeFile));
  const auto tell = [&](const Event& event) {
    for (LiveSession* session : {&own, &all}) {
      LiveChanges changes;
      session->apply(event, changes);
    }
  };
  const auto bestIs = [&](double ofOwn, double ofAll) {
    const double inOwn = own.task(11)->summary.bestSeconds;
    return inOwn == ofOwn && own.history().find(11)->best() == ofOwn &&
           all.task(11)->summary.bestSeconds == ofAll;
  };
  own.finishCurves();
  all.finishCurves();
  tell(Measured{2, 11, 1, Verdict::Ok, 5e-3, 1, {}});
  QVERIFY(bestIs(5e-3, 1e-3)); // of this session, although the file has a better one
  tell(Measured{3, 11, 2, Verdict::Ok, 6e-3, 2, {}});
  QVERIFY(bestIs(5e-3, 1e-3));
  tell(Measured{4, 11, 3, Verdict::RunError, kUnknown, 3, {}});
  QVERIFY(bestIs(5e-3, 1e-3));
  // Below the file's best it is a claim, of which nobody knows yet whether it holds.
  tell(Measured{5, 11, 4, Verdict::Ok, 0.9e-3, 4, {}});
  QVERIFY(bestIs(5e-3, 1e-3));
  tell(NewBest{11, 5, 4, 0.9e-3, 1e-3, kUnknown, 4});
  QVERIFY(bestIs(0.9e-3, 0.9e-3));
  tell(Measured{6, 11, 5, Verdict::Ok, 0.8e-3, 5, {}}); // contested
  tell(Measured{7, 11, 6, Verdict::Ok, 0.95e-3, 6, {}});
  QVERIFY(bestIs(0.9e-3, 0.9e-3));
  QCOMPARE(own.task(11)->summary.trials, 6);
  QCOMPARE(own.task(11)->summary.errors, 1);
}

void ScopesTest::importsHaveNoBest() {
  QTemporaryDir folder;
  RecordStore store =
      RecordStore::open(folder.filePath("import.nwdb").toStdString(), OpenMode::Create);
  const RowId target = store.targets().add({0, "machine", "llvm", "{}"});
  TaskRow row;
  row.target = target, row.key = "k", row.name = "task", row.dag = "", row.weight = 1;
  const RowId task = store.tasks().add(row);
  SessionRow session;
  session.title = "logs";
  nlohmann::json config = toJson(SessionConfig());
  config["import"] = nlohmann::json::object();
  session.config = config.dump();
  session.id = store.sessions().add(session);
  store.sessions().setTasks(session.id, {task});
  Record record;
  record.session = session.id, record.task = task, record.trial = 1;
  record.program = std::string(32, 'a');
  record.result.seconds = {1e-3};
  record.trace = "{}";
  store.records().add(record);
  for (const Scope scope : {Scope::WholeFile, Scope::ThisSession}) {
    const SessionContents contents = readContents(store, session.id, scope);
    QCOMPARE(contents.tasks.front().summary.trials, 1);
    QCOMPARE(contents.tasks.front().summary.bestRecord, RowId(0)); // compared with nothing
  }
}

NW_TEST_APPLESS(ScopesTest)

} // namespace nestwright::scopes_test

#include "scopes.moc"
