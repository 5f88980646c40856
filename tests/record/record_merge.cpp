/// One file taken into another: nothing lost, nothing doubled, whatever the order (C27-C29).

#include "core/record/care/merge_files.h"
#include "core/record/care/split_file.h"
#include "core/record/file/document_file.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/mark_rows.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/tag_rows.h"
#include "core/support/error.h"
#include "tests/record/file_bytes.h"
#include "tests/record/full_file.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <filesystem>
#include <map>
#include <set>
#include <tuple>

namespace nestwright::record_merge_test {

using nlohmann::json;

const std::atomic<bool> kGoOn{false};

/// What makes a file another one than the next.
struct Kind {
  const char* target = "cpu-test";
  const char* session = "first";
  std::int64_t createdAt = 1'700'000'000'000'000;
  int firstTrial = 1, trials = 12;
  double seconds = 1e-3;
  std::int64_t updatedAt = 1'700'000'000'000'100;
};

/// A file with something in every table but those of imports.
void fillFile(RecordStore& store, const Kind& kind) {
  samples::Ground ground;
  ground.network = store.networks().add({0, "resnet18", "resnet18:batch=1"});
  ground.target = store.targets().add({0, kind.target, "llvm -keys=cpu", "{}"});
  for (int i = 0; i < 3; ++i)
    ground.tasks.push_back(store.tasks().add(
        {0, ground.network, ground.target, i, fmt::format("conv{}[1,64]#{:016x}", i, i),
         fmt::format("conv {}", i), fmt::format("dag {}", i), 1.0 + i, 1e9}));
  ground.session =
      store.sessions().add({0, ground.network, kind.session, R"({"trials":100})",
                            SessionStatus::Running, kind.createdAt, kind.updatedAt, 7, "", "0.1"});
  store.sessions().setTasks(ground.session, ground.tasks);
  store.sessions().setNetworks(
      ground.session, {{ground.network, "resnet18", {{ground.tasks[0], 2}, {ground.tasks[1], 1}}}});
  Random random(std::uint64_t(kind.firstTrial) + std::hash<std::string>()(kind.target));
  std::vector<RowId> records;
  for (int i = 0; i < kind.trials; ++i) {
    const std::int64_t trial = kind.firstTrial + i;
    const RowId task = ground.tasks[std::size_t(i) % 3];
    Record record = i % 5 == 4 ? samples::failure(ground, trial, Verdict::RunTimeout, task)
                               : samples::record(ground, trial, kind.seconds / (1 + i), task);
    record.program = hashHex(fmt::format("{} {} {}", kind.target, kind.session, trial));
    record.steps = samples::steps(random);
    record.wallSeconds = double(trial) + kind.seconds;
    record.result.startedAt = kind.createdAt + trial * 1'000'003;
    record.trace = fmt::format(R"({{"operation":"random","parents":[],"draw":{}}})", trial);
    record.contested = i == 7;
    if (i == 6) record.onDemand = true, record.original = records[2];
    records.push_back(store.records().add(record));
    store.events().add({0, ground.session, kind.createdAt + trial, "measured",
                        fmt::format(R"({{"task":{},"record":{},"original":0,"trial":{}}})", task,
                                    records.back(), trial),
                        trial, double(trial)});
  }
  store.records().setForgotten({records[3]}, true);
  store.tags().set("odd", {records[1], records[3]}, true);
  store.tags().set(kind.target, {records[5]}, true);
  store.tasks().setNaiveSeconds(ground.tasks[0], 1);
  store.models().save(ground.session, "trees", fmt::format("model of {}", kind.updatedAt));
  EvolutionRow evolution;
  evolution.session = ground.session, evolution.task = ground.tasks[0], evolution.round = 1;
  store.evolutions().save(evolution);
  store.marks().save({0, ground.session, 3.5, 4, fmt::format("look here, {}", kind.target)});
  SessionRow session = *store.sessions().one(ground.session);
  session.schedulerState =
      fmt::format(R"({{"open":null,"round":3,"tasks":[{{"round_ends":[{},{}],"task":{}}}]}})",
                  records[2], records[5], ground.tasks[1]);
  store.sessions().update(session);
  const RowId recombination = store.recombinations().add(
      {0, ground.network, ground.target, "{}",
       fmt::format(R"({{"candidates":[{{"programs":[{{"record":{}}}],"task":{}}}]}})", records[0],
                   ground.tasks[0]),
       SessionStatus::Finished, kind.createdAt, kind.updatedAt, 1, "0.1"});
  SampleRow sample;
  sample.recombination = recombination;
  sample.choice = {0};
  sample.seconds = {1e-2};
  store.recombinations().addSample(sample);
  store.choices().keep({ground.network,
                        ground.target,
                        recombination,
                        kind.updatedAt,
                        1.1,
                        {{ground.tasks[0], records[0]}}});
}

void writeFile(const std::string& path, const Kind& kind) {
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  store.transaction([&] { fillFile(store, kind); });
}

/// All rows of a table as text.
std::vector<std::string> rowsOf(sqlite::Database& db, const std::string& table) {
  std::vector<std::string> columns;
  sqlite::Statement info = db.prepare("SELECT name FROM pragma_table_info(?)");
  info.bind(table);
  while (info.step())
    columns.push_back(fmt::format("quote({})", info.view(0)));
  std::vector<std::string> rows;
  sqlite::Statement all = db.prepare(fmt::format("SELECT {} AS line FROM {} ORDER BY line",
                                                 fmt::join(columns, " || ' ' || "), table));
  while (all.step())
    rows.push_back(all.text(0));
  return rows;
}

std::map<std::string, std::vector<std::string>> tablesOf(const std::string& path) {
  sqlite::Database db(path, sqlite::Access::ReadWrite);
  std::map<std::string, std::vector<std::string>> tables;
  sqlite::Statement names =
      db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
                 "AND name <> 'generation'"); // which is another one after each transaction
  while (names.step())
    tables[names.text(0)] = rowsOf(db, names.text(0));
  return tables;
}

