#include "core/record/file/document_file.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/event_rows.h"
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

#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace nestwright::record_store_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void compare(const Record& a, const Record& b) {
  QCOMPARE(a.session, b.session);
  QCOMPARE(a.task, b.task);
  QCOMPARE(a.trial, b.trial);
  QCOMPARE(a.program, b.program);
  QVERIFY(a.steps == b.steps);
  QCOMPARE(a.result.verdict, b.result.verdict);
  QCOMPARE(a.result.error, b.result.error);
  QCOMPARE(a.result.failingStep, b.result.failingStep);
  QVERIFY(a.result.seconds == b.result.seconds);
  QCOMPARE(a.result.runsPerRepeat, b.result.runsPerRepeat);
  QCOMPARE(a.result.warmups, b.result.warmups);
  QCOMPARE(a.result.cacheFlushed, b.result.cacheFlushed);
  QCOMPARE(a.result.checked, b.result.checked);
  QCOMPARE(a.result.maxRelativeError, b.result.maxRelativeError);
  QCOMPARE(a.result.buildSeconds, b.result.buildSeconds);
  QCOMPARE(a.result.runSeconds, b.result.runSeconds);
  QCOMPARE(a.result.startedAt, b.result.startedAt);
  QCOMPARE(a.wallSeconds, b.wallSeconds);
  QCOMPARE(a.verified, b.verified);
  QCOMPARE(a.implausible, b.implausible);
  QCOMPARE(a.trace, b.trace);
}

Record fullRecord(const samples::Ground& ground) {
  Random random(3);
  Record full = samples::record(ground, 1, 1);
  full.steps = samples::steps(random);
  full.result.seconds = {0.25, 1.0 / 3, 0.5};
  full.result.runsPerRepeat = 7;
  full.result.warmups = 2;
  full.result.cacheFlushed = full.result.checked = true;
  full.result.maxRelativeError = 1e-7;
  full.result.buildSeconds = 0.123456789;
  full.result.startedAt = 1'700'000'001'234'567;
  full.wallSeconds = 12.75;
  full.trace = R"({"sketch":2,"draw":[1,2,3]})";
  return full;
}

class RecordStoreTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void recordsComeBack_data();
  void recordsComeBack();
  void longErrorsAreKept();
  void impossibleRecordsAreRefused_data();
  void impossibleRecordsAreRefused();
  void onlySoundRecordsBecomeBest();
  void summariesFollow();
  void curveIsInOrderOfTrials();
  void eventsComeBack();
  void measuredProgramsAreThoseOfTheSession();
  void failedTransactionLeavesNothing();
  void innerTransactionFailsAlone();
  void partsStayWhereTheyAre();
  void checkFindsWrongSums_data();
  void checkFindsWrongSums();
  void keptValuesComeBack();
  void copyIsOfOneMoment();
  void cancelledCopyLeavesNothing();
};

void RecordStoreTest::recordsComeBack_data() {
  QTest::addColumn<int>("example");
  QTest::newRow("full") << 0;
  QTest::newRow("bare") << 1;
  QTest::newRow("failed") << 2;
  QTest::newRow("infinite error") << 3;
  QTest::newRow("cut hash") << 4;
  QTest::newRow("no hash") << 5;
}

