#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/support/error.h"
#include "tests/record/paged.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QtTest>

#include <algorithm>

namespace nestwright::record_paging_test {

using Order = RecordQuery::Order;

constexpr int kRecords = 5000;

/// The parts of a record that select and order it.
struct Key {
  RowId id, task, session;
  Verdict verdict;
  double seconds;
};

bool matches(const Key& key, const RecordQuery& query) {
  return (query.task == 0 || key.task == query.task) &&
         (query.session == 0 || key.session == query.session) &&
         (!query.verdict || key.verdict == *query.verdict) &&
         (!query.onlyErrors || key.verdict != Verdict::Ok) &&
         (query.belowSeconds <= 0 || key.seconds < query.belowSeconds);
}

bool comesFirst(const Key& a, const Key& b, Order order) {
  if (order == Order::Fastest && a.seconds != b.seconds) return a.seconds < b.seconds;
  return order == Order::Newest ? a.id > b.id : a.id < b.id;
}

/// The same selection by brute force.
std::vector<RowId> expected(std::vector<Key> keys, const RecordQuery& query) {
  std::erase_if(keys, [&](const Key& key) { return !matches(key, query); });
  std::sort(keys.begin(), keys.end(),
            [&](const Key& a, const Key& b) { return comesFirst(a, b, query.order); });
  std::vector<RowId> ids;
  for (const Key& key : keys)
    ids.push_back(key.id);
  return ids;
}

class RecordPaging : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void everyQueryPagesWithoutGapOrRepeat_data();
  void everyQueryPagesWithoutGapOrRepeat();
  void pagesOfOne();
  void pagesOfNone();
  void pageAfterAnUnknownRecordIsRefused();
  void newRecordsDoNotDisturbPages();
  void manyRowsStayFast();

 private:
  samples::Folder folder_;
  std::optional<RecordStore> store_;
  std::vector<Key> keys_;
  std::vector<RowId> tasks_, sessions_;
};

void RecordPaging::initTestCase() {
  constexpr std::uint64_t kSeed = 20;
  qInfo("seed %d", int(kSeed));
  Random random(kSeed);
  store_ = RecordStore::open(folder_.file("a.nwdb"), OpenMode::Create);
  std::vector<samples::Ground> grounds;
  for (int i = 0; i < 3; ++i)
    grounds.push_back(samples::fill(*store_, 7));
  for (const samples::Ground& ground : grounds)
    sessions_.push_back(ground.session);
  tasks_ = grounds[0].tasks;
  store_->transaction([&] {
    for (int trial = 1; trial <= kRecords; ++trial) {
      const samples::Ground& ground = random.pick(grounds);
      const RowId task = tasks_[std::min(random.below(7), random.below(7))];
      // Few different times, so that many are equal.
      Record record = samples::record(ground, trial, 1e-3 * double(1 + random.below(40)), task);
      if (random.below(4) == 0)
        record = samples::failure(ground, trial, Verdict(1 + random.below(9)), task);
      record.steps = samples::steps(random);
      const RowId id = store_->records().add(record);
      keys_.push_back({id, task, ground.session, record.result.verdict, record.result.latency()});
    }
  });
}

void RecordPaging::everyQueryPagesWithoutGapOrRepeat_data() {
  QTest::addColumn<int>("order");
  QTest::addColumn<int>("task"); // number in the list, -1: all
  QTest::addColumn<int>("session");
  QTest::addColumn<int>("verdict");
  QTest::addColumn<bool>("onlyErrors");
  QTest::addColumn<double>("below");
  for (int order = 0; order < 3; ++order)
    for (const int task : {-1, 2})
      for (const int session : {-1, 1})
        for (const int verdict : {-1, 0, 2})
          for (const bool onlyErrors : {false, true})
            for (const double below : {0.0, 0.01})
              QTest::newRow(fmt::format("order {} task {} session {} verdict {} errors {} below {}",
                                        order, task, session, verdict, onlyErrors, below)
                                .c_str())
                  << order << task << session << verdict << onlyErrors << below;
}

void RecordPaging::everyQueryPagesWithoutGapOrRepeat() {
  QFETCH(int, order);
  QFETCH(int, task);
  QFETCH(int, session);
  QFETCH(int, verdict);
  QFETCH(bool, onlyErrors);
  QFETCH(double, below);
  RecordQuery query;
  query.order = Order(order);
  query.task = task < 0 ? 0 : tasks_[std::size_t(task)];
  query.session = session < 0 ? 0 : sessions_[std::size_t(session)];
  if (verdict >= 0) query.verdict = Verdict(verdict);
  query.onlyErrors = onlyErrors;
  query.belowSeconds = below;
  query.limit = 97;
  const std::vector<RowId> ids = expected(keys_, query);
  QVERIFY(paged(*store_, query, kRecords) == ids);
  const bool impossible = onlyErrors && (verdict == 0 || below > 0);
  QCOMPARE(ids.empty(), impossible || (verdict == 2 && below > 0));
}

