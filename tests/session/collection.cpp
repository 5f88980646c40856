/// Collections with a made-up machine: as many programs of each task, through interruptions, and
/// from the parts of several machines together.

#include "core/session/run/collection.h"

#include "core/record/care/merge_files.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QTemporaryDir>
#include <QTest>

#include <map>

namespace nestwright::collection_test {

using namespace nestwright::made_up;

const std::vector<int> kSizes{16, 24, 32, 48, 64};

/// A collection of so many programs of each of these tasks of the sizes.
RowId makeCollection(const QString& path, int programs, const TaskRange& tasks = {}) {
  SessionConfig config = collectionConfig({});
  config.trialsPerRound = 16;
  const RowId id = makeSession(path, config, kSizes);
  RecordStore store = RecordStore::open(path.toStdString());
  if (tasks.count > 0) {
    std::vector<RowId> ids;
    for (const TaskRow& task : store.sessions().tasks(id))
      ids.push_back(task.id);
    store.sessions().setTasks(id,
                              {ids.begin() + tasks.first, ids.begin() + tasks.first + tasks.count});
  }
  SessionRow row = *store.sessions().one(id);
  nlohmann::json json = nlohmann::json::parse(row.config);
  json["trials"] = programs * static_cast<int>(store.sessions().tasks(id).size());
  json["collection"] = {
      {"programs_per_task", programs}, {"first_task", tasks.first}, {"tasks", tasks.count}};
  row.config = json.dump();
  row.title = fmt::format("part {}", tasks.first);
  row.createdAt = row.updatedAt = 1'700'000'000'000'000 + tasks.first;
  store.sessions().update(row);
  return id;
}

/// Task and program of every record, in no order of theirs.
QStringList programs(const QString& path) {
  const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
  std::map<RowId, std::string> keys;
  for (const TaskRow& task : store.tasks().all())
    keys[task.id] = task.key;
  RecordQuery query;
  query.limit = 1'000'000;
  QStringList lines;
  for (const Record& record : store.records().page(query))
    lines.append(QString::fromStdString(fmt::format("{} {} {} {}", keys[record.task],
                                                    record.program, name(record.result.verdict),
                                                    fmt::join(record.result.seconds, " "))));
  lines.sort();
  return lines;
}

class Collection : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachTaskHasItsPrograms() {
    const QString path = newPath();
    const RowId id = makeCollection(path, 40);
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    RecordStore store = RecordStore::open(path.toStdString());
    for (const TaskRow& task : store.sessions().tasks(id))
      QCOMPARE(store.tasks().summary(task.id).trials, std::int64_t(40));
    QCOMPARE(store.check(), std::vector<std::string>());
    // Its state does not grow with its rounds.
    QVERIFY(store.sessions().one(id)->schedulerState.size() < 1500);
    QVERIFY(store.sessions().one(id)->config.find("programs_per_task") != std::string::npos);
  }

  /// Cut off again and again, as by a kill, it makes what it makes in one go.
  void itGoesOnAfterInterruptions() {
    const QString whole = newPath(), cut = newPath();
    runToEnd(whole, makeCollection(whole, 30));
    const RowId id = makeCollection(cut, 30);
    SessionStatus status = SessionStatus::Paused;
    int lives = 0;
    for (; status != SessionStatus::Finished && lives < 100; ++lives) {
      std::atomic<Session*> current{nullptr};
      Session session(
          cut.toStdString(), id, [](const Event&) {}, cutOffAfter(11, current));
      current = &session;
      session.post(Start{});
      status = session.wait();
    }
    QVERIFY(lives > 5);
    QCOMPARE(programs(cut), programs(whole));
  }

  void partsTogetherAreTheWhole() {
    const QString whole = newPath(), all = newPath();
    runToEnd(whole, makeCollection(whole, 25));
    const std::atomic<bool> goOn{false};
    for (int part = 1; part <= 3; ++part) {
      const QString path = newPath();
      const TaskRange tasks = parseShard(fmt::format("{}/3", part), int(kSizes.size()));
      QCOMPARE(runToEnd(path, makeCollection(path, 25, tasks)), SessionStatus::Finished);
      mergeFile(all.toStdString(), path.toStdString(), goOn);
      QCOMPARE(mergeFile(all.toStdString(), path.toStdString(), goOn).records, std::int64_t(0));
    }
    QCOMPARE(programs(all), programs(whole));
    const RecordStore store = RecordStore::open(all.toStdString());
    QCOMPARE(store.sessions().all().size(), std::size_t(3)); // each keeps its origin
    QCOMPARE(store.tasks().all().size(), kSizes.size());
    QCOMPARE(store.check(), std::vector<std::string>());
  }