void RecordStoreTest::recordsComeBack() {
  QFETCH(int, example);
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  Record record = fullRecord(ground);
  if (example == 1) {
    record = Record{};
    record.session = ground.session;
    record.task = ground.tasks[0];
    record.trial = 1;
    record.result.verdict = Verdict::Cancelled;
  }
  if (example == 2) {
    record = samples::failure(ground, 1, Verdict::RunTimeout);
    record.result.failingStep = 4;
    record.trace = std::string(10'000, 't');
  }
  if (example == 3) {
    record.result.verdict = Verdict::WrongAnswer;
    record.result.maxRelativeError = kInfinity;
  }
  if (example == 4) record.program = "abc";
  if (example == 5) record.program = "Not a Hash";
  record.id = store.records().add(record);
  const Record back = *store.records().one(record.id);
  QCOMPARE(back.id, record.id);
  compare(back, record);
  QCOMPARE(problemsOf(store), std::string("[]"));
}

void RecordStoreTest::longErrorsAreKept() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  Random random(5);
  std::string text; // hardly compressible
  while (text.size() < 64 << 10)
    text += char('!' + random.below(90));
  Record record = samples::failure(ground, 1, Verdict::CompileError);
  record.result.error = text;
  QCOMPARE(store.records().one(store.records().add(record))->result.error, text);
  record.trial = 2;
  record.result.error = text + "too much";
  const std::string cut = store.records().one(store.records().add(record))->result.error;
  QVERIFY(cut.size() <= 64 << 10);
  QVERIFY(cut.starts_with(text.substr(0, 65'000)));
}

void RecordStoreTest::impossibleRecordsAreRefused_data() {
  QTest::addColumn<int>("example");
  QTest::addColumn<QString>("word");
  QTest::newRow("no time") << 0 << "cannot be a time";
  QTest::newRow("zero") << 1 << "cannot be a time";
  QTest::newRow("negative") << 2 << "cannot be a time";
  QTest::newRow("infinite") << 3 << "cannot be a time";
  QTest::newRow("not a number") << 4 << "cannot be a time";
  QTest::newRow("one negative repeat") << 5 << "cannot be a time";
  QTest::newRow("trial twice") << 6 << "already has a trial 1";
  QTest::newRow("trial zero") << 7 << "count from 1";
  QTest::newRow("no such task") << 8 << "no task 99";
  QTest::newRow("no such session") << 9 << "no session 99";
}

void RecordStoreTest::impossibleRecordsAreRefused() {
  QFETCH(int, example);
  QFETCH(QString, word);
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  store.records().add(samples::record(ground, 1, 1));
  Record bad = samples::record(ground, 2, 0.5);
  const std::vector<std::vector<double>> times = {{},        {0}, {-1}, {kInfinity}, {std::nan("")},
                                                  {1, 2, -1}};
  if (example < int(times.size())) bad.result.seconds = times[std::size_t(example)];
  if (example == 6) bad.trial = 1;
  if (example == 7) bad.trial = 0;
  if (example == 8) bad.task = 99;
  if (example == 9) bad.session = 99;
  QString text;
  try {
    store.records().add(bad);
  } catch (const InputError& error) {
    text = QString::fromUtf8(error.what());
  }
  QVERIFY2(text.contains(word), qPrintable(text));
  QCOMPARE(store.records().total(), std::int64_t(1));
  QCOMPARE(problemsOf(store), std::string("[]"));
}

void RecordStoreTest::onlySoundRecordsBecomeBest() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 2);
  const RowId task = ground.tasks[0];
  QVERIFY(!store.records().best(task));
  QCOMPARE(store.tasks().summary(task).bestSeconds, kInfinity);
  std::int64_t trial = 0;
  const auto add = [&](Record record, bool becomesBest) {
    record.best = !becomesBest; // not for the caller to say
    const RowId id = store.records().add(record);
    QCOMPARE(store.records().one(id)->best, becomesBest);
    QCOMPARE(store.tasks().summary(task).bestRecord == id, becomesBest);
    if (becomesBest) QCOMPARE(store.records().best(task)->id, id);
  };
  Record unverified = samples::record(ground, ++trial, 0.1);
  unverified.verified = false;
  add(unverified, false);
  Record implausible = samples::record(ground, ++trial, 0.1);
  implausible.implausible = true;
  add(implausible, false);
  Record wrong = samples::record(ground, ++trial, 0.1);
  wrong.result.verdict = Verdict::WrongAnswer;
  add(wrong, false);
  add(samples::record(ground, ++trial, 2), true);
  add(samples::record(ground, ++trial, 3), false);
  add(samples::record(ground, ++trial, 2), false); // of equal ones the earlier stays
  Record median = samples::record(ground, ++trial, 1);
  median.result.seconds = {0.5, 2.5, 2.25}; // not its fastest repeat counts
  add(median, false);
  add(samples::record(ground, ++trial, 1), true);
  QCOMPARE(store.tasks().summary(task).bestSeconds, 1.0);
  QVERIFY(!store.records().best(ground.tasks[1]));
  QCOMPARE(problemsOf(store), std::string("[]"));
}

void RecordStoreTest::summariesFollow() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground first = samples::fill(store, 2);
  const samples::Ground second = samples::fill(store, 2);
  store.records().add(samples::record(first, 1, 1));
  store.records().add(samples::failure(first, 2, Verdict::CompileError));
  store.records().add(samples::failure(first, 3, Verdict::CompileError, first.tasks[1]));
  store.records().add(samples::failure(second, 1, Verdict::RunError));
  store.tasks().setNaiveSeconds(first.tasks[1], 8.5);
  QCOMPARE(store.tasks().summaries().size(), std::size_t(2));
  const TaskSummary task = store.tasks().summaries()[0];
  QCOMPARE(task.trials, std::int64_t(3));
  QCOMPARE(task.errors, std::int64_t(2));
  QCOMPARE(task.kernelSeconds, 0.75);
  QCOMPARE(task.naiveSeconds, 0.0);
  QCOMPARE(store.tasks().summary(first.tasks[1]).naiveSeconds, 8.5);
  QVERIFY_THROWS_EXCEPTION(InputError, store.tasks().summary(99));
  QVERIFY_THROWS_EXCEPTION(InputError, store.tasks().setNaiveSeconds(99, 1));
  QCOMPARE(store.records().total(), std::int64_t(4));
  QCOMPARE(store.records().total(first.tasks[1]), std::int64_t(1));
  const SessionSummary session = store.sessions().summary(first.session);
  QCOMPARE(session.trials, std::int64_t(3));
  QCOMPARE(session.errors, std::int64_t(2));
  QCOMPARE(session.kernelSeconds, 0.75);
  QCOMPARE(store.sessions().summary(99).trials, std::int64_t(0));
  const auto counts = [&](RowId of, RowId ofTask) {
    std::string text;
    for (const VerdictCount& count : store.records().verdictCounts(of, ofTask))
      text += fmt::format("{}:{} ", name(count.verdict), count.records);
    return text;
  };
  QCOMPARE(counts(0, 0), std::string("ok:1 compile error:2 run error:1 "));
  QCOMPARE(counts(first.session, 0), std::string("ok:1 compile error:2 "));
  QCOMPARE(counts(0, first.tasks[1]), std::string("compile error:1 "));
  QCOMPARE(counts(second.session, second.tasks[0]), std::string("run error:1 "));
  QCOMPARE(counts(99, 0), std::string());
}