void RecordPaging::pagesOfOne() {
  for (const Order order : {Order::Newest, Order::Oldest, Order::Fastest}) {
    RecordQuery query;
    query.order = order;
    query.task = tasks_[5];
    query.limit = 1;
    QVERIFY(paged(*store_, query, kRecords) == expected(keys_, query));
  }
}

void RecordPaging::pagesOfNone() {
  for (const int limit : {0, -1})
    for (const RowId task : {RowId(0), tasks_[0]}) {
      RecordQuery query;
      query.task = task;
      query.limit = limit;
      QVERIFY(store_->records().page(query).empty());
    }
  RecordQuery query;
  query.task = 999;
  QVERIFY(store_->records().page(query).empty());
}

void RecordPaging::pageAfterAnUnknownRecordIsRefused() {
  RecordQuery query;
  query.order = Order::Fastest;
  query.after = 999'999;
  QVERIFY_THROWS_EXCEPTION(InputError, store_->records().page(query));
}

void RecordPaging::newRecordsDoNotDisturbPages() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  for (int trial = 1; trial <= 20; ++trial)
    store.records().add(samples::record(ground, trial, 1.0 * trial));
  RecordQuery query;
  query.limit = 10;
  const std::vector<Record> first = store.records().page(query);
  store.records().add(samples::record(ground, 21, 0.5));
  query.after = first.back().id;
  const std::vector<Record> second = store.records().page(query);
  QCOMPARE(first.front().trial, std::int64_t(20));
  QCOMPARE(second.front().trial, std::int64_t(10));
  QCOMPARE(second.back().trial, std::int64_t(1));
}

/// Printed for people; NESTWRIGHT_RECORD_ROWS sets another number of rows.
void RecordPaging::manyRowsStayFast() {
  bool given = false;
  const int asked = qEnvironmentVariableIntValue("NESTWRIGHT_RECORD_ROWS", &given);
  const int rows = given ? asked : 100'000;
  const samples::Folder folder;
  const std::string path = folder.file("big.nwdb");
  Random random(1);
  {
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(store, 50);
    for (int tenth = 0; tenth < 10; ++tenth) {
      QElapsedTimer timer;
      timer.start();
      store.transaction([&] {
        for (int i = 0; i < rows / 10; ++i) {
          Record record = samples::record(ground, tenth * (rows / 10) + i + 1, 1e-3 + random.unit(),
                                          random.pick(ground.tasks));
          record.steps = samples::steps(random);
          store.records().add(record);
        }
      });
      qInfo("rows %d: %.1f us each", (tenth + 1) * (rows / 10),
            double(timer.nsecsElapsed()) / 1e3 / (rows / 10));
    }
    for (const Order order : {Order::Newest, Order::Oldest, Order::Fastest}) {
      RecordQuery query;
      query.order = order;
      query.session = ground.session;
      QElapsedTimer timer;
      timer.start();
      const std::vector<Record> page = store.records().page(query);
      qInfo("page of %d in order %d: %.2f ms", int(page.size()), int(order),
            double(timer.nsecsElapsed()) / 1e6);
    }
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(int(store.trials().curve(ground.session).size()), std::min(rows, 100'000));
    qInfo("curve: %.1f ms", double(timer.nsecsElapsed()) / 1e6);
    timer.start();
    QVERIFY(store.check().empty());
    qInfo("check: %.1f ms", double(timer.nsecsElapsed()) / 1e6);
  }
  qInfo("%.1f bytes per record", double(QFileInfo(QString::fromStdString(path)).size()) / rows);

  RecordStore store = RecordStore::open(path);
  const RowId session = store.sessions().all()[0].id;
  samples::Ground ground;
  ground.session = session;
  ground.tasks = {store.tasks().all()[0].id};
  QElapsedTimer timer;
  timer.start();
  constexpr int kSingles = 200;
  for (int i = 0; i < kSingles; ++i)
    store.records().add(samples::record(ground, rows + i + 1, 1));
  qInfo("record in a transaction of its own, on the disk: %.0f us",
        double(timer.nsecsElapsed()) / 1e3 / kSingles);
}

NW_TEST_GUILESS(RecordPaging)

} // namespace nestwright::record_paging_test

#include "record_paging.moc"
