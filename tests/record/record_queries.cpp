#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"
#include "core/record/query/record_survey.h"
#include "core/record/select/filter_sql.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/tag_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"
#include "tests/record/bulk_records.h"
#include "tests/record/filter_reference.h"
#include "tests/record/paged.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace nestwright::record_queries_test {

using Order = RecordQuery::Order;

constexpr int kRecords = 1500;
constexpr int kOrders = int(Order::ByVerdictDown) + 1;

class RecordQueries : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void filtersGiveWhatTheySay_data();
  void filtersGiveWhatTheySay();
  void randomFiltersAgree();
  void statisticsOfNothing();
  void statisticsOfChosenRecords();
  void patterns_data();
  void patterns();
  void newShapesAreSeen();
  void manyRowsUseTheIndexes();
  void fewAreFoundByTheIndexes();

 private:
  std::vector<const Record*> matching(const RecordQuery& query) const;
  /// Every order gives these records in its own, page by page.
  void compareOrders(RecordQuery query, const std::vector<const Record*>& records);
  void compareFigures(const RecordQuery& query, const std::vector<const Record*>& records);

  samples::Folder folder_;
  std::optional<RecordStore> store_;
  std::vector<Record> records_;
  Facts facts_;
};

void RecordQueries::initTestCase() {
  constexpr std::uint64_t kSeed = 21;
  Random random(kSeed);
  store_ = RecordStore::open(folder_.file("a.nwdb"), OpenMode::Create);
  std::vector<samples::Ground> grounds;
  for (int i = 0; i < 3; ++i)
    grounds.push_back(samples::fill(*store_, 5));
  for (const samples::Ground& ground : grounds) {
    SessionRow session = *store_->sessions().one(ground.session);
    session.title = fmt::format("run {}", ground.session);
    store_->sessions().update(session);
    facts_.sessions[ground.session] = session;
  }
  for (const TaskRow& task : store_->tasks().all())
    facts_.tasks[task.id] = task;
  std::vector<RowId> ids;
  store_->transaction([&] {
    for (int trial = 1; trial <= kRecords; ++trial) {
      const samples::Ground& ground = random.pick(grounds);
      const RowId task = ground.tasks[std::min(random.below(5), random.below(5))];
      Record record = samples::record(ground, trial, 1e-3 * double(1 + random.below(40)), task);
      if (random.below(4) == 0)
        record = samples::failure(ground, trial, Verdict(1 + random.below(9)), task);
      record.steps = samples::steps(random);
      if (random.below(5) == 0) record.steps.push_back(RfactorStep{2, 0, int(random.below(3))});
      record.wallSeconds = trial * 0.5;
      record.verified = record.result.verdict == Verdict::Ok && random.below(2) == 0;
      record.implausible = random.below(9) == 0;
      ids.push_back(store_->records().add(record));
    }
  });
  std::vector<RowId> some, others;
  for (const RowId id : ids) {
    if (random.below(20) == 0) some.push_back(id);
    if (random.below(15) == 0) others.push_back(id);
  }
  store_->records().setForgotten(some, true);
  store_->tags().set("keep", others, true);
  store_->tags().set("odd one", some, true);
  for (const RowId id : ids)
    records_.push_back(*store_->records().one(id));
}

std::vector<const Record*> RecordQueries::matching(const RecordQuery& query) const {
  std::vector<const Record*> found;
  Facts facts = facts_;
  facts.bests = bestsOf(records_, query);
  for (const Record& record : records_)
    if (matches(record, query, facts)) found.push_back(&record);
  return found;
}

void RecordQueries::compareOrders(RecordQuery query, const std::vector<const Record*>& records) {
  for (int order = 0; order < kOrders; ++order) {
    query.order = Order(order);
    std::vector<std::pair<std::pair<double, RowId>, RowId>> places;
    for (const Record* record : records)
      places.push_back({place(*record, query.order, facts_), record->id});
    std::sort(places.begin(), places.end());
    const std::vector<RowId> found = paged(*store_, query, kRecords);
    const std::string what = fmt::format("{} in order {}: {} instead of {}", print(query.filter),
                                         order, found.size(), records.size());
    QVERIFY2(std::equal(found.begin(), found.end(), places.begin(), places.end(),
                        [](RowId id, const auto& expected) { return id == expected.second; }),
             what.c_str());
  }
}

