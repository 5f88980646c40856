/// \file Networks, targets, tasks and sessions in the file.

#include "core/record/store/record_rows.h"

#include "core/record/intake/import_tables.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"
#include "tests/record/problems.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::record_rows_test {

namespace {} // namespace

class RecordRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsComeBack();
  void rowsAreFoundByIdentity();
  void networksShareTasks();
  void sessionsTuneSeveralNetworks();
  void tasksOfOneHashAndOtherTextAreRefused();
  void aTaskOfALogIsDefinedWhenItIsTuned();
  void definitionsOfLogsAreNotMixed();
  void sessionsComeBackAndChange();
  void sessionTasksKeepTheirOrder();
};

void RecordRowsTest::rowsComeBack() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  samples::Ground ground;
  {
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    ground = samples::fill(store, 2);
    QCOMPARE(store.path(), path);
  }
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  QCOMPARE(store.networks().all().size(), std::size_t(1));
  QCOMPARE(store.networks().all()[0].name, std::string("resnet18"));
  QCOMPARE(store.networks().all()[0].spec, std::string("resnet18:batch=1"));
  QCOMPARE(store.targets().all()[0].key, std::string("cpu-test"));
  QCOMPARE(store.targets().all()[0].text, std::string("llvm -keys=cpu"));
  QCOMPARE(store.targets().all()[0].facts, std::string("{}"));
  const std::vector<TaskRow> tasks = store.tasks().all(ground.network);
  QCOMPARE(tasks.size(), std::size_t(2));
  QCOMPARE(tasks[1].id, ground.tasks[1]);
  QCOMPARE(tasks[1].network, ground.network);
  QCOMPARE(tasks[1].target, ground.target);
  QCOMPARE(tasks[1].index, 1);
  QCOMPARE(tasks[1].key, std::string("conv1[1,64,56,56]#0000000000000001"));
  QCOMPARE(tasks[1].name, std::string("conv 1"));
  QCOMPARE(tasks[1].dag, std::string("dag 1"));
  QCOMPARE(tasks[1].weight, 2.0);
  QCOMPARE(tasks[1].flops, 1e9);
  QCOMPARE(store.tasks().one(ground.tasks[1])->key, tasks[1].key);
  QCOMPARE(store.tasks().find(tasks[1].key, ground.target)->id, ground.tasks[1]);
  QVERIFY(!store.tasks().find(tasks[1].key, ground.target + 1));
  QVERIFY(!store.tasks().one(99));
  QVERIFY(!store.records().one(99));
  QVERIFY(!store.sessions().one(99));
  QCOMPARE(problemsOf(store), std::string("[]"));
}

void RecordRowsTest::rowsAreFoundByIdentity() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground first = samples::fill(store, 3), second = samples::fill(store, 3);
  QCOMPARE(first.network, second.network);
  QCOMPARE(first.target, second.target);
  QVERIFY(first.tasks == second.tasks);
  QVERIFY(first.session != second.session); // a session is a run: two are never the same
  QCOMPARE(store.tasks().all().size(), std::size_t(3));
  const RowId elsewhere = store.targets().add({0, "other machine", "llvm", "{}"});
  TaskRow task = *store.tasks().one(first.tasks[0]);
  task.target = elsewhere;
  QVERIFY(store.tasks().add(task) != first.tasks[0]); // C28: another machine's task is another task
}

void RecordRowsTest::networksShareTasks() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 2);
  const RowId other = store.networks().add({0, "resnet50", "resnet50"});
  TaskRow shared = *store.tasks().one(ground.tasks[1]);
  shared.network = other;
  shared.index = 7;
  shared.weight = 3;
  QCOMPARE(store.tasks().add(shared), ground.tasks[1]);
  QCOMPARE(store.tasks().all(other).size(), std::size_t(1));
  QCOMPARE(store.tasks().all(other)[0].index, 7);
  QCOMPARE(store.tasks().all(other)[0].weight, 3.0);
  QCOMPARE(store.tasks().all(ground.network)[1].weight, 2.0);
  QCOMPARE(store.tasks().all().size(), std::size_t(2));

  SessionRow row = *store.sessions().one(ground.session);
  row.network = other;
  const RowId session = store.sessions().add(row);
  store.sessions().setTasks(session, {ground.tasks[1]});
  QCOMPARE(store.sessions().tasks(session)[0].network, other);
  QCOMPARE(store.sessions().tasks(session)[0].weight, 3.0);

  shared.network = 0; // tuned alone
  shared.weight = 1;
  QCOMPARE(store.tasks().add(shared), ground.tasks[1]);
  QCOMPARE(store.tasks().add(shared), ground.tasks[1]);
  row.network = 0;
  const RowId alone = store.sessions().add(row);
  store.sessions().setTasks(alone, {ground.tasks[1]});
  QCOMPARE(store.sessions().tasks(alone)[0].network, RowId(0));
  QCOMPARE(store.sessions().tasks(alone)[0].weight, 1.0);
  QCOMPARE(problemsOf(store), std::string("[]"));
}