/// What the file says, without the numbers of its rows: lines to compare with another file's.
std::multiset<std::string> contentOf(const std::string& path) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  std::map<RowId, std::string> targets, tasks, sessions;
  std::multiset<std::string> lines;
  for (const TargetRow& row : store.targets().all())
    lines.insert("target " + (targets[row.id] = row.key));
  for (const TaskRow& row : store.tasks().all()) {
    tasks[row.id] = targets[row.target] + " " + row.key;
    const TaskSummary sums = store.tasks().summary(row.id);
    lines.insert(fmt::format("task {} {} {} best {} naive {} {:.6f}", tasks[row.id], sums.trials,
                             sums.errors, sums.bestSeconds, sums.naiveSeconds, sums.kernelSeconds));
  }
  for (const SessionRow& row : store.sessions().all()) {
    sessions[row.id] = fmt::format("{} {}", row.title, row.createdAt);
    lines.insert(
        fmt::format("session {} {} {} {} {}", sessions[row.id], row.updatedAt, row.wallSeconds,
                    int(row.status == SessionStatus::Running ? SessionStatus::Paused : row.status),
                    store.models().of(row.id, "trees").value_or("none")));
    for (const TaskRow& task : store.sessions().tasks(row.id))
      lines.insert(fmt::format("tuned {} {} {}", sessions[row.id], tasks[task.id], task.weight));
    for (const MarkRow& mark : store.marks().of(row.id))
      lines.insert(fmt::format("mark {} {} {}", sessions[row.id], mark.wallSeconds, mark.sentence));
    for (const EventRow& event : store.events().of(row.id))
      lines.insert(fmt::format("event {} {} {}", sessions[row.id], event.at, event.trials));
    lines.insert(
        fmt::format("rounds {} {}", sessions[row.id], store.evolutions().rounds(row.id).size()));
  }
  RecordQuery query;
  query.forgotten = RecordQuery::Forgotten::With;
  query.limit = 1000000;
  for (const Record& record : store.records().page(query))
    lines.insert(
        fmt::format("record {} | {} | {} {} {} {} {} {} {} {} {} {} {}", sessions[record.session],
                    tasks[record.task], record.program, name(record.result.verdict),
                    fmt::join(record.result.seconds, " "), record.result.error,
                    record.result.startedAt, record.trace, fmt::join(record.tags, ","),
                    record.forgotten, record.contested, record.onDemand,
                    record.original == 0 ? "" : store.records().one(record.original)->program));
  for (const RecombinationRow& row : store.recombinations().all())
    lines.insert(fmt::format("recombination {} {} {}", targets[row.target], row.createdAt,
                             store.recombinations().samples(row.id).size()));
  return lines;
}

