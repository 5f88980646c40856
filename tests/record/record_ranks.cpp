/// Records by rank and by key, at a size where the ways differ: imported and measured ones, against
/// a plain reading of the table.

#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"
#include "core/record/intake/import_writer.h"
#include "core/record/query/quick_count.h"
#include "core/record/query/rank_builder.h"
#include "core/record/query/rank_change.h"
#include "core/record/query/record_browser.h"
#include "core/record/select/filter_sql.h"
#include "core/record/select/record_cells.h"
#include "core/record/sql/id_set.h"
#include "core/record/store/record_rows.h"
#include "core/target/target.h"
#include "tests/record/bulk_records.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <set>

namespace nestwright::record_ranks_test {

using Order = BrowseOrder;

constexpr int kImported = 24'000, kMeasured = 4'000, kTasks = 260;
constexpr int kOrders = int(Order::ByWallDown) + 1;

SessionRow importSession(const std::string& title) {
  return {0, 0, title, "{\"import\":[]}", SessionStatus::Finished, 1, 1, 0, "{}", "0.1"};
}

/// Logs of many tasks, one after the other.
void import(const std::string& path, const std::string& title, int records, std::uint64_t seed) {
  Random random(seed);
  ImportWriter writer(path);
  writer.useSession(importSession(title));
  ImportSource source;
  source.path = title;
  const int perTask = records / kTasks + 1;
  for (int begin = 0; begin < records; begin += 5000)
    writer.transaction([&] {
      if (source.id == 0) writer.addSource(source);
      for (int i = begin; i < std::min(records, begin + 5000); ++i) {
        const ImportedTask from{fmt::format("[\"{:032x}\"]", i / perTask), "llvm",
                                TargetFacts().recordHardware(), "", "{}"};
        const RowId task = writer.task(from, [&] {
          return TaskKnowledge{fmt::format("task {}", i / perTask % 90), "",
                               1e9 * double(1 + i % 3), "{}", "cpu"};
        });
        const EncodedSteps steps = encodeSteps(samples::steps(random));
        ImportedRecord record;
        if (random.below(30) == 0) record.verdict = Verdict(1 + random.below(5));
        record.seconds = 1e-4 * double(1 + random.below(900));
        record.allSeconds = 0.5;
        record.shape = steps.shape;
        record.item.values = steps.values;
        record.item.outcome = encodeOutcome({record.seconds}, 0.5);
        record.item.startedAt = i;
        record.identity = importIdentity(record.verdict, record.shape, record.item);
        QVERIFY(writer.add(record, task, from, source));
      }
    });
}

/// What decides where a record stands.
struct Row {
  RowId id, session, task;
  std::int64_t trial;
  int verdict;
  double seconds, wall, flops;
  std::int64_t taskRank;
};

std::pair<double, RowId> placeOf(const Row& row, Order order) {
  const bool ok = row.verdict % kForgottenCode == 0;
  const double infinity = std::numeric_limits<double>::infinity();
  switch (order) {
  case Order::Newest:
    return {0, -row.id};
  case Order::Oldest:
    return {0, row.id};
  case Order::Fastest:
    return {ok ? row.seconds : infinity, row.id};
  case Order::Slowest:
    return {ok ? -row.seconds : infinity, ok ? -row.id : row.id};
  case Order::FirstTrial:
    return {double(row.trial), row.id};
  case Order::LastTrial:
    return {-double(row.trial), -row.id};
  case Order::ByTask:
    return {double(row.taskRank), -row.id};
  case Order::ByTaskDown:
    return {-double(row.taskRank), -row.id};
  case Order::ByVerdict:
    return {double(row.verdict % kForgottenCode), -row.id};
  case Order::ByVerdictDown:
    return {-double(row.verdict % kForgottenCode), -row.id};
  case Order::BySession:
    return {double(row.session), -row.id};
  case Order::BySessionDown:
    return {-double(row.session), -row.id};
  case Order::ByThroughput:
    return {ok ? float(row.flops / row.seconds) : infinity, -row.id};
  case Order::ByThroughputDown:
    return {ok ? -float(row.flops / row.seconds) : infinity, -row.id};
  case Order::ByWall:
    return {float(row.wall), -row.id};
  case Order::ByWallDown:
    return {-float(row.wall), -row.id};
  }
  return {};
}

class RecordRanksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void idSets();
  void everyOrderAgrees_data();
  void everyOrderAgrees();
  void sampledPlacesAreNear();
  void programsOfImportedRecordsAreFound();
  void timesAreSortedAStretchAtATime();
  void theIndexByTimeGoes();
  void progressIsTold();
  void someConditionsAreKnownWithoutReading();
  void whatCameIsFoundByItsPlace();
  void someQuestionsAreCountedAtOnce();