void RecordRowsTest::sessionsTuneSeveralNetworks() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 2);
  const std::vector<SessionNetwork> only = store.sessions().networks(ground.session);
  QCOMPARE(only.size(), std::size_t(1)); // none were set: the one of its row
  QCOMPARE(only[0].network, ground.network);
  QCOMPARE(only[0].name, std::string("resnet18"));
  QCOMPARE(only[0].weights.size(), std::size_t(2));
  QCOMPARE(only[0].weights[1].weight, 2.0);

  const std::vector<SessionNetwork> two{
      {ground.network, "resnet18", {{ground.tasks[0], 1}, {ground.tasks[1], 2}}},
      {0, "conv alone", {{ground.tasks[1], 5}}}};
  store.sessions().setNetworks(ground.session, two);
  store.sessions().setNetworks(ground.session, two); // replaces them
  const std::vector<SessionNetwork> stored = store.sessions().networks(ground.session);
  QCOMPARE(stored.size(), std::size_t(2));
  QCOMPARE(stored[1].name, std::string("conv alone"));
  QCOMPARE(stored[1].network, RowId(0));
  QCOMPARE(stored[1].weights[0].task, ground.tasks[1]);
  QCOMPARE(stored[1].weights[0].weight, 5.0);
  QCOMPARE(store.sessions().tasks(ground.session)[0].weight, 1.0);
  QCOMPARE(store.sessions().tasks(ground.session)[1].weight, 7.0);
  QVERIFY_THROWS_EXCEPTION(
      InputError, store.sessions().setNetworks(ground.session, {{0, "twin", {}}, {0, "twin", {}}}));
  QCOMPARE(store.sessions().networks(ground.session).size(), std::size_t(2));
  QCOMPARE(problemsOf(store), std::string("[]"));
}

void RecordRowsTest::tasksOfOneHashAndOtherTextAreRefused() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  TaskRow task = *store.tasks().one(ground.tasks[0]);
  task.dag = "another definition";
  QVERIFY_THROWS_EXCEPTION(InputError, store.tasks().add(task));
  task.key = "pool[1]#0000000000000000"; // another prefix before the same hash
  QVERIFY_THROWS_EXCEPTION(InputError, store.tasks().add(task));
  try {
    store.tasks().add(task);
  } catch (const InputError& error) {
    QVERIFY(std::string(error.what()).find(task.key) != std::string::npos);
  }
  QCOMPARE(store.tasks().all().size(), std::size_t(1));
}

/// What nobody told is no other definition.
void RecordRowsTest::aTaskOfALogIsDefinedWhenItIsTuned() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const RowId here = store.targets().add({0, "cpu-test", "llvm", "{}"});
  const RowId elsewhere = store.targets().add({0, "cpu-other", "llvm", "{}"});
  TaskRow task{0, 0, here, 0, "conv[1]#0000000000000001", "subgraph 1", "", 1, 0};
  const RowId logged = store.tasks().add(task);
  task.target = elsewhere;
  const RowId loggedElsewhere = store.tasks().add(task);
  task.target = here;
  task.name = "conv", task.dag = "dag of conv", task.flops = 1e9;
  QCOMPARE(store.tasks().add(task), logged);
  const TaskRow tuned = *store.tasks().one(logged);
  QCOMPARE(tuned.dag, std::string("dag of conv"));
  QCOMPARE(tuned.name, std::string("conv"));
  QCOMPARE(tuned.flops, 1e9);
  QCOMPARE(store.tasks().one(loggedElsewhere)->dag, std::string());
  task.name = "subgraph 1", task.dag.clear(); // another log of it
  QCOMPARE(store.tasks().add(task), logged);
  QCOMPARE(store.tasks().one(logged)->dag, std::string("dag of conv"));
  QCOMPARE(store.tasks().one(logged)->name, std::string("conv"));
  task.dag = "another definition";
  QVERIFY_THROWS_EXCEPTION(InputError, store.tasks().add(task));
}

