#include "core/record/query/record_survey.h"

#include "core/record/format/step_codec.h"
#include "core/record/intake/import_writer.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/tag_rows.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace nestwright::record_survey_test {

constexpr int kRecords = 1200;

struct Expected {
  std::int64_t records = 0, errors = 0;
  std::vector<double> times;
};

double medianOf(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 != 0 ? times[half] : (times[half] + times[half - 1]) / 2;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::abs(b);
}

class RecordSurveyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void groupsAgree_data();
  void groupsAgree();
  void groupsAreWhatTheirConditionsSay_data() { groupsAgree_data(); }
  void groupsAreWhatTheirConditionsSay();
  void facetsSayWhatChoosingGives_data() { groupsAgree_data(); }
  void facetsSayWhatChoosingGives();
  void clicksToggle_data();
  void clicksToggle();
  void samplesAreEven();
  void samplesTellTheRecords();
  void twinsAreFound();
  void importedTwinsAreFound();
  void readingCanBeStopped();
  void manyGroupsComeFromTheSums();

 private:
  std::vector<RecordFilter> filters() const;
  /// The groups that the record is in, as they are named.
  std::set<std::string> namesOf(const Record& record, GroupBy by) const;

  samples::Folder folder_;
  std::optional<RecordStore> store_;
  std::optional<RecordSurvey> survey_;
  std::map<RowId, TaskRow> tasks_;
  std::map<RowId, std::string> targets_;
  std::vector<Record> records_;
};

void RecordSurveyTest::initTestCase() {
  Random random(77);
  store_ = RecordStore::open(folder_.file("a.nwdb"), OpenMode::Create);
  RecordStore& store = *store_;
  const RowId networks[] = {store.networks().add({0, "resnet18", "resnet18:batch=1"}),
                            store.networks().add({0, "resnet18_v2", "resnet18_v2"}),
                            store.networks().add({0, "bert", "bert"})};
  const RowId targets[] = {
      store.targets().add({0, "cpu-a", "llvm -mcpu=a", R"({"model": "platinum-8272"})"}),
      store.targets().add({0, "cpu-ab", "llvm -mcpu=ab", R"({"model": "", "cpu": "epyc"})"})};
  const char* names[] = {"Conv 3x3 64->64 on 56x56",
                         "Conv 1x1 8->8 on 7x7",
                         "ConvTranspose 2x2",
                         "Softmax",
                         "Dense 512",
                         "softmax 9"};
  std::vector<RowId> tasks;
  for (const RowId target : targets) {
    targets_[target] = target == targets[0] ? "platinum-8272" : "epyc";
    for (int i = 0; i < 6; ++i) {
      TaskRow row{
          0,        networks[i % 3],          target,  i,  fmt::format("key{}#{:016x}", i, i),
          names[i], fmt::format("dag {}", i), 1.0 + i, 1e9};
      if (i == 5) row.network = 0;
      tasks.push_back(store.tasks().add(row));
      if (i == 0) { // also a task of another network
        row.network = networks[2];
        store.tasks().add(row);
      }
    }
  }
  std::vector<samples::Ground> grounds;
  for (int i = 0; i < 3; ++i) {
    samples::Ground ground;
    ground.tasks = tasks;
    ground.session = store.sessions().add({0, networks[0], fmt::format("run {}", i), "{}",
                                           SessionStatus::Ready, 1, 1, 0, "{}", "0.1"});
    grounds.push_back(ground);
  }
  std::vector<RowId> ids, some, others;
  store.transaction([&] {
    for (int trial = 1; trial <= kRecords; ++trial) {
      const samples::Ground& ground = random.pick(grounds);
      const RowId task = ground.tasks[std::min(random.below(12), random.below(12))];
      Record record = samples::record(ground, trial, 1e-3 * double(1 + random.below(400)), task);
      if (random.below(4) == 0)
        record = samples::failure(ground, trial, Verdict(1 + random.below(9)), task);
      record.steps = samples::steps(random);
      record.wallSeconds = trial * 0.5;
      ids.push_back(store.records().add(record));
      if (random.below(15) == 0) some.push_back(ids.back());
      if (random.below(10) == 0) others.push_back(ids.back());
    }
  });
  store.records().setForgotten(some, true);
  store.tags().set("keep", others, true);
  store.tags().set("keeper", some, true);
  for (const TaskRow& task : store.tasks().all())
    tasks_[task.id] = task;
  for (const RowId id : ids)
    records_.push_back(*store.records().one(id));
  survey_.emplace(folder_.file("a.nwdb"));
}