/// Lines that only one of the files has.
QString difference(const std::string& a, const std::string& b) {
  const std::multiset<std::string> ours = contentOf(a), theirs = contentOf(b);
  QStringList lines;
  for (const auto& [mark, from, other] : {std::tuple('<', &ours, &theirs), {'>', &theirs, &ours}})
    for (const std::string& line : *from)
      if (other->count(line) != from->count(line) && lines.size() < 8)
        lines.append(QString::fromStdString(fmt::format("{} {}", mark, line)));
  return lines.join(QLatin1Char('\n'));
}

/// The ids in JSON name what they named before.
void compareNames(const std::string& path) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  for (const SessionRow& session : store.sessions().all())
    for (const EventRow& event : store.events().of(session.id)) {
      const auto number = [&](const char* key) {
        const std::size_t at = event.json.find(fmt::format("\"{}\":", key));
        return std::stoll(event.json.substr(at + std::string(key).size() + 3));
      };
      const auto record = store.records().one(number("record"));
      QVERIFY(record.has_value());
      QCOMPARE(record->session, session.id);
      QCOMPARE(record->task, RowId(number("task")));
      QCOMPARE(record->result.startedAt, session.createdAt + number("trial") * 1'000'003);
    }
}

MergeReport merge(const std::string& into, const std::string& from) {
  return mergeFile(into, from, kGoOn);
}

/// A file with three programs, records 1 to 3 of session 1, and the same measured again, records 4
/// to 6 of session 2. Settings, state and log of the latter name the former wherever a session may.
void writeMeasuredAgain(const std::string& path) {
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  samples::Ground ground = samples::fill(store);
  for (int trial = 1; trial <= 3; ++trial)
    store.records().add(samples::record(ground, trial, 1e-3 * trial));
  SessionRow again = *store.sessions().one(ground.session);
  again.title = "again";
  again.config = json{{"again", {{"records", {1, 2, 3}}}}, {"polished_record", 2}}.dump();
  const json chosen{{"task", 1}, {"terms", {{{"similar_task", 1}}}}};
  const json proposal{{"candidates", {{{"trace", {{"source", 3}}}}}}};
  const json task{
      {"polish", {{"incumbent", 2}}}, {"seeds", {{{"trace", {{"source", 1}}}}}}, {"task", 1}};
  again.schedulerState = json{
      {"ahead", {{"chosen", chosen.dump()}, {"task", 1}}},
      {"open", {{"proposal", proposal.dump()}, {"task", 1}}},
      {"tasks", {task}}}.dump();
  ground.session = store.sessions().add(again);
  store.sessions().setTasks(ground.session, ground.tasks);
  for (int trial = 1; trial <= 3; ++trial) {
    Record record = samples::record(ground, trial, 2e-3 * trial);
    record.trace = json{{"operation", "measured again"}, {"source", trial}}.dump();
    store.records().add(record);
  }
  store.events().add({0, ground.session, again.createdAt, "answers compared",
                      json{{"task", 1}, {"wrong", {1, 3}}}.dump()});
}