/// Of a key that the file has for another target, the definition is the one there.
void RecordRowsTest::definitionsOfLogsAreNotMixed() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  samples::Ground ground;
  RowId elsewhere = 0;
  {
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    ground = samples::fill(store);
    elsewhere = store.targets().add({0, "cpu-other", "llvm", "{}"});
  }
  sqlite::Database db(path, sqlite::Access::ReadWrite);
  const TaskKnowledge told{"told", "another definition", 1, {}, {}}, nothing{"told", {}, 0, {}, {}};
  const RowId known = importTask(db, "conv0[1,64,56,56]#0000000000000000", elsewhere, told);
  QVERIFY_THROWS_EXCEPTION(InputError, importTask(db, "pool[1]#0000000000000000", elsewhere, told));
  const RowId unknown = importTask(db, "matmul", ground.target, nothing);
  const RowId later = importTask(db, "matmul", elsewhere, told);
  completeTask(db, unknown, {"other words", "other words for it", 2, {}, {}});
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  QCOMPARE(store.tasks().all().size(), std::size_t(4));
  QCOMPARE(store.tasks().one(known)->dag, std::string("dag 0"));
  QCOMPARE(store.tasks().one(known)->name, std::string("conv 0"));
  QCOMPARE(store.tasks().one(known)->flops, 1e9);
  for (const RowId task : {unknown, later})
    QCOMPARE(store.tasks().one(task)->dag, std::string("another definition"));
}

void RecordRowsTest::sessionsComeBackAndChange() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  SessionRow row = *store.sessions().one(ground.session);
  for (const SessionStatus status :
       {SessionStatus::Ready, SessionStatus::Running, SessionStatus::Paused,
        SessionStatus::Finished, SessionStatus::Failed}) {
    row.status = status;
    row.title = "renamed \xc3\xa4";
    row.config = R"({"trials":7})";
    row.updatedAt += 1;
    row.wallSeconds += 1.0 / 3;
    row.schedulerState = std::string(100'000, 's');
    store.sessions().update(row);
    const SessionRow back = *store.sessions().one(row.id);
    QCOMPARE(int(back.status), int(status));
    QCOMPARE(back.title, row.title);
    QCOMPARE(back.config, row.config);
    QCOMPARE(back.createdAt, row.createdAt);
    QCOMPARE(back.updatedAt, row.updatedAt);
    QCOMPARE(back.wallSeconds, row.wallSeconds);
    QCOMPARE(back.schedulerState, row.schedulerState);
    QCOMPARE(back.product, row.product);
  }
  row.id = 99;
  QVERIFY_THROWS_EXCEPTION(InputError, store.sessions().update(row));
  const RowId bare = store.sessions().add({}); // every text empty
  QCOMPARE(store.sessions().one(bare)->config, std::string());
  QCOMPARE(store.sessions().all().size(), std::size_t(2));
}

void RecordRowsTest::sessionTasksKeepTheirOrder() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 4);
  store.sessions().setTasks(ground.session, {ground.tasks[2], ground.tasks[0]});
  const std::vector<TaskRow> tasks = store.sessions().tasks(ground.session);
  QCOMPARE(tasks.size(), std::size_t(2));
  QCOMPARE(tasks[0].id, ground.tasks[2]);
  QCOMPARE(tasks[1].id, ground.tasks[0]);
  QVERIFY_THROWS_EXCEPTION(InputError, store.sessions().setTasks(99, {}));
  QVERIFY_THROWS_EXCEPTION(InputError, store.sessions().setTasks(ground.session, {99}));
  QCOMPARE(store.sessions().tasks(ground.session).size(), std::size_t(2));
}

NW_TEST_GUILESS(RecordRowsTest)

} // namespace nestwright::record_rows_test

#include "record_rows.moc"