std::set<std::string> RecordSurveyTest::namesOf(const Record& record, GroupBy by) const {
  const TaskRow& task = tasks_.at(record.task);
  switch (by) {
  case GroupBy::Task:
    return {fmt::format("{} / {}", task.name, targets_.at(task.target))};
  case GroupBy::Operator:
    return {task.name.substr(0, 1) == "s" ? "Softmax" : std::string(operatorOf(task.name))};
  case GroupBy::Network: {
    const std::string key = task.key.substr(3, 1);
    if (key == "5") return {"no network"};
    if (key == "0") return {"resnet18", "bert"};
    return {key == "3" ? "resnet18" : key == "1" || key == "4" ? "resnet18_v2" : "bert"};
  }
  case GroupBy::Target:
    return {targets_.at(task.target)};
  case GroupBy::Session:
    return {fmt::format("{} run {}", record.session, record.session - 1)};
  case GroupBy::Error:
    return {record.result.verdict == Verdict::Ok ? "none" : name(record.result.verdict)};
  case GroupBy::Tag:
    return {record.tags.begin(), record.tags.end()};
  }
  return {};
}

void RecordSurveyTest::groupsAgree_data() {
  QTest::addColumn<QByteArray>("filter");
  for (const char* filter : {"",
                             "latency<100ms",
                             "latency:50ms..90ms error:none",
                             "error:any",
                             "error:timeout,illegal",
                             "task:Conv",
                             "-task:conv",
                             "task:\"Conv *\"",
                             "network:=resnet18",
                             "-network:*",
                             "session:2",
                             "-session:1",
                             "target:=cpu-a",
                             "-target:=cpu-a latency>10ms",
                             "tag:keep",
                             "-tag:=keep",
                             "is:forgotten",
                             "-is:forgotten",
                             "steps:split wall<5min",
                             "trial:10..700",
                             "gflops<20",
                             "record:1..50",
                             "-latency<200ms",
                             "task:nothing",
                             "task:\"Conv *\" network:=bert session:1,3 latency<300ms"})
    QTest::newRow(filter) << QByteArray(filter);
}

void RecordSurveyTest::groupsAgree() {
  QFETCH(QByteArray, filter);
  RecordQuery query;
  query.filter = parseRecordFilter(filter.toStdString());
  query.limit = kRecords;
  std::map<RowId, const Record*> byId;
  for (const Record& record : records_)
    byId[record.id] = &record;
  const std::vector<Record> matching = store_->records().page(query); // tested for itself
  for (const GroupBy by : kGroupings) {
    std::map<std::string, Expected> expected;
    for (const Record& record : matching)
      for (const std::string& name : namesOf(record, by)) {
        Expected& group = expected[name];
        ++group.records;
        if (record.result.verdict != Verdict::Ok)
          ++group.errors;
        else
          group.times.push_back(record.result.latency());
      }
    const auto groups = survey_->groups(query, by, GroupDetail::Median);
    QCOMPARE(groups.size(), expected.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const RecordGroup& group = groups[i];
      const std::string key = by == GroupBy::Task ? group.name + " / " + group.more : group.name;
      QVERIFY2(expected.contains(key), key.c_str());
      const Expected& wanted = expected[key];
      QCOMPARE(group.records, wanted.records);
      QCOMPARE(group.errors, wanted.errors);
      QVERIFY(i == 0 || group.records <= groups[i - 1].records);
      QCOMPARE(group.median.has_value(), !wanted.times.empty());
      if (wanted.times.empty()) {
        QCOMPARE(group.bestRecord, RowId(0));
        continue;
      }
      QCOMPARE(group.best, *std::min_element(wanted.times.begin(), wanted.times.end()));
      QCOMPARE(byId.at(group.bestRecord)->result.latency(), group.best);
      QCOMPARE(byId.at(group.bestRecord)->task, group.bestTask);
      QVERIFY2(near(*group.median, medianOf(wanted.times)), key.c_str());
    }
  }
}