  void aTaskThatCannotBeMeasuredEndsAlone() {
    const QString path = newPath();
    const RowId id = makeCollection(path, 20);
    const auto failing = [](const auto& requests, const auto& onResult, const auto* stop) {
      for (const MeasureRequest& request : requests) {
        MeasureResult result = madeUpResult(request);
        if (request.naive && request.dag.find("[32, 64]") != std::string::npos) {
          result.seconds.clear();
          result.verdict = Verdict::RunTimeout;
        }
        onResult(result);
      }
      (void)stop;
    };
    Session session(
        path.toStdString(), id, [](const Event&) {}, failing);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString());
    QCOMPARE(store.sessions().summary(id).trials, std::int64_t(20 * (kSizes.size() - 1)));
  }

  /// A part's range, and so its shards, count only the tasks that are wanted.
  void tasksAreLeftOutByWorkAndByNetwork() {
    const std::string bert = "bert_tiny:batch=1,sequence=128";
    const std::vector<std::string> subjects = {"matmul:m=64,n=64,k=64", "matmul:m=512,n=512,k=512",
                                               bert};
    const int all = countTasks(subjects);
    CollectionPart part;
    part.without = {bert};
    QCOMPARE(countTasks(subjects, part), 2);
    part.maxFlops = 1e6;
    QCOMPARE(countTasks(subjects, part), 1);
    part.without.clear();
    QVERIFY(countTasks(subjects, part) < all - 1);
#ifdef HAS_BACKEND
    const std::string path = newPath().toStdString();
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    SessionConfig config = collectionConfig({});
    config.subjects = {subjects[0], subjects[1]};
    part.programsPerTask = 10;
    bool isNew = false;
    const RowId small = openCollection(store, config, part, isNew);
    QVERIFY(isNew);
    QCOMPARE(store.sessions().tasks(small).size(), std::size_t(1));
    QVERIFY(store.sessions().tasks(small)[0].flops < 1e6);
    QCOMPARE(store.sessions().one(small)->config.find("\"trials\":10,") != std::string::npos, true);
    QCOMPARE(openCollection(store, config, part, isNew), small);
    QVERIFY(!isNew);
    part.maxFlops = 0; // another collection
    const RowId whole = openCollection(store, config, part, isNew);
    QVERIFY(isNew && whole != small);
    QCOMPARE(store.sessions().tasks(whole).size(), std::size_t(2));
    part.maxFlops = 1;
    QVERIFY_THROWS_EXCEPTION(UsageError, openCollection(store, config, part, isNew));
#endif
  }

  void rangesAndShards() {
    const auto pair = [](const TaskRange& range) { return std::pair(range.first, range.count); };
    QCOMPARE(pair(parseTaskRange("0..199")), std::pair(0, 200));
    QCOMPARE(pair(parseTaskRange("7")), std::pair(7, 1));
    int next = 0;
    for (int part = 1; part <= 8; ++part) {
      const TaskRange range = parseShard(fmt::format("{}/8", part), 2307);
      QCOMPARE(range.first, next);
      QVERIFY(range.count == 288 || range.count == 289);
      next += range.count;
    }
    QCOMPARE(next, 2307);
    for (const char* bad : {"", "a", "5..3", "-1", "1..", "1..2..3"})
      QVERIFY_THROWS_EXCEPTION(UsageError, parseTaskRange(bad));
    for (const char* bad : {"", "0/3", "4/3", "1", "1/0", "1/99"})
      QVERIFY_THROWS_EXCEPTION(UsageError, parseShard(bad, 10));
    QCOMPARE(withSetsSpelledOut({"zoo_test", "resnet18"}).size(), std::size_t(6));
  }

 private:
  QString newPath() {
    return folder_.filePath(QStringLiteral("collection%1.nwdb").arg(++files_));
  }
  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(Collection)

} // namespace nestwright::collection_test

#include "collection.moc"