 private:
  std::vector<Row> rows_;
  std::array<std::vector<RowId>, kOrders> inOrder_; // all of them, in each order
  samples::Folder folder_;
  std::string path_;
  std::optional<RecordStore> store_;
  std::optional<RecordBrowser> browser_;
};

void RecordRanksTest::initTestCase() {
  path_ = folder_.file("a.nwdb");
  import(path_, "first", kImported / 2, 1);
  {
    RecordStore store = RecordStore::open(path_);
    std::vector<samples::Ground> grounds{samples::fill(store, 4), samples::fill(store, 4)};
    Random random(3);
    std::vector<RowId> forgotten;
    store.transaction([&] {
      for (int trial = 1; trial <= kMeasured; ++trial) {
        const samples::Ground& ground = random.pick(grounds);
        const RowId task = random.pick(ground.tasks);
        Record record = samples::record(ground, trial, 1e-4 * double(1 + random.below(900)), task);
        if (random.below(10) == 0)
          record = samples::failure(ground, trial, Verdict(1 + random.below(9)), task);
        record.steps = samples::steps(random);
        record.wallSeconds = 0.3 * trial;
        record.verified = record.result.verdict == Verdict::Ok;
        record.implausible = random.below(50) == 0;
        const RowId id = store.records().add(record);
        if (random.below(40) == 0) forgotten.push_back(id);
      }
    });
    store.records().setForgotten(forgotten, true);
  }
  import(path_, "second", kImported / 2, 2);
  sqlite::Database db(path_, sqlite::Access::ReadWrite);
  std::map<RowId, std::int64_t> ranks;
  auto tasks = db.prepare("SELECT id FROM task ORDER BY name COLLATE NOCASE, id");
  while (tasks.step())
    ranks.emplace(tasks.integer(0), std::int64_t(ranks.size()));
  auto rows = db.prepare("SELECT record.id, session, task, trial, verdict, seconds, wall_seconds, "
                         "flops FROM record JOIN task ON task.id = record.task ORDER BY record.id");
  while (rows.step())
    rows_.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3),
                     int(rows.integer(4)), rows.real(5), rows.real(6), rows.real(7),
                     ranks.at(rows.integer(2))});
  QCOMPARE(rows_.size(), std::size_t(kImported + kMeasured));
  for (int order = 0; order < kOrders; ++order) {
    std::vector<std::pair<std::pair<double, RowId>, RowId>> places;
    for (const Row& row : rows_)
      places.push_back({placeOf(row, Order(order)), row.id});
    std::sort(places.begin(), places.end());
    for (const auto& [place, id] : places)
      inOrder_[std::size_t(order)].push_back(id);
  }
  store_ = RecordStore::open(path_, OpenMode::ReadOnly);
  browser_.emplace(path_);
}

void RecordRanksTest::idSets() {
  Random random(4);
  for (const std::int64_t first : {1, 7, 64}) {
    const std::int64_t last = first + 700 + std::int64_t(random.below(700));
    IdSet set(first, last);
    std::set<std::int64_t> truth;
    for (int i = 0; i < 300; ++i) {
      const std::int64_t id = first + std::int64_t(random.below(std::uint64_t(last - first + 1)));
      set.add(id);
      truth.insert(id);
    }
    set.addRange(first + 100, first + 300);
    for (std::int64_t id = first + 100; id <= first + 300; ++id)
      truth.insert(id);
    IdSet others(first, last);
    others.add(first + 150);
    others.addRange(first + 400, last);
    set.remove(others);
    for (std::int64_t id = first + 400; id <= last; ++id)
      truth.erase(id);
    truth.erase(first + 150);
    IdSet more(first, last);
    more.addRange(first + 500, last - 30);
    set.add(more);
    for (std::int64_t id = first + 500; id <= last - 30; ++id)
      truth.insert(id);
    more.addRange(first, first + 499);
    set.intersect(more); // has all but the last 30
    set.cutAbove(last - 77);
    truth.erase(truth.upper_bound(last - 77), truth.end());
    set.add(last + 5); // outside
    QCOMPARE(set.size(), std::int64_t(truth.size()));
    std::int64_t n = 0;
    for (const std::int64_t id : truth) {
      QCOMPARE(set.at(n), id);
      QCOMPARE(set.countBelow(id), n);
      QCOMPARE(set.collect(n, 1), std::vector<std::int64_t>{id});
      ++n;
    }
    for (std::int64_t id = first - 2; id <= last + 2; ++id) {
      QCOMPARE(set.contains(id), truth.contains(id));
      const auto next = truth.lower_bound(id);
      QCOMPARE(set.next(id), next == truth.end() ? last + 1 : *next);
    }
  }
  QCOMPARE(IdSet().size(), std::int64_t(0));
  QCOMPARE(IdSet(1, 0).next(1), std::int64_t(1));
}