void RecordStoreTest::curveIsInOrderOfTrials() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 2);
  for (const int trial : {2, 1, 5, 3, 4}) { // as results of parallel work may come
    Record record = trial == 3 ? samples::failure(ground, trial, Verdict::Illegal)
                               : samples::record(ground, trial, 10.0 - trial,
                                                 ground.tasks[std::size_t(trial % 2)]);
    record.wallSeconds = trial * 0.5;
    store.records().add(record);
  }
  const std::vector<CurvePoint> points = store.trials().curve(ground.session);
  QCOMPARE(points.size(), std::size_t(5));
  for (std::size_t i = 0; i < points.size(); ++i) {
    QCOMPARE(points[i].trial, std::int64_t(i + 1));
    QCOMPARE(points[i].wallSeconds, 0.5 * double(i + 1));
    QCOMPARE(store.records().one(points[i].record)->trial, std::int64_t(i + 1));
  }
  QCOMPARE(points[2].seconds, kInfinity);
  QCOMPARE(int(points[2].verdict), int(Verdict::Illegal));
  QCOMPARE(points[3].seconds, 6.0);
  QCOMPARE(points[3].task, ground.tasks[0]);
  QVERIFY(points[4].verifiedBest);
  QVERIFY(!points[2].verifiedBest);
  QCOMPARE(store.trials().curve(ground.session, 3).size(), std::size_t(2));
  QCOMPARE(store.trials().curve(ground.session, 3, 1).at(0).trial, std::int64_t(4));
  QVERIFY(store.trials().curve(99).empty());
}

