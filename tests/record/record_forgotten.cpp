/// Records that were forgotten, and such as were measured on demand.

#include "core/record/query/record_browser.h"
#include "core/record/query/record_survey.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/support/error.h"
#include "tests/record/problems.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <set>

namespace nestwright::record_forgotten_test {

using Forgotten = RecordQuery::Forgotten;
using Order = RecordQuery::Order;

/// Forty records of two tasks: some failed, some not eligible, times going down and up again.
std::vector<RowId> addMixedRecords(RecordStore& store, const samples::Ground& ground) {
  Random random(5);
  std::vector<RowId> ids;
  const auto addAll = [&] {
    for (int trial = 1; trial <= 40; ++trial) {
      const RowId task = ground.tasks[trial % 2];
      Record record = trial % 5 == 0
                          ? samples::failure(ground, trial, Verdict::RunError, task)
                          : samples::record(ground, trial, 1 + random.unit() / trial, task);
      record.verified = trial % 7 != 3 && trial % 5 != 0;
      record.implausible = trial == 12;
      ids.push_back(store.records().add(record));
    }
  };
  store.transaction(addAll); // one sync of the disk
  return ids;
}

/// What queries and sums tell of the file, as text.
std::string tellings(const RecordStore& store, const samples::Ground& ground) {
  std::string text;
  for (const TaskSummary& s : store.tasks().summaries())
    text += fmt::format("task {}: {} {} best {} {} {}\n", s.task, s.trials, s.errors, s.bestRecord,
                        s.bestSeconds, s.kernelSeconds);
  const SessionSummary session = store.sessions().summary(ground.session);
  text += fmt::format("{} {} {}\n", session.trials, session.errors, session.forgotten);
  for (const VerdictCount& count : store.records().verdictCounts())
    text += fmt::format("{} {}\n", name(count.verdict), count.records);
  for (const CurvePoint& point : store.trials().curve(ground.session))
    text += fmt::format("{} {} {}\n", point.trial, point.seconds, point.verifiedBest);
  for (const RowId task : ground.tasks)
    text += fmt::format("{}\n", store.trials().measuredPrograms(ground.session, task));
  return text;
}

/// What questions of every kind answer about the records of `base`, as text.
std::string answers(const std::string& path, const RecordQuery& base) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  RecordBrowser browser(path);
  RecordSurvey survey(path);
  std::string text;
  for (const char* filter :
       {"", "is:forgotten", "-is:forgotten", "is:best", "-is:best", "is:was-best",
        "is:best,forgotten", "latency<1.05s", "error:any", "is:verified"})
    for (const Forgotten forgotten : {Forgotten::Without, Forgotten::Only, Forgotten::With}) {
      RecordQuery query = base;
      query.filter = parseRecordFilter(filter);
      query.forgotten = forgotten;
      query.limit = 7;
      for (int order = 0; order <= int(Order::ByVerdictDown); ++order) {
        query.order = Order(order);
        query.after = 0;
        for (std::size_t got = 7; got == 7;) {
          const std::vector<Record> page = store.records().page(query);
          for (const Record& record : page)
            text += fmt::format("{} ", record.id);
          got = page.size();
          if (got > 0) query.after = page.back().id;
        }
        const RecordRanks ranks = browser.ranks({query, BrowseOrder(order)});
        for (std::int64_t rank = 0; rank < ranks.size(); ++rank)
          text += fmt::format("{} ", ranks.at(rank));
      }
      const RecordStatistics figures = store.records().statistics(query);
      text += fmt::format("\n{} {}: {} of {}, {} {} {}\n", filter, int(forgotten),
                          store.records().count(query), survey.total(query), figures.records,
                          figures.measured, figures.median);
      for (const RecordFacet& facet : survey.facets(query))
        for (const RecordGroup& group : facet.groups)
          text += fmt::format("{} {} ", group.name, group.records);
      text += fmt::format("{} points\n", survey.sample(query, 100).points.size());
    }
  return text;
}

class RecordForgottenTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// After forgetting, the file tells what one tells that never had those records.
  void forgettingIsAsIfNeverMeasured() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    RecordStore without = RecordStore::open(folder.file("b.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store, 2), other = samples::fill(without, 2);
    const std::vector<RowId> ids = addMixedRecords(store, ground);
    std::vector<RowId> gone;
    for (const RowId task : ground.tasks)
      gone.push_back(store.records().best(task)->id);
    gone.insert(gone.end(), {ids[4], ids[9], ids[2]}); // two failures and an unverified one
    for (const RowId id : ids)
      if (std::find(gone.begin(), gone.end(), id) == gone.end())
        without.records().add(*store.records().one(id));
    std::sort(gone.begin(), gone.end());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    QCOMPARE(store.records().setForgotten(gone, true), gone);
    QCOMPARE(problemsOf(store), std::string("[]"));
    for (std::size_t i = 0; i < ground.tasks.size(); ++i) {
      const std::optional<Record> best = store.records().best(ground.tasks[i]);
      const std::optional<Record> expected = without.records().best(other.tasks[i]);
      QVERIFY(best && expected);
      QCOMPARE(best->trial, expected->trial);
      QCOMPARE(store.tasks().summary(ground.tasks[i]).trials,
               without.tasks().summary(other.tasks[i]).trials);
      QCOMPARE(store.tasks().summary(ground.tasks[i]).errors,
               without.tasks().summary(other.tasks[i]).errors);
      QCOMPARE(store.trials().measuredPrograms(ground.session, ground.tasks[i]),
               without.trials().measuredPrograms(other.session, other.tasks[i]));
      std::vector<std::int64_t> history, expectedHistory;
      for (const CurvePoint& point : store.trials().bestHistory(ground.tasks[i]))
        history.push_back(point.trial);
      for (const CurvePoint& point : without.trials().bestHistory(other.tasks[i]))
        expectedHistory.push_back(point.trial);
      QCOMPARE(history, expectedHistory);
    }
    const auto points = store.trials().curve(ground.session),
               expected = without.trials().curve(other.session);
    QCOMPARE(points.size(), expected.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      QCOMPARE(points[i].trial, expected[i].trial);
      QCOMPARE(points[i].verifiedBest, expected[i].verifiedBest);
    }
    // The trials were made all the same.
    QCOMPARE(store.sessions().summary(ground.session).trials, std::int64_t(40));
    QCOMPARE(store.sessions().summary(ground.session).forgotten, std::int64_t(gone.size()));
    QCOMPARE(store.trials().last(ground.session).first, std::int64_t(40));
  }

  void undoRestoresEverything() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store, 2);
    const std::vector<RowId> ids = addMixedRecords(store, ground);
    const std::string before = tellings(store, ground);
    QCOMPARE(store.records().setForgotten(ids, true).size(), ids.size());
    QCOMPARE(store.records().total(), std::int64_t(0));
    QVERIFY(!store.records().best(ground.tasks[0]));
    QVERIFY(tellings(store, ground) != before);
    QCOMPARE(problemsOf(store), std::string("[]"));
    QVERIFY(store.records().setForgotten(ids, true).empty()); // they are already
    QCOMPARE(store.records().setForgotten(ids, false), ids);
    QCOMPARE(tellings(store, ground), before);
    QCOMPARE(problemsOf(store), std::string("[]"));
  }

  void anUnknownRecordChangesNothing() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store, 2);
    const std::vector<RowId> ids = addMixedRecords(store, ground);
    const std::string before = tellings(store, ground);
    QVERIFY_THROWS_EXCEPTION(InputError, store.records().setForgotten({ids[0], 999}, true));
    QCOMPARE(tellings(store, ground), before);
  }

  /// Pages of every kind of query against a selection by hand.
  void pagesKnowThem_data() {
    QTest::addColumn<int>("order");
    QTest::addColumn<int>("forgotten");
    QTest::addColumn<int>("filter");
    for (const int order : {0, 1, 2})
      for (const int forgotten : {0, 1, 2})
        for (const int filter : {0, 1, 2, 3, 4})
          QTest::addRow("order %d forgotten %d filter %d", order, forgotten, filter)
              << order << forgotten << filter;
  }
  void pagesKnowThem() {
    QFETCH(int, order);
    QFETCH(int, forgotten);
    QFETCH(int, filter);
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store, 2);
    const std::vector<RowId> ids = addMixedRecords(store, ground);
    std::vector<RowId> gone;
    for (std::size_t i = 0; i < ids.size(); i += 3)
      gone.push_back(ids[i]);
    store.records().setForgotten(gone, true);
    RecordQuery query;
    query.order = Order(order);
    query.forgotten = Forgotten(forgotten);
    query.limit = 4;
    if (filter == 1) query.task = ground.tasks[0];
    if (filter == 2) query.onlyErrors = true;
    if (filter == 3) query.belowSeconds = 1.05;
    if (filter == 4) query.verdict = Verdict::Ok;
    std::vector<Record> wanted;
    for (const RowId id : ids) {
      const Record record = *store.records().one(id);
      const double seconds = record.result.latency();
      if (forgotten != int(Forgotten::With) && record.forgotten != (forgotten == 1)) continue;
      if (filter == 1 && record.task != ground.tasks[0]) continue;
      if (filter == 2 && record.result.verdict == Verdict::Ok) continue;
      if (filter == 3 && !(seconds < 1.05)) continue;
      if (filter == 4 && record.result.verdict != Verdict::Ok) continue;
      wanted.push_back(record);
    }
    std::ranges::stable_sort(wanted, [&](const Record& a, const Record& b) {
      if (query.order == Order::Fastest && a.result.latency() != b.result.latency())
        return a.result.latency() < b.result.latency();
      return query.order == Order::Newest ? a.id > b.id : a.id < b.id;
    });
    std::vector<RowId> expected, got;
    for (const Record& record : wanted)
      expected.push_back(record.id);
    for (;;) {
      const std::vector<Record> page = store.records().page(query);
      for (const Record& record : page)
        got.push_back(record.id);
      if (page.size() < 4 || got.size() > ids.size()) break;
      query.after = page.back().id;
    }
    QCOMPARE(got, expected);
  }

  /// With the marks of another moment, the file answers as it did then.
  void marksOfAnotherMoment() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store, 2);
    const std::vector<RowId> ids = addMixedRecords(store, ground);
    const RowId best = store.records().best(ground.tasks[0])->id,
                other = store.records().best(ground.tasks[1])->id;
    store.records().setForgotten({best, ids[4], ids[6]}, true);
    RecordQuery all, some;
    some.session = ground.session, some.task = ground.tasks[0], some.upTo = ids[25];
    const std::string then = answers(store.path(), all), someThen = answers(store.path(), some);
    std::vector<Record> records;
    for (const RowId id : ids)
      records.push_back(*store.records().one(id));

    store.records().setForgotten({best, ids[4]}, false);
    store.records().setForgotten({other, ids[9], ids[10]}, true);
    QVERIFY(answers(store.path(), all) != then);
    OtherMarks marks;
    for (const Record& before : records) {
      const Record now = *store.records().one(before.id);
      if (now.forgotten != before.forgotten) marks.forgotten.push_back(before.id);
      if (now.best != before.best) marks.best.push_back(before.id);
    }
    QCOMPARE(marks.forgotten.size(), std::size_t(5));
    QVERIFY(marks.best.size() > 1);
    all.marks = some.marks = std::make_shared<const OtherMarks>(marks);
    QCOMPARE(answers(store.path(), all), then);
    QCOMPARE(answers(store.path(), some), someThen);
    for (const Record& before : records) {
      Record now = *store.records().one(before.id);
      marks.apply(now);
      QCOMPARE(now.forgotten, before.forgotten);
      QCOMPARE(now.best, before.best);
    }
  }

  void measurementsOnDemandKnowTheirOriginal() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    const RowId first = store.records().add(samples::record(ground, 1, 2));
    Record again = samples::record(ground, 2, 2.5);
    again.onDemand = true;
    again.original = first;
    const RowId second = store.records().add(again);
    Record own = samples::record(ground, 3, 3);
    own.onDemand = true;
    const RowId third = store.records().add(own);
    QVERIFY(!store.records().one(first)->onDemand);
    QVERIFY(store.records().one(second)->onDemand && store.records().one(third)->onDemand);
    QCOMPARE(store.records().one(second)->original, first);
    QCOMPARE(store.records().one(third)->original, RowId(0));
    for (const RowId asked : {first, second}) {
      const std::vector<Record> all = store.records().repeatedMeasurements(asked);
      QCOMPARE(all.size(), std::size_t(2));
      QCOMPARE(all[0].id, first);
      QCOMPARE(all[1].id, second);
    }
    QCOMPARE(store.records().repeatedMeasurements(third).size(), std::size_t(1));
    QVERIFY(store.trials().curve(ground.session).at(1).onDemand);
    QCOMPARE(problemsOf(store), std::string("[]"));
  }
};

NW_TEST_GUILESS(RecordForgottenTest)

} // namespace nestwright::record_forgotten_test

#include "record_forgotten.moc"