void RecordQueries::compareFigures(const RecordQuery& query,
                                   const std::vector<const Record*>& records) {
  QCOMPARE(store_->records().count(query), std::int64_t(records.size()));
  const RecordStatistics figures = store_->records().statistics(query, 7);
  QCOMPARE(figures.records, std::int64_t(records.size()));
  std::vector<double> times;
  std::map<Verdict, std::int64_t> verdicts;
  for (const Record* record : records) {
    ++verdicts[record->result.verdict];
    if (record->result.verdict == Verdict::Ok) times.push_back(record->result.latency());
  }
  QCOMPARE(figures.verdicts.size(), verdicts.size());
  for (const VerdictCount& count : figures.verdicts)
    QCOMPARE(count.records, verdicts[count.verdict]);
  QCOMPARE(figures.measured, std::int64_t(times.size()));
  QCOMPARE(std::accumulate(figures.bins.begin(), figures.bins.end(), std::int64_t(0)),
           figures.measured);
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  const double middle = times[times.size() / 2],
               median = times.size() % 2 != 0 ? middle : (middle + times[times.size() / 2 - 1]) / 2;
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / double(times.size());
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); };
  QCOMPARE(figures.best, times.front());
  QCOMPARE(figures.worst, times.back());
  QVERIFY(near(figures.median, median) && near(figures.mean, mean));
  QVERIFY(figures.lowQuartile <= figures.median && figures.median <= figures.highQuartile);
}

void RecordQueries::filtersGiveWhatTheySay_data() {
  QTest::addColumn<QByteArray>("filter");
  for (const char* filter : {"",
                             "task:\"conv 2\"",
                             "task:T1,T4",
                             "-task:T1",
                             "task:64,56 error:none",
                             "task:nothing",
                             "task:\"=conv 2\"",
                             "task:=conv",
                             "task:\"=conv ?\"",
                             "tag:=keep",
                             "tag:=kee",
                             "session:\"=run 3\"",
                             "weight>2",
                             "weight:1,3",
                             "-weight>2",
                             "latency<5ms",
                             "latency:3ms..9ms",
                             "latency>=12ms",
                             "-latency<5ms",
                             "latency:<5ms,>30ms",
                             "latency>5ms latency<7ms",
                             "latency>7ms latency<5ms",
                             "gflops>200",
                             "gflops:50..100",
                             "error:none",
                             "error:any",
                             "-error:timeout",
                             "error:timeout,illegal",
                             "session:2",
                             "session:2..3",
                             "session:\"run 3\"",
                             "-session>1",
                             "is:best",
                             "is:was-best",
                             "-is:was-best",
                             "is:best,was-best",
                             "is:verified,implausible",
                             "-is:verified",
                             "is:forgotten",
                             "-is:forgotten",
                             "is:best,forgotten",
                             "is:best session:2",
                             "session:2 -is:best is:verified",
                             "is:was-best session:3",
                             "is:best session:2..3",
                             "is:best session:2,3",
                             "is:best -session:2",
                             "is:best session:\"run 3\"",
                             "is:best task:T1 session:2",
                             "steps:rfactor",
                             "-steps:rfactor",
                             "steps:cache-write",
                             "steps:rfactor latency<4ms",
                             "tag:keep",
                             "tag:odd",
                             "tag:odd is:forgotten",
                             "-tag:keep",
                             "tag:none",
                             "tag:any",
                             "tag:none,keep",
                             "trial:1..100",
                             "trial>2900",
                             "-trial:1..2900",
                             "record:17",
                             "record:17,18,4000",
                             "record:10..20 error:none",
                             "wall<10min",
                             "program:1",
                             "-program:1,2,3",
                             "task:/conv.[13]/",
                             "task:/^CONV.*4$/ error:none",
                             "task:/nothing/,T1",
                             "-task:\"/conv (1|2)/\"",
                             "session:/run.[2-3]$/",
                             "tag:/^(keep|odd)/",
                             "target:/keys=.pu/",
                             "network:resnet18",
                             "-network:resnet18",
                             "target:*llvm*",
                             "target:gpu"})
    QTest::newRow(filter) << QByteArray(filter);
}