void RecordRanksTest::everyOrderAgrees_data() {
  QTest::addColumn<QByteArray>("filter");
  for (const char* filter : {"",
                             "error:none",
                             "-error:none",
                             "session:1",
                             "session:2..3",
                             "-session:2",
                             "task:\"task 7\"",
                             "-task:\"task 7\"",
                             "latency<2ms",
                             "latency<60ms error:none",
                             "latency:3ms..3.4ms",
                             "-latency<60ms",
                             "is:best",
                             "is:verified",
                             "is:implausible,best",
                             "-is:verified",
                             "is:forgotten",
                             "steps:fuse latency>80ms",
                             "trial:100..20000",
                             "wall>10min",
                             "gflops>50",
                             "target:cpu* session:1",
                             "record:500..1500",
                             "task:nothing"})
    QTest::newRow(filter) << QByteArray(filter);
}

void RecordRanksTest::everyOrderAgrees() {
  QFETCH(QByteArray, filter);
  BrowseQuery query;
  query.records.filter = parseRecordFilter(filter.toStdString());
  query.limit = 20;
  std::vector<bool> matching(std::size_t(rows_.back().id) + 1);
  {
    // The conditions themselves, by reading the whole table. All samples have a fused loop.
    RecordQuery plain = query.records;
    if (query.records.filter.has(FilterField::Steps))
      plain.filter = parseRecordFilter("latency>80ms");
    sqlite::Database db(path_, sqlite::Access::ReadWrite);
    const QuerySql sql = toSql(plain, {});
    SqlCondition both = sql.record;
    both.add(sql.group.sql);
    both.values.insert(both.values.end(), sql.group.values.begin(), sql.group.values.end());
    auto found = db.prepare("SELECT id FROM record NOT INDEXED" + both.where());
    both.bind(found);
    while (found.step())
      matching[std::size_t(found.integer(0))] = true;
  }
  Random random(8);
  for (int order = 0; order < kOrders; ++order) {
    query.order = Order(order);
    std::vector<RowId> truth;
    for (const RowId id : inOrder_[std::size_t(order)])
      if (matching[std::size_t(id)]) truth.push_back(id);
    const RecordRanks ranks = browser_->ranks(query);
    const std::string what = fmt::format("order {}: {} of {}", order, ranks.size(), truth.size());
    QVERIFY2(ranks.size() == std::int64_t(truth.size()), what.c_str());
    for (std::size_t i = 0; i < truth.size(); ++i)
      if (ranks.at(std::int64_t(i)) != truth[i])
        QFAIL(fmt::format("order {}, rank {}: {} instead of {}", order, i,
                          ranks.at(std::int64_t(i)), truth[i])
                  .c_str());
    const auto size = std::int64_t(truth.size());
    const std::pair<std::int64_t, std::int64_t> stretches[] = {
        {0, size - 1}, {size / 3, size / 2}, {size - 1, size - 1}, {0, -1}};
    for (const auto& [first, last] : stretches) {
      if (truth.empty()) continue;
      const std::vector<std::int64_t> records = ranks.collect(first, last);
      QCOMPARE(std::int64_t(records.size()), last - first + 1);
      for (std::int64_t i = first; i <= last; ++i)
        QCOMPARE(records[std::size_t(i - first)], ranks.at(i));
    }
    // Pages from keys here and there, both ways.
    for (int i = 0; i < 4 && !truth.empty(); ++i) {
      const std::size_t at = i == 0   ? 0
                             : i == 1 ? truth.size() - 1
                                      : std::size_t(random.below(truth.size()));
      QCOMPARE(ranks.rankOf(truth[at]), std::int64_t(at));
      query.after = truth[at];
      for (const bool backwards : {false, true}) {
        query.backwards = backwards;
        const std::size_t begin = backwards ? at - std::min<std::size_t>(at, 20) : at + 1;
        const std::size_t end = backwards ? at : std::min(truth.size(), at + 21);
        std::vector<RowId> page;
        for (const Record& record : browser_->records(query))
          page.push_back(record.id);
        const std::string where = fmt::format("order {}, {} {}: {} records", order,
                                              backwards ? "before" : "after", at, page.size());
        QVERIFY2(page.size() == end - begin &&
                     std::equal(page.begin(), page.end(), truth.begin() + std::ptrdiff_t(begin)),
                 where.c_str());
      }
    }
    query.after = 0;
    query.backwards = false;
  }
}