/// Forgets a record, or takes that back, and tells of it as a session does.
void mark(RecordStore& store, RowId record, bool forgotten, std::int64_t at) {
  store.records().setForgotten({record}, forgotten);
  store.events().add({0, 1, at, "forgotten",
                      fmt::format(R"({{"forgotten":{},"records":[{}]}})", forgotten, record)});
}

class RecordMergeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Nothing is there that could change a number, so every table must be as it was.
  void anEmptyFileBecomesTheSame() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb"), copy = folder.file("copy.nwdb");
    writeFile(a, {});
    keep(a, "window/state", "{}");
    merge(copy, a);
    auto before = tablesOf(a), after = tablesOf(copy);
    QVERIFY2(after["kept"].empty(), "what the window keeps stays with its file");
    QCOMPARE(after["session"].size(), std::size_t(1));
    for (const char* own : {"kept", "session"}) // its status: nobody runs it there
      before.erase(own), after.erase(own);
    for (const auto& [table, rows] : before) {
      const bool ofImports = table.starts_with("import_") || table == "record_block";
      QVERIFY2(ofImports || !rows.empty(),
               qPrintable(QString::fromStdString("give the test's file rows of " + table)));
      QCOMPARE(after[table], rows);
    }
    QCOMPARE(RecordStore::open(copy).sessions().all().front().status, SessionStatus::Paused);
    QVERIFY(RecordStore::open(copy).check().empty());
  }

  void bothOriginsStay() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb"), b = folder.file("b.nwdb");
    writeFile(a, {});
    writeFile(b, {.target = "cpu-other", .session = "other", .seconds = 1e-6});
    const double best = RecordStore::open(a).tasks().summary(1).bestSeconds;
    const MergeReport report = merge(a, b);
    QCOMPARE(report.records, std::int64_t(12));
    QCOMPARE(report.known, std::int64_t(0));
    QCOMPARE(report.sessions, std::int64_t(1));
    QCOMPARE(report.targets, std::int64_t(1));
    QCOMPARE(report.tasks, std::int64_t(3));
    QCOMPARE(report.networks, std::int64_t(0));
    const RecordStore store = RecordStore::open(a);
    QCOMPARE(store.sessions().all().size(), std::size_t(2));
    // Faster, but on another machine (C28).
    QCOMPARE(store.tasks().summary(1).bestSeconds, best);
    QCOMPARE(store.records().best(1)->session, RowId(1));
    QCOMPARE(store.check(), std::vector<std::string>());
    compareNames(a);
  }

  /// Wherever JSON names records and tasks by their numbers, it names the same ones afterwards.
  void whatJsonNamesStaysTheSame() {
    const samples::Folder folder;
    const std::string all = folder.file("all.nwdb"), b = folder.file("b.nwdb");
    writeFile(all, {.target = "cpu-other", .session = "other"}); // tasks 1 to 3, records 1 to 12
    writeMeasuredAgain(b);
    QCOMPARE(merge(all, b).records, std::int64_t(6));
    const RecordStore store = RecordStore::open(all, OpenMode::ReadOnly);
    QCOMPARE(store.check(), std::vector<std::string>());
    const SessionRow again = store.sessions().all().back();
    QCOMPARE(again.title, std::string("again"));
    QVERIFY(json::parse(again.config) ==
            json({{"again", {{"records", {13, 14, 15}}}}, {"polished_record", 14}}));
    const json state = json::parse(again.schedulerState);
    const json& task = state.at("tasks").at(0);
    QCOMPARE(task.at("task").get<RowId>(), RowId(4));
    QCOMPARE(task.at("polish").at("incumbent").get<RowId>(), RowId(14));
    QCOMPARE(task.at("seeds").at(0).at("trace").at("source").get<RowId>(), RowId(13));
    const json chosen = json::parse(state.at("ahead").at("chosen").get<std::string>());
    QCOMPARE(chosen.at("task").get<RowId>(), RowId(4));
    QCOMPARE(chosen.at("terms").at(0).at("similar_task").get<RowId>(), RowId(4));
    const json proposal = json::parse(state.at("open").at("proposal").get<std::string>());
    QCOMPARE(proposal.at("candidates").at(0).at("trace").at("source").get<RowId>(), RowId(15));
    QVERIFY(json::parse(store.events().of(again.id).front().json) ==
            json({{"task", 4}, {"wrong", {13, 15}}}));
    for (RowId record = 16; record <= 18; ++record)
      QCOMPARE(json::parse(store.records().one(record)->trace).at("source").get<RowId>(),
               record - 3);
  }

  /// Of a part, too, where the numbers of what stayed behind are those of others by then.
  void whatStaysBehindIsNotNamed() {
    const samples::Folder folder;
    const std::string b = folder.file("b.nwdb"), part = folder.file("part.nwdb");
    writeMeasuredAgain(b);
    SplitPart again{"again", "", {{}}};
    again.queries[0].session = 2;
    QCOMPARE(extractPart(b, part, again, kGoOn).records, std::int64_t(3));
    const RecordStore store = RecordStore::open(part, OpenMode::ReadOnly);
    QVERIFY(json::parse(store.sessions().all().front().config) ==
            json({{"again", {{"records", {0, 0, 0}}}}, {"polished_record", 0}}));
    for (RowId record = 1; record <= 3; ++record)
      QVERIFY(json::parse(store.records().one(record)->trace) ==
              json({{"operation", "measured again"}}));
  }

  void twiceChangesNothing() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb"), b = folder.file("b.nwdb");
    writeFile(a, {});
    writeFile(b, {.session = "other", .createdAt = 1'800'000'000'000'000, .seconds = 1e-4});
    merge(a, b);
    const auto once = tablesOf(a);
    const MergeReport again = merge(a, b);
    QCOMPARE(again.records, std::int64_t(0));
    QCOMPARE(again.known, std::int64_t(12));
    QCOMPARE(tablesOf(a), once);
    merge(b, a);
    QCOMPARE(difference(b, a), QString());
    QCOMPARE(RecordStore::open(b).check(), std::vector<std::string>());
  }

  void anyOrderGivesTheSame_data() {
    QTest::addColumn<int>("way");
    QTest::newRow("a+(b+c)") << 0;
    QTest::newRow("(b+a)+c") << 1;
    QTest::newRow("(c+b)+a") << 2;
  }

  /// The second file is another machine's, the third went on with the first one's session, and on
  /// another way than that.
  void anyOrderGivesTheSame() {
    QFETCH(int, way);
    const samples::Folder folder;
    const auto name = [&](const char* file) { return folder.file(file); };
    writeFile(name("a"), {});
    writeFile(name("b"), {.target = "cpu-other", .session = "other", .trials = 9});
    writeFile(name("c"),
              {.firstTrial = 5, .trials = 14, .seconds = 5e-4, .updatedAt = 1'700'000'000'000'500});
    const auto copy = [&](const char* from, const char* to) {
      std::filesystem::copy_file(name(from), name(to));
      return name(to);
    };
    const std::string left = copy("a", "left");
    merge(left, name("b"));
    merge(left, name("c"));
    std::string other;
    if (way == 0) {
      const std::string right = copy("b", "right");
      merge(right, name("c"));
      other = copy("a", "other");
      merge(other, right);
    } else {
      other = copy(way == 1 ? "b" : "c", "other");
      merge(other, name(way == 1 ? "a" : "b"));
      merge(other, name(way == 1 ? "c" : "a"));
    }
    QCOMPARE(difference(other, left), QString());
    for (const std::string& file : {left, other}) {
      QCOMPARE(RecordStore::open(file).check(), std::vector<std::string>());
      compareNames(file);
    }
    QCOMPARE(RecordStore::open(left).records().total(), std::int64_t(11 + 8 + 13));
    QCOMPARE(merge(left, name("c")).records, std::int64_t(0));
    QCOMPARE(merge(other, left).records, std::int64_t(0));
  }

  void aFileThatWentOnBringsTheRest() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb"), b = folder.file("b.nwdb");
    writeFile(b, {});
    merge(a, b);
    {
      RecordStore store = RecordStore::open(b);
      store.records().addRepeats(8, {1e-5, 1.1e-5, 0.9e-5}, true); // was contested
      samples::Ground ground{1, 1, 1, {1, 2, 3}};
      Record next = samples::record(ground, 13, 1e-6);
      next.wallSeconds = 99;
      store.records().add(next);
      SessionRow session = *store.sessions().one(1);
      session.updatedAt += 5;
      session.status = SessionStatus::Finished;
      store.sessions().update(session);
      store.models().save(1, "trees", "newer");
    }
    const MergeReport report = merge(a, b);
    QCOMPARE(report.records, std::int64_t(1));
    QCOMPARE(report.updated, std::int64_t(1));
    const RecordStore store = RecordStore::open(a);
    QCOMPARE(store.sessions().all().front().status, SessionStatus::Finished);
    QCOMPARE(store.models().of(1, "trees").value(), std::string("newer"));
    QCOMPARE(store.records().one(8)->contested, false);
    QCOMPARE(store.check(), std::vector<std::string>());
    QCOMPARE(difference(a, b), QString());
  }

  /// A file and its copy, in which more was found out about records that both have: some of it in
  /// the one, some in the other, and of one record in both.
  void whatEitherFoundOutHoldsInAnyOrder() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb"), b = folder.file("b.nwdb");
    const RowId wrong = 7, alsoWrong = 2, right = 13, forgotten = 12, takenBack = 4, both = 3;
    writeFile(a, {});
    {
      RecordStore store = RecordStore::open(a);
      QCOMPARE(store.records().best(1)->id, wrong);
      Record next = samples::record({1, 1, 1, {1, 2, 3}}, 13, 1e-9);
      next.verified = false;
      next.wallSeconds = 99;
      QCOMPARE(store.records().add(next), right);
    }
    std::filesystem::copy_file(a, b);
    MeasureResult agreed, lost;
    agreed.checked = true, agreed.maxRelativeError = 1e-6;
    lost.verdict = Verdict::WrongAnswer, lost.error = "it is 7, and should be 8";
    const std::int64_t at = 1'700'000'001'000'000;
    {
      RecordStore store = RecordStore::open(a);
      store.records().setAnswer(wrong, lost);
      store.records().setAnswer(right, agreed);
      mark(store, forgotten, true, at);
      mark(store, takenBack, false, at + 1); // it was forgotten in both
      mark(store, both, true, at + 2);
      store.records().addRepeats(8, {1e-5, 1.1e-5, 0.9e-5}, true); // was contested
    }
    {
      RecordStore store = RecordStore::open(b);
      store.records().setAnswer(alsoWrong, lost);
      mark(store, both, true, at + 3);
      mark(store, both, false, at + 4);
    }
    const std::string ab = folder.file("ab.nwdb"), ba = folder.file("ba.nwdb");
    std::filesystem::copy_file(a, ab);
    std::filesystem::copy_file(b, ba);
    QCOMPARE(merge(ab, b).updated, std::int64_t(2));
    QCOMPARE(merge(ba, a).updated, std::int64_t(5));
    QCOMPARE(difference(ab, ba), QString());
    for (const std::string& file : {ab, ba}) {
      const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
      QCOMPARE(store.check(), std::vector<std::string>());
      for (const RowId record : {wrong, alsoWrong}) {
        QCOMPARE(store.records().one(record)->result.verdict, Verdict::WrongAnswer);
        QCOMPARE(store.records().one(record)->result.error, lost.error);
        QVERIFY(!store.records().one(record)->verified);
      }
      QVERIFY(store.records().one(right)->verified);
      QVERIFY(store.records().one(right)->result.checked);
      QCOMPARE(store.records().best(1)->id, right);
      QVERIFY(store.records().one(forgotten)->forgotten);
      QVERIFY(!store.records().one(takenBack)->forgotten);
      QVERIFY(!store.records().one(both)->forgotten);
    }
    QCOMPARE(merge(ab, a).updated, std::int64_t(0));
    QCOMPARE(merge(ab, ba).updated, std::int64_t(0));
    QCOMPARE(merge(ba, ab).updated, std::int64_t(0));
  }

  void forgottenRecordsOfLogsAreForgottenInBoth() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb"), b = folder.file("b.nwdb");
    const std::string older = folder.file("older.nwdb");
    const RowId record = samples::kFullTrials + 2;
    samples::writeFull(a);
    std::filesystem::copy_file(a, b);
    std::filesystem::copy_file(a, older);
    {
      RecordStore store = RecordStore::open(a);
      mark(store, record, true, 1'800'000'000'000'000);
    }
    QCOMPARE(merge(b, a).updated, std::int64_t(1));
    QCOMPARE(merge(a, older).updated, std::int64_t(0));
    for (const std::string& file : {a, b}) {
      const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
      QVERIFY(store.records().one(record)->forgotten);
      QCOMPARE(store.check(), std::vector<std::string>());
    }
  }

  /// Stopped after its first part, and after none: the same merge again completes it.
  void stoppedItGoesOn() {
    const samples::Folder folder;
    const std::string big = folder.file("big.nwdb"), a = folder.file("a.nwdb");
    writeFile(big, {.trials = 25'000});
    std::atomic<bool> stop{true};
    QVERIFY(mergeFile(a, big, stop).cancelled);
    QCOMPARE(RecordStore::open(a).check(), std::vector<std::string>());
    stop = false;
    const MergeReport part = mergeFile(a, big, stop, [&](const MergeProgress& progress) {
      QCOMPARE(progress.records, std::int64_t(25'000));
      stop = true;
    });
    QVERIFY(part.cancelled);
    QVERIFY(part.records > 0 && part.records < 25'000);
    QCOMPARE(RecordStore::open(a).check(), std::vector<std::string>());
    const MergeReport rest = merge(a, big);
    QCOMPARE(rest.known, part.records);
    QCOMPARE(rest.records, 25'000 - part.records);
    QCOMPARE(difference(a, big), QString());
    QCOMPARE(RecordStore::open(a).check(), std::vector<std::string>());
  }

  /// Equal hash, other text (C27): nothing is taken over.
  void aTaskWithAStrangeDefinitionIsRefused() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb"), b = folder.file("b.nwdb");
    writeFile(a, {});
    {
      RecordStore store = RecordStore::open(b, OpenMode::Create);
      const RowId target = store.targets().add({0, "cpu-other", "llvm", "{}"});
      store.tasks().add(
          {0, 0, target, 0, "other[1]#0000000000000001", "other", "another dag", 1, 1});
    }
    const auto before = tablesOf(a);
    QVERIFY_THROWS_EXCEPTION(InputError, merge(a, b));
    QCOMPARE(tablesOf(a), before);
    QVERIFY_THROWS_EXCEPTION(InputError, merge(a, a));
    QVERIFY_THROWS_EXCEPTION(InputError, merge(a, folder.file("none.nwdb")));
  }

  void aFileOfTheFirstVersionIsTaken() {
    const samples::Folder folder;
    const std::string a = folder.file("a.nwdb");
    const std::string first = folder.file("first.nwdb");
    overwrite(first, contents(NESTWRIGHT_TEST_DATA "/schema_version1.nwdb"));
    const MergeReport report = merge(a, first);
    QVERIFY(report.records > 0);
    QCOMPARE(RecordStore::open(a).check(), std::vector<std::string>());
    QCOMPARE(difference(a, first), QString());
  }
};

NW_TEST_GUILESS(RecordMergeTest)

} // namespace nestwright::record_merge_test

#include "record_merge.moc"