void RecordQueries::filtersGiveWhatTheySay() {
  QFETCH(QByteArray, filter);
  RecordQuery query;
  query.filter = parseRecordFilter(filter.toStdString());
  query.limit = 97;
  for (const RowId session : {RowId(0), records_[3].session}) {
    query.session = session;
    compareOrders(query, matching(query));
    compareFigures(query, matching(query));
  }
  query.upTo = records_[500].id;
  compareOrders(query, matching(query));
  compareFigures(query, matching(query));
}

void RecordQueries::randomFiltersAgree() {
  static constexpr const char* kWords[] = {
      "task:T0,T1",    "-task:\"conv 3\"", "weight>=2",     "latency<8ms",    "latency>3ms",
      "error:none",    "-error:run-error", "is:verified",   "-is:best",       "is:best,was-best",
      "steps:rfactor", "tag:keep",         "-tag:any",      "trial:100..900", "session:1,3",
      "gflops<300",    "wall:1min..1h",    "program:a,b,c", "is:forgotten",   "-latency<10ms",
      "record:1..1500"};
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (int n = 2 + int(random.below(3)); n > 0; --n)
      text += std::string(kWords[random.below(std::size(kWords))]) + " ";
    RecordQuery query;
    query.filter = parseRecordFilter(text);
    query.limit = 30 + int(random.below(300));
    compareOrders(query, matching(query));
    compareFigures(query, matching(query));
  }
}

void RecordQueries::statisticsOfNothing() {
  RecordQuery query;
  query.filter = parseRecordFilter("task:nothing");
  const RecordStatistics figures = store_->records().statistics(query);
  QCOMPARE(figures.records, std::int64_t(0));
  QCOMPARE(figures.measured, std::int64_t(0));
  QCOMPARE(figures.median, 0.0);
  QCOMPARE(figures.bins, std::vector<std::int64_t>(40, 0));
}

void RecordQueries::statisticsOfChosenRecords() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  std::vector<RowId> ids;
  for (const double seconds : {1.0, 2.0, 4.0, 8.0})
    ids.push_back(
        store.records().add(samples::record(ground, std::int64_t(ids.size()) + 1, seconds)));
  ids.push_back(store.records().add(samples::failure(ground, 9, Verdict::RunTimeout)));
  const RecordStatistics figures = store.records().statistics(ids, 3);
  QCOMPARE(figures.records, std::int64_t(5));
  QCOMPARE(figures.measured, std::int64_t(4));
  QCOMPARE(figures.best, 1.0);
  QCOMPARE(figures.worst, 8.0);
  QCOMPARE(figures.mean, 3.75);
  QCOMPARE(figures.median, 3.0);
  QCOMPARE(figures.lowQuartile, 1.75);
  QCOMPARE(figures.highQuartile, 5.0);
  QVERIFY(std::abs(figures.deviation - 3.095695936834452) < 1e-12);
  QCOMPARE(figures.bins, (std::vector<std::int64_t>{1, 1, 2}));
  QCOMPARE(figures.verdicts.size(), std::size_t(2));
  QCOMPARE(int(figures.verdicts[1].verdict), int(Verdict::RunTimeout));
}

void RecordQueries::patterns_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("pattern");
  QTest::newRow("part") << QByteArray("conv") << QByteArray("%conv%");
  QTest::newRow("whole") << QByteArray("a*b?") << QByteArray("a%b_");
  QTest::newRow("exact") << QByteArray("=a*b?%") << QByteArray("a*b?\\%");
  QTest::newRow("special") << QByteArray("50%_\\") << QByteArray("%50\\%\\_\\\\%");
  QTest::newRow("arrow") << QByteArray("64→128") << QByteArray("%64->128%");
}