/// Listing a group alone gives as many records as the group says.
void RecordSurveyTest::groupsAreWhatTheirConditionsSay() {
  QFETCH(QByteArray, filter);
  RecordQuery query;
  query.filter = parseRecordFilter(filter.toStdString());
  for (const GroupBy by : kGroupings)
    for (const RecordGroup& group : survey_->groups(query, by, GroupDetail::Counts)) {
      RecordQuery alone = query;
      alone.filter.conditions.insert(alone.filter.conditions.end(), group.conditions.begin(),
                                     group.conditions.end());
      QCOMPARE(parseRecordFilter(print(alone.filter)), alone.filter);
      QVERIFY2(store_->records().count(alone) == group.records,
               fmt::format("{}: {} of {}, {} listed", print(alone.filter), group.name,
                           group.records, store_->records().count(alone))
                   .c_str());
    }
}

void RecordSurveyTest::facetsSayWhatChoosingGives() {
  QFETCH(QByteArray, filter);
  RecordQuery query;
  query.filter = parseRecordFilter(filter.toStdString());
  const auto facets = survey_->facets(query);
  QCOMPARE(facets.size(), kFacets.size());
  for (const RecordFacet& facet : facets) {
    RecordQuery relaxed = query;
    relaxed.filter = without(query.filter, facet.by);
    for (const RecordGroup& group : facet.groups) {
      RecordQuery chosen = relaxed;
      chosen.filter = toggled(relaxed.filter, group.conditions.at(0), false);
      QVERIFY2(store_->records().count(chosen) == group.records,
               fmt::format("{}: {} {}, {} listed", print(chosen.filter), group.name, group.records,
                           store_->records().count(chosen))
                   .c_str());
      QVERIFY(group.records > 0 ||
              choiceOf(query.filter, group.conditions.at(0)) != GroupChoice::Open);
    }
  }
}

void RecordSurveyTest::clicksToggle_data() {
  QTest::addColumn<QByteArray>("filter");
  QTest::addColumn<QByteArray>("group");
  QTest::addColumn<bool>("exclude");
  QTest::addColumn<QByteArray>("result");
  const auto row = [](const char* name, const char* filter, const char* group, bool exclude,
                      const char* result) {
    QTest::newRow(name) << QByteArray(filter) << QByteArray(group) << exclude << QByteArray(result);
  };
  row("first", "", "session:3", false, "session:3");
  row("second", "session:3 weight>2", "session:4", false, "session:3,4 weight>2");
  row("back", "session:3,4", "session:3", false, "session:4");
  row("last back", "session:3 weight>2", "session:3", false, "weight>2");
  row("excluded", "session:3", "session:4", true, "session:3 -session:4");
  row("excluded instead", "session:3", "session:3", true, "-session:3");
  row("excluded back", "-session:3,4", "session:3", true, "-session:4");
  row("excluded back by a click", "-session:3", "session:3", false, "");
  row("operator", "task:T1", "task:\"Conv *\"", false, "task:T1 task:\"Conv *\"");
  row("two operators", "task:\"Conv *\"", "task:\"Dense *\",=Dense", false,
      "task:\"Conv *\",\"Dense *\",=Dense");
  row("operator back", "task:\"Conv *\",\"Dense *\",=Dense", "task:\"Dense *\",=Dense", false,
      "task:\"Conv *\"");
  row("no network", "network:=a", "-network:*", false, "-network:*");
  row("no network back", "-network:*", "-network:*", false, "");
  row("a network after none", "-network:*", "network:=a", false, "network:=a");
  row("without none", "", "-network:*", true, "network:*");
}