void RecordStoreTest::eventsComeBack() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground first = samples::fill(store), second = samples::fill(store);
  std::vector<RowId> ids;
  for (int i = 0; i < 10; ++i)
    ids.push_back(store.events().add({0, i % 2 == 0 ? first.session : second.session, 100 + i,
                                      i < 5 ? "measured" : "new best",
                                      i == 4 ? std::string(5000, '1') : fmt::format("[{}]", i)}));
  const std::vector<EventRow> events = store.events().of(first.session);
  QCOMPARE(events.size(), std::size_t(5));
  QCOMPARE(events[1].id, ids[2]);
  QCOMPARE(events[1].session, first.session);
  QCOMPARE(events[1].at, std::int64_t(102));
  QCOMPARE(events[1].kind, std::string("measured"));
  QCOMPARE(events[1].json, std::string("[2]"));
  QCOMPARE(events[2].json, std::string(5000, '1'));
  QCOMPARE(events[4].kind, std::string("new best"));
  QCOMPARE(store.events().of(first.session, ids[2], 1).at(0).id, ids[4]);
  QCOMPARE(store.events().of(first.session, ids[8]).size(), std::size_t(0));
  QCOMPARE(store.events().ids(first.session, "measured"),
           (std::vector<RowId>{ids[0], ids[2], ids[4]}));
  QCOMPARE(store.events().ids(first.session, "measured", ids[0], 1), std::vector<RowId>{ids[2]});
  QVERIFY(store.events().ids(first.session, "of no kind").empty());
  QCOMPARE(store.events().one(ids[4])->json, std::string(5000, '1'));
  const RowId placed = store.events().add({0, first.session, 120, "measured", "[]", 17, 2.5});
  QCOMPARE(store.events().one(placed)->trials, std::int64_t(17));
  QCOMPARE(store.events().one(placed)->wallSeconds, 2.5);
  QVERIFY(!store.events().one(999));
  QVERIFY_THROWS_EXCEPTION(InputError, store.events().add({0, 99, 0, "measured", "{}"}));
}

void RecordStoreTest::measuredProgramsAreThoseOfTheSession() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground first = samples::fill(store, 2), second = samples::fill(store, 2);
  store.records().add(samples::failure(first, 1, Verdict::RunError));
  store.records().add(samples::record(first, 2, 1, first.tasks[1]));
  store.records().add(samples::record(first, 3, 1));
  store.records().add(samples::record(second, 4, 1));
  const std::vector<std::string> programs =
      store.trials().measuredPrograms(first.session, first.tasks[0]);
  QVERIFY((programs == std::vector{hashHex("program 1"), hashHex("program 3")}));
  QVERIFY(store.trials().measuredPrograms(second.session, first.tasks[1]).empty());
}

void RecordStoreTest::failedTransactionLeavesNothing() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  const Record record = fullRecord(ground);
  QVERIFY_THROWS_EXCEPTION(std::runtime_error, store.transaction([&] {
    store.records().add(record);
    store.events().add({0, ground.session, 1, "kind", "{}"});
    QCOMPARE(store.records().total(), std::int64_t(1));
    throw std::runtime_error("no");
  }));
  QCOMPARE(store.records().total(), std::int64_t(0));
  QVERIFY(store.events().of(ground.session).empty());
  // The shape of the steps, which the store remembers, is gone from the file, too.
  compare(*store.records().one(store.records().add(record)), record);
  QCOMPARE(problemsOf(store), std::string("[]"));
}

void RecordStoreTest::innerTransactionFailsAlone() {
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  store.transaction([&] {
    store.records().add(samples::record(ground, 1, 1));
    QVERIFY_THROWS_EXCEPTION(InputError, store.records().add(samples::record(ground, 1, 2)));
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, store.transaction([&] {
      store.records().add(samples::record(ground, 2, 2));
      throw std::runtime_error("no");
    }));
    store.records().add(samples::record(ground, 3, 3));
  });
  QCOMPARE(store.records().total(), std::int64_t(2));
  QCOMPARE(store.trials().curve(ground.session).at(1).trial, std::int64_t(3));
  QCOMPARE(problemsOf(store), std::string("[]"));
}

/// Who holds a part may go on with it when the store itself was moved; who has a const store only
/// reads.
void RecordStoreTest::partsStayWhereTheyAre() {
  static_assert(std::is_const_v<
                std::remove_reference_t<decltype(std::declval<const RecordStore&>().records())>>);
  static_assert(!std::is_copy_constructible_v<RecordRows>);
  const samples::Folder folder;
  RecordStore first = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const samples::Ground ground = samples::fill(first);
  RecordRows& records = first.records();
  records.add(samples::record(ground, 1, 1));
  RecordStore second = std::move(first);
  records.add(samples::record(ground, 2, 1));
  QCOMPARE(&second.records(), &records);
  QCOMPARE(second.records().total(), std::int64_t(2));
}