void RecordRanksTest::sampledPlacesAreNear() {
  for (const char* filter : {"", "error:none", "session:1"})
    for (const Order order : {Order::Newest, Order::Fastest, Order::Slowest, Order::ByTask}) {
      BrowseQuery query;
      query.records.filter = parseRecordFilter(filter);
      query.order = order;
      const RecordRanks ranks = browser_->ranks(query);
      for (const double part : {0.0, 0.2, 0.5, 0.9}) {
        const RowId record = browser_->near(query, part);
        const double there = double(ranks.rankOf(record)) / double(ranks.size());
        QVERIFY2(ranks.contains(record) && std::abs(there - part) < 0.15,
                 fmt::format("{} of order {}: {}", part, int(order), there).c_str());
      }
    }
  BrowseQuery nothing;
  nothing.records.filter = parseRecordFilter("task:nothing");
  QCOMPARE(browser_->near(nothing, 0.5), RowId(0));
}

void RecordRanksTest::programsOfImportedRecordsAreFound() {
  const std::optional<Record> record = store_->records().one(rows_.front().id);
  QVERIFY(record && record->program.size() == 32);
  BrowseQuery query;
  for (const std::size_t digits : {5, 16, 32}) {
    query.records.filter =
        parseRecordFilter("program:" + record->program.substr(0, digits) + " record:1..400");
    QCOMPARE(browser_->ranks(query).at(0), record->id);
    query.records.filter =
        parseRecordFilter("program:" + record->program.substr(0, digits) + " task:\"task 0\"");
    const auto found = browser_->records(query);
    QVERIFY(std::any_of(found.begin(), found.end(),
                        [&](const Record& one) { return one.id == record->id; }));
    QCOMPARE(store_->records().count(query.records), std::int64_t(found.size()));
  }
}

void RecordRanksTest::timesAreSortedAStretchAtATime() {
  sqlite::Database db(path_, sqlite::Access::Read);
  for (const char* filter : {"", "latency<1ms", "task:\"task 0\""})
    for (const Order order : {Order::Fastest, Order::Slowest}) {
      BrowseQuery query;
      query.order = order;
      query.records.filter = parseRecordFilter(filter);
      const QuerySql sql = conditionsOf(db, query.records);
      const auto ids = [&](std::int64_t atOnce) {
        const RecordRanks ranks = RankBuilder(db, query, sql, {}).build(atOnce);
        return ranks.size() > 0 ? ranks.collect(0, ranks.size() - 1) : std::vector<RowId>{};
      };
      const std::vector<RowId> atOnce = ids(1 << 20);
      for (const std::int64_t few : {1, 100, 3000})
        QVERIFY(ids(few) == atOnce);
    }
}

/// Files of the first version have an index more, which nothing asks for.
void RecordRanksTest::theIndexByTimeGoes() {
  const std::string path = folder_.file("small.nwdb");
  import(path, "small", 100, 9);
  {
    sqlite::Database db(path, sqlite::Access::ReadWrite);
    QVERIFY(!hasIndex(db, "record_by_time"));
    db.execute("CREATE INDEX record_by_time ON record (seconds) WHERE verdict = 0; "
               "PRAGMA user_version = 1");
  }
  QCOMPARE(RecordBrowser(path).ranks({}).size(), std::int64_t(100));
  import(path, "more", 1, 10);
  QVERIFY(!hasIndex(*std::make_unique<sqlite::Database>(path, sqlite::Access::ReadWrite),
                    "record_by_time"));
  QVERIFY(RecordStore::open(path).check().empty());
}