void RecordQueries::patterns() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, pattern);
  QCOMPARE(QByteArray::fromStdString(likePattern(text.toStdString())), pattern);
}

void RecordQueries::newShapesAreSeen() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  const RecordStore reader = RecordStore::open(path, OpenMode::ReadOnly);
  RecordQuery query;
  query.filter = parseRecordFilter("steps:rfactor");
  QCOMPARE(reader.records().count(query), std::int64_t(0));
  Record record = samples::record(ground, 1, 1);
  record.steps = {RfactorStep{2, 0, 1}};
  store.records().add(record);
  QCOMPARE(reader.records().count(query), std::int64_t(1));
  // Also within a transaction that is undone.
  QVERIFY_THROWS_EXCEPTION(InputError, store.transaction([&] {
    QCOMPARE(store.records().count(query), std::int64_t(1));
    throw InputError("no");
  }));
  QCOMPARE(store.records().count(query), std::int64_t(1));
}

/// Timings are printed for people; NESTWRIGHT_RECORD_ROWS sets the number of rows. What is asserted
/// is that reading a page of an indexed condition takes no more of SQLite's steps than one of all.
void RecordQueries::manyRowsUseTheIndexes() {
  bool given = false;
  const int asked = qEnvironmentVariableIntValue("NESTWRIGHT_RECORD_ROWS", &given);
  const int rows = given ? asked : 50'000;
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("big.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 30);
  Random random(1);
  store.transaction([&] {
    for (int i = 1; i <= rows; ++i) {
      const RowId task = ground.tasks[std::size_t(i / 64) % ground.tasks.size()];
      Record record = random.below(20) == 0
                          ? samples::failure(ground, i, Verdict(1 + random.below(9)), task)
                          : samples::record(ground, i, 1e-3 * std::exp(2 * random.unit()), task);
      record.steps = samples::steps(random);
      if (random.below(100) == 0) record.steps.push_back(RfactorStep{2, 0, 1});
      record.wallSeconds = 0.05 * i;
      store.records().add(record);
    }
  });
  store.tags().set("keep", {5, 500, 5000}, true);
  const auto steps = [&](const std::function<void()>& body) {
    std::int64_t asked = 0;
    store.interruptible([&] { return ++asked > 0; }, body);
    return asked;
  };
  for (const char* filter :
       {"", "task:\"conv 7\"", "weight>10", "error:none", "-error:timeout", "latency<1.001ms",
        "latency<2ms", "task:\"conv 7\" latency<1.1ms error:none", "tag:keep", "record:77",
        "steps:rfactor", "trial:100..200", "program:12ab"}) {
    RecordQuery query;
    query.filter = parseRecordFilter(filter);
    query.limit = 200;
    std::string line = fmt::format("{:42}", filter);
    QElapsedTimer timer;
    std::int64_t worst = 0;
    for (const Order order : {Order::Newest, Order::Fastest, Order::Slowest, Order::LastTrial,
                              Order::ByTask, Order::ByVerdictDown}) {
      query.order = order;
      timer.start();
      const std::int64_t asked = steps([&] { store.records().page(query); });
      line += fmt::format(" {:7.2f}", double(timer.nsecsElapsed()) / 1e6);
      const RecordFilter& conditions = query.filter;
      const bool indexed = order != Order::LastTrial && !conditions.has(FilterField::Steps) &&
                           !conditions.has(FilterField::Trial) &&
                           !conditions.has(FilterField::Program);
      // A question every 20,000 steps: a scan of 50,000 rows takes more than 15 of them.
      worst = std::max(worst, indexed ? asked : 0);
    }
    timer.start();
    const std::int64_t matching = store.records().count(query);
    line += fmt::format("  count {:8} {:7.2f}", matching, double(timer.nsecsElapsed()) / 1e6);
    timer.start();
    store.records().statistics(query);
    line += fmt::format("  statistics {:7.2f} ms", double(timer.nsecsElapsed()) / 1e6);
    qInfo("%s, at most %d questions", line.c_str(), int(worst));
    QVERIFY(worst <= 8);
  }
  // And reading that takes long can be stopped.
  RecordQuery slow;
  slow.filter = parseRecordFilter("-program:123456");
  int questions = 0;
  QVERIFY_THROWS_EXCEPTION(QueryStopped, store.interruptible([&] { return ++questions < 3; },
                                                             [&] { store.records().count(slow); }));
  QCOMPARE(questions, 3);
  QCOMPARE(store.records().count(slow), std::int64_t(rows)); // nobody asks any more
  QCOMPARE(questions, 3);
}

/// Beside many imported records, none of which may be a best, and in their session; what is
/// asserted is as above.
void RecordQueries::fewAreFoundByTheIndexes() {
  bool given = false;
  const int asked = qEnvironmentVariableIntValue("NESTWRIGHT_RECORD_ROWS", &given);
  const samples::Folder folder;
  const std::string path = folder.file("big.nwdb");
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 3);
  std::vector<RowId> measured;
  store.transaction([&] {
    for (int i = 1; i <= 300; ++i)
      measured.push_back(store.records().add(
          samples::record(ground, i, 1e-3 * double(1 + i * 7 % 300), ground.tasks[i % 3])));
  });
  SessionRow import = *store.sessions().one(ground.session);
  import.id = 0;
  import.title = "logs";
  import.config = R"({"import": ["logs"]})";
  samples::importMany(path, import, given ? asked : 60'000, 3000, 1);
  const RowId imported = store.sessions().all().back().id;
  QVERIFY(imported != ground.session);
  const auto marks = std::make_shared<OtherMarks>();
  marks->forgotten = {measured[0], measured[42]};

  store.tags().set("keep", {measured[5], measured[6]}, true);

  const RowId own = ground.session, middle = measured[100];
  struct Asked {
    const char *what, *filter;
    RowId session, upTo;
    bool inReplay;
    std::int64_t records;
  };
  const Asked all[] = {{"file", "is:best", 0, 0, false, 3},
                       {"session", "is:best", own, 0, false, 3},
                       {"import", "is:best", imported, 0, false, 0},
                       {"file until then", "is:best", 0, middle, false, 3},
                       {"session until then", "is:best", own, middle, false, 3},
                       {"file in a replay", "is:best", 0, middle, true, 3},
                       {"session in a replay", "is:best", own, middle, true, 3},
                       {"import in a replay", "is:best", imported, middle, true, 0},
                       {"import", "tag:keep", imported, 0, false, 0},
                       {"import", "is:implausible", imported, 0, false, 0},
                       {"import", "record:1..40", imported, 0, false, 0},
                       {"import", "trial:1..40", imported, 0, false, 40}};
  for (const Asked& one : all) {
    RecordQuery query;
    query.filter = parseRecordFilter(one.filter);
    query.session = one.session;
    query.upTo = one.upTo;
    if (one.inReplay) query.marks = marks;
    std::int64_t questions = 0, found = 0;
    QElapsedTimer timer;
    timer.start();
    store.interruptible([&] { return ++questions > 0; },
                        [&] { found = std::ssize(store.records().page(query)); });
    qInfo("%-20s %-15s %8.2f ms, %d questions", one.what, one.filter,
          double(timer.nsecsElapsed()) / 1e6, int(questions));
    QCOMPARE(found, one.records);
    QVERIFY2(questions <= 2, one.what);
  }
  RecordSurvey survey(path);
  RecordQuery query;
  query.session = imported;
  int questions = 0;
  survey.interruptible([&](double) { return ++questions > 0; }, [&] { survey.facets(query); });
  QVERIFY2(given || questions <= 2, qPrintable(QString::number(questions)));
}

NW_TEST_GUILESS(RecordQueries)

} // namespace nestwright::record_queries_test

#include "record_queries.moc"