void RecordStoreTest::checkFindsWrongSums_data() {
  QTest::addColumn<QString>("damage");
  QTest::newRow("trials") << "UPDATE task_summary SET trials = trials + 1";
  QTest::newRow("errors") << "UPDATE task_summary SET errors = 0";
  QTest::newRow("kernel time") << "UPDATE task_summary SET kernel_seconds = 9";
  QTest::newRow("best record") << "UPDATE task_summary SET best_record = 2";
  QTest::newRow("best time") << "UPDATE task_summary SET best_seconds = 0.5";
  QTest::newRow("no best") << "UPDATE task_summary SET best_record = NULL, best_seconds = NULL";
  QTest::newRow("tally") << "UPDATE tally SET records = records + 1 WHERE verdict = 0";
  QTest::newRow("tally missing") << "DELETE FROM tally WHERE verdict <> 0";
  QTest::newRow("tally time") << "UPDATE tally SET kernel_seconds = 9";
  QTest::newRow("record gone") << "DELETE FROM record WHERE id = 3";
  QTest::newRow("reference") << "UPDATE record SET task = 99 WHERE id = 1";
  QTest::newRow("time") << "UPDATE record SET seconds = 0.25 WHERE id = 1";
  QTest::newRow("flag") << "UPDATE record SET flags = 1 WHERE id = 1";
  QTest::newRow("verdict") << "UPDATE record SET verdict = 77 WHERE id = 1";
  QTest::newRow("steps") << "UPDATE record SET step_values = x'ff' WHERE id = 1";
  QTest::newRow("shape") << "DELETE FROM shape";
  QTest::newRow("details") << "UPDATE record SET details = x'' WHERE id = 1";
}

void RecordStoreTest::checkFindsWrongSums() {
  QFETCH(QString, damage);
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  store.records().add(samples::record(ground, 1, 1));
  store.records().add(samples::record(ground, 2, 2));
  store.records().add(samples::failure(ground, 3, Verdict::RunError));
  QCOMPARE(problemsOf(store), std::string("[]"));
  sqlite::Database(path, sqlite::Access::ReadWrite).execute(damage.toStdString());
  QVERIFY(!store.check().empty());
}

void RecordStoreTest::keptValuesComeBack() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb"), bytes("a\0b", 3);
  RecordStore::open(path, OpenMode::Create);
  QVERIFY(!kept(path, "window/state"));
  keep(path, "window/state", "first");
  keep(path, "window/state", bytes);
  keep(path, "graph/1", "drawing");
  keep(path, "graph/1", "");
  QCOMPARE(kept(path, "window/state"), std::optional(bytes));
  QVERIFY(!kept(path, "graph/1"));
}

void RecordStoreTest::copyIsOfOneMoment() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb"), copy = folder.file("copy.nwdb");
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  const samples::Ground ground = samples::fill(store);
  store.transaction([&] {
    for (int trial = 1; trial <= 60'000; ++trial) // several steps of the copy
      store.records().add(samples::record(ground, trial, 1.0 / trial));
  });
  int steps = 0;
  QVERIFY(saveCopy(path, copy, [&](double done) {
    // The session goes on meanwhile.
    store.records().add(samples::record(ground, 60'001 + steps++, 1));
    return done <= 1;
  }));
  QVERIFY(steps > 1);
  const RecordStore copied = RecordStore::open(copy, OpenMode::ReadOnly);
  QCOMPARE(copied.records().total(), std::int64_t(60'000));
  QCOMPARE(problemsOf(copied), std::string("[]"));
  QVERIFY_THROWS_EXCEPTION(InputError, saveCopy(path, path));
}

void RecordStoreTest::cancelledCopyLeavesNothing() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  samples::fill(store);
  const QStringList before = QDir(QString::fromStdString(folder.path())).entryList(QDir::Files);
  QVERIFY(!saveCopy(path, folder.file("copy.nwdb"), [](double) { return false; }));
  QCOMPARE(QDir(QString::fromStdString(folder.path())).entryList(QDir::Files), before);
}

NW_TEST_GUILESS(RecordStoreTest)

} // namespace nestwright::record_store_test

#include "record_store.moc"