void RecordSurveyTest::clicksToggle() {
  QFETCH(QByteArray, filter);
  QFETCH(QByteArray, group);
  QFETCH(bool, exclude);
  QFETCH(QByteArray, result);
  const RecordFilter before = parseRecordFilter(filter.toStdString());
  const FilterCondition condition = parseRecordFilter(group.toStdString()).conditions.at(0);
  const RecordFilter after = toggled(before, condition, exclude);
  QCOMPARE(QByteArray::fromStdString(print(after)), result);
  const GroupChoice wanted = exclude ? GroupChoice::Excluded : GroupChoice::Chosen,
                    was = choiceOf(before, condition);
  const bool back = was == wanted || (was == GroupChoice::Excluded && !exclude);
  QCOMPARE(choiceOf(after, condition), back ? GroupChoice::Open : wanted);
}

void RecordSurveyTest::samplesAreEven() {
  RecordQuery query;
  const RecordSample all = survey_->sample(query, kRecords);
  QCOMPARE(all.matching, store_->records().count(query));
  QCOMPARE(std::int64_t(all.points.size()), all.matching);
  const RecordSample some = survey_->sample(query, 200);
  QCOMPARE(some.matching, all.matching);
  QVERIFY2(some.points.size() > 120 && some.points.size() < 300,
           fmt::format("{} points", some.points.size()).c_str());
  // Neither early nor late ones are preferred, and the same ones come again.
  const auto early = std::count_if(some.points.begin(), some.points.end(),
                                   [](const RecordPoint& p) { return p.trial <= kRecords / 2; });
  QVERIFY(std::abs(double(early) / double(some.points.size()) - 0.5) < 0.15);
  const RecordSample again = survey_->sample(query, 200);
  QVERIFY(
      std::equal(some.points.begin(), some.points.end(), again.points.begin(), again.points.end(),
                 [](const RecordPoint& a, const RecordPoint& b) { return a.record == b.record; }));
}

void RecordSurveyTest::samplesTellTheRecords() {
  RecordQuery query;
  query.filter = parseRecordFilter("session:2 -task:dense latency:<350ms,>360ms");
  query.limit = kRecords;
  std::map<RowId, Record> expected;
  for (const Record& record : store_->records().page(query))
    expected[record.id] = record;
  const RecordSample sample = survey_->sample(query, kRecords);
  QCOMPARE(sample.points.size(), expected.size());
  for (const RecordPoint& point : sample.points) {
    const Record& record = expected.at(point.record);
    const TaskRow& task = tasks_.at(record.task);
    QCOMPARE(point.task, record.task);
    QCOMPARE(point.session, record.session);
    QCOMPARE(point.trial, record.trial);
    QCOMPARE(point.seconds, record.result.latency());
    QCOMPARE(point.wallSeconds, record.wallSeconds);
    QVERIFY(near(point.gflops, task.flops / record.result.latency() / 1e9));
    QCOMPARE(point.weight, task.weight);
    QCOMPARE(point.verdict, Verdict::Ok);
    QCOMPARE(sample.tasks.at(point.task), task.name);
    QCOMPARE(sample.sessions.at(point.session), std::string("run 1"));
  }
}

void RecordSurveyTest::twinsAreFound() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 2);
  const RowId target = store.targets().add({0, "cpu-b", "llvm -mcpu=b", "{}"});
  TaskRow task = *store.tasks().one(ground.tasks[0]);
  task.target = target;
  const RowId elsewhere = store.tasks().add(task);
  Random random(3);
  const Steps steps = samples::steps(random);
  const auto add = [&](std::int64_t trial, double seconds, RowId at, const Steps& program) {
    Record record = samples::record(ground, trial, seconds, at);
    record.steps = program;
    return store.records().add(record);
  };
  const RowId first = add(1, 4e-3, ground.tasks[0], steps);
  const RowId second = add(2, 2e-3, elsewhere, steps);
  add(3, 1e-3, ground.tasks[1], steps); // of another task
  for (int trial = 4; trial < 40; ++trial) {
    Steps other = samples::steps(random);
    if (!(other == steps)) add(trial, 3e-3, elsewhere, other);
  }
  Record failed = samples::failure(ground, 50, Verdict::RunError, elsewhere);
  failed.steps = steps;
  const RowId third = store.records().add(failed);
  RecordSurvey survey(folder.file("a.nwdb"));
  for (const RowId of : {first, second, third}) {
    const auto twins = survey.twins(of);
    QCOMPARE(twins.size(), std::size_t(3));
    QCOMPARE(twins[0].record, second);
    QCOMPARE(twins[0].seconds, 2e-3);
    QCOMPARE(twins[0].targetName, std::string("llvm -mcpu=b"));
    QCOMPARE(twins[1].record, first);
    QCOMPARE(twins[1].target, ground.target);
    QCOMPARE(twins[2].record, third);
    QCOMPARE(twins[2].verdict, Verdict::RunError);
    QVERIFY(std::isinf(twins[2].seconds));
  }
  QVERIFY_EXCEPTION_THROWN(survey.twins(4711), InputError);
}