void RecordRanksTest::progressIsTold() {
  BrowseQuery query;
  query.records.filter = parseRecordFilter("wall>10min -is:best");
  double told = -1;
  QVERIFY(browser_
              ->ranks(query,
                      [&](double part) {
                        QVERIFY(part >= told && part <= 1);
                        told = part;
                      })
              .size() > 0);
  QVERIFY(told >= 0);
}

/// What shapes, sessions and operations tell needs no look at the records: reading them would be
/// told as progress.
void RecordRanksTest::someConditionsAreKnownWithoutReading() {
  const std::string path = folder_.file("many.nwdb");
  constexpr int kMany = 140'000; // progress is told each 65,536
  samples::importMany(path, importSession("many"), kMany, 4000, 5);
  RecordBrowser browser(path);
  const auto ranked = [&](const char* filter) {
    int told = 0;
    BrowseQuery query;
    query.records.filter = parseRecordFilter(filter);
    const std::int64_t records = browser.ranks(query, [&](double) { ++told; }).size();
    return std::pair(records, told);
  };
  QVERIFY(ranked("program:12").second > 0); // which each record has to be asked
  QCOMPARE(ranked("steps:rfactor"), std::pair(std::int64_t(0), 0));
  QCOMPARE(ranked("-steps:rfactor"), std::pair(std::int64_t(kMany), 0));
  QCOMPARE(ranked("steps:fuse"), std::pair(std::int64_t(kMany), 0));
  QCOMPARE(ranked("wall>1s"), std::pair(std::int64_t(0), 0));
  QCOMPARE(ranked("gflops>1e6"), std::pair(std::int64_t(0), 0));
  const auto [fast, told] = ranked("gflops>1000");
  QCOMPARE(told, 0);
  sqlite::Database db(path, sqlite::Access::Read);
  QCOMPARE(fast, db.integer("SELECT count(*) FROM record JOIN task ON task.id = task WHERE "
                            "verdict = 0 AND flops / seconds / 1e9 > 1000"));
  QVERIFY(fast > 0 && fast < kMany);
}

void RecordRanksTest::whatCameIsFoundByItsPlace() {
  const auto among = [](std::vector<RowId> ids, RowId last) {
    IdSet set(1, last);
    for (const RowId id : ids)
      set.add(id);
    return set;
  };
  const auto change = [](const RecordRanks& before, const RecordRanks& now) {
    const RankChange change = changeOf(before, now);
    return std::tuple(change.same, change.place, change.count);
  };
  const RecordRanks before(among({2, 3, 5}, 5), true);
  QCOMPARE(change(before, before), std::tuple(true, -1L, 0L));
  // Others than those asked for came.
  QCOMPARE(change(before, RecordRanks(among({2, 3, 5}, 9), true)), std::tuple(true, -1L, 0L));
  QCOMPARE(change(before, RecordRanks(among({2, 3, 5, 7, 9}, 9), true)), std::tuple(false, 0L, 2L));
  QCOMPARE(change(before, RecordRanks(among({2, 3, 5, 7, 9}, 9), false)),
           std::tuple(false, 3L, 2L));
  // One went meanwhile, or they stand in two places.
  QCOMPARE(change(before, RecordRanks(among({2, 5, 7, 9}, 9), true)), std::tuple(false, -1L, 0L));
  const RecordRanks apart(among({2, 3, 5, 7, 9}, 9), {7 - 1, 2 - 1, 9 - 1, 3 - 1, 5 - 1}, false,
                          IdSet(1, 9));
  QCOMPARE(change(before, apart), std::tuple(false, -1L, 0L));
}

void RecordRanksTest::someQuestionsAreCountedAtOnce() {
  const auto counts = [](const char* filter) {
    return countsWithoutReading(parseRecordFilter(filter));
  };
  QVERIFY(counts("") && counts("task:dense") && counts("error:timeout latency<1ms"));
  QVERIFY(!counts("-latency<1ms") && !counts("task:dense program:12"));
}

NW_TEST_GUILESS(RecordRanksTest)

} // namespace nestwright::record_ranks_test

#include "record_ranks.moc"