void RecordSurveyTest::importedTwinsAreFound() {
  const samples::Folder folder;
  Random random(4);
  const Steps steps = samples::steps(random);
  const std::string key = "conv#0123456789abcdef";
  RowId own = 0;
  {
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    const RowId task =
        store.tasks().add({0, ground.network, ground.target, 7, key, "conv", "dag", 1, 1});
    Record record = samples::record(ground, 1, 4e-3, task);
    record.steps = steps;
    own = store.records().add(record);
  }
  {
    ImportWriter writer(folder.file("a.nwdb"));
    writer.useSession({0, 0, "tenset", "{}", SessionStatus::Finished, 1, 1, 0, "{}", "0.1"});
    const ImportedTask from{key, "llvm -mcpu=c", {}, "", "{}"};
    writer.transaction([&] {
      ImportSource source;
      source.path = "a.json";
      writer.addSource(source);
      const RowId task = writer.task(from, [] {
        return TaskKnowledge{"conv", "", 1e9, R"({"model": "e5-2673"})", "e5-2673"};
      });
      for (int i = 0; i < 1000; ++i) {
        const Steps program = i % 400 == 17 ? steps : samples::steps(random);
        const EncodedSteps encoded = encodeSteps(program);
        ImportedRecord record;
        record.seconds = 1e-3 * (i + 1);
        record.shape = encoded.shape;
        record.item.values = encoded.values;
        record.item.outcome = encodeOutcome({record.seconds}, 1);
        record.identity = std::uint64_t(i) + 1;
        writer.add(record, task, from, source);
      }
      writer.save(source, {});
    });
  }
  const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
  std::set<RowId> expected{own};
  RecordQuery query;
  query.limit = 2000;
  for (const Record& record : store.records().page(query))
    if (record.steps == steps) expected.insert(record.id);
  QVERIFY(expected.size() >= 4);
  RecordSurvey survey(folder.file("a.nwdb"));
  for (const RowId of : {own, *expected.rbegin()}) {
    std::set<RowId> found;
    for (const ProgramTwin& twin : survey.twins(of)) {
      found.insert(twin.record);
      QCOMPARE(twin.imported, twin.record != own);
      if (twin.imported) QCOMPARE(twin.targetName, std::string("e5-2673"));
    }
    QCOMPARE(found, expected);
  }
}

void RecordSurveyTest::readingCanBeStopped() {
  RecordQuery query;
  query.filter = parseRecordFilter("wall<2min");
  int asked = 0;
  QVERIFY_EXCEPTION_THROWN(
      survey_->interruptible([&](double part) { return part >= 0 && part <= 1 && ++asked < 2; },
                             [&] {
                               for (int i = 0; i < 1000; ++i)
                                 survey_->facets(query);
                             }),
      QueryStopped);
  QCOMPARE(asked, 2);
  QCOMPARE(survey_->facets(query).size(), kFacets.size()); // and goes on afterwards
}

/// What needs no reading of records reads none: SQLite's own steps are counted.
void RecordSurveyTest::manyGroupsComeFromTheSums() {
  RecordQuery query;
  int asked = 0;
  const auto count = [&](double) { return ++asked > 0; };
  survey_->interruptible(count, [&] {
    survey_->facets(query);
    survey_->groups(query, GroupBy::Task, GroupDetail::Best);
  });
  QVERIFY2(asked < 3, fmt::format("asked {} times", asked).c_str());
}

NW_TEST_GUILESS(RecordSurveyTest)

} // namespace nestwright::record_survey_test

#include "record_survey.moc"
