/// The care of record files: checking finds what is wrong, compacting and splitting lose nothing.

#include "core/record/care/compact_file.h"
#include "core/record/care/file_statistics.h"
#include "core/record/care/merge_files.h"
#include "core/record/care/rebuild_sums.h"
#include "core/record/care/split_file.h"
#include "core/record/file/schema.h"
#include "core/record/format/imported_block.h"
#include "core/record/format/record_json.h"
#include "core/record/query/record_survey.h"
#include "core/record/sql/file_trouble.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/notes.h"
#include "core/record/store/trial_rows.h"
#include "core/support/draft_file.h"
#include "tests/record/file_bytes.h"
#include "tests/record/full_file.h"
#include "tests/record/problems.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <QFile>
#include <QProcess>
#include <QtTest>

#include <filesystem>
#include <map>
#include <set>
#include <thread>

namespace nestwright::record_care_test {

const std::atomic<bool> kGoOn{false};

void execute(const std::string& path, const std::string& sql) {
  sqlite::Database(path, sqlite::Access::ReadWrite).execute(sql);
}

std::string problemsOf(const std::string& path) {
  return fmt::format("{}", fmt::join(RecordStore::open(path, OpenMode::ReadOnly).check(), "\n"));
}

/// The records of the file as JSON without their ids, by session title and trial.
std::map<std::string, std::string> recordsOf(const std::string& path) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  std::map<std::string, std::string> records;
  RecordQuery query;
  query.forgotten = RecordQuery::Forgotten::With;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 10'000;
  for (const Record& record : store.records().page(query)) {
    nlohmann::json json = toJson(record);
    // "best" is of the file: without the others, another one may be it.
    for (const char* key : {"id", "task", "session", "original", "best"})
      json.erase(key);
    records[fmt::format("{} {}", store.sessions().one(record.session)->title, record.trial)] =
        fmt::format("{} {} {}", store.tasks().one(record.task)->key, json.dump(),
                    toJson(record.steps).dump());
  }
  return records;
}

std::vector<std::string> rows(const std::string& path, const std::string& sql) {
  sqlite::Database db(path, sqlite::Access::ReadWrite);
  std::vector<std::string> texts;
  sqlite::Statement statement = db.prepare(sql);
  while (statement.step())
    texts.push_back(statement.text(0));
  return texts;
}

/// The log of samples::importLog() has grown by two records and is imported with its folder, whose
/// session they are in; the log itself stays with its own.
void importGrown(const std::string& path) {
  ImportWriter writer(path);
  SessionRow row;
  row.title = "Import of /logs";
  row.config = R"({"import":["/logs"]})";
  row.createdAt = row.updatedAt = 1'700'000'000'000'900;
  row.status = SessionStatus::Finished;
  row.product = "0.1";
  writer.useSession(row);
  ImportSource source =
      *writer.findSource("/logs/old.json", [](std::int64_t) { return std::uint64_t(77); });
  writer.transaction([&] {
    const ImportedTask task{"[\"matmul\", 16]", "llvm", {}, "", R"({"version":"v0.6"})"};
    const RowId id = writer.task(task, [] { return TaskKnowledge{}; });
    for (int n = 0; n < 2; ++n)
      writer.add(samples::importedRecord(samples::kFullImported + n), id, task, source);
    source.lines += 2, source.records += 2;
    source.offset = source.fileBytes = 1500;
    writer.save(source, {});
  });
}

class RecordCare : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void checkFindsWhatIsWrong_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, const char* sql, const char* words) {
      QTest::newRow(name) << QString::fromUtf8(sql) << QString::fromUtf8(words);
    };
    add("tally", "UPDATE tally SET records = records + 1 WHERE session = 1 AND task = 1",
        "the tally says");
    add("no tally", "DELETE FROM tally WHERE session = 1 AND task = 1", "the tally lacks");
    add("summary", "UPDATE task_summary SET errors = 7 WHERE task = 2", "the summary says");
    add("best", "UPDATE task_summary SET best_record = 1, best_seconds = 1e-9 WHERE task = 1",
        "is best with");
    add("mark of a best", "UPDATE record SET flags = flags & ~4 WHERE id = 1",
        "not marked as a best");
    add("time", "UPDATE record SET seconds = 5 WHERE id = 2", "its repeats say");
    add("shape", "DELETE FROM shape WHERE id = 1", "names a row of shape that is not there");
    add("block", "DELETE FROM record_block", "the block that holds it is missing");
    add("bytes of a block", "UPDATE record_block SET bytes = x'0102'", "restore a backup");
    add("records of a block", "UPDATE record_block SET records = records - 1", "the block");
    add("lines of a log", "UPDATE import_source SET broken = 5", "accounts for");
    add("steps", "UPDATE record SET step_values = x'ff' WHERE id = 3", "record 3");
    add("event", "UPDATE event SET json = '{' WHERE id = 2", "event 2 cannot be read");
    add("state", "UPDATE session SET scheduler_state = '[' WHERE id = 1",
        "the state of session 1 cannot be read");
    add("choice", "UPDATE network_choice_task SET record = 2", "which is no program of it");
  }

  void checkFindsWhatIsWrong() {
    QFETCH(QString, sql);
    QFETCH(QString, words);
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    QCOMPARE(problemsOf(path), std::string());
    execute(path, "PRAGMA foreign_keys = OFF; " + sql.toStdString());
    const std::string problems = problemsOf(path);
    QVERIFY2(problems.find(words.toStdString()) != std::string::npos, problems.c_str());
    QVERIFY(problems.find("; ") != std::string::npos); // and what to do
  }

  /// Whoever reads a block that holds fewer records than it says is told of the damage.
  void aBlockThatHoldsLessIsTold() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), into = folder.file("into.nwdb");
    samples::writeFull(path);
    {
      sqlite::Database db(path, sqlite::Access::ReadWrite);
      ImportedBlock block = decodeBlock([&] {
        sqlite::Statement stored = db.prepare("SELECT bytes FROM record_block");
        stored.step();
        return stored.text(0);
      }());
      block.items.pop_back();
      db.prepare("UPDATE record_block SET bytes = ?").bindBlob(1, encodeBlock(block)).run();
    }
    const RowId last = samples::kFullTrials + samples::kFullImported;
    const auto isTold = [](const std::function<void()>& body) {
      return contains(refusalOf<InputError>(body), "the block that holds it is incomplete");
    };
    QVERIFY(isTold([&] { RecordStore::open(path, OpenMode::ReadOnly).records().one(last); }));
    QVERIFY(isTold([&] { samples::importLog(path); }));
    QVERIFY(isTold([&] { mergeFile(into, path, kGoOn); }));
    QVERIFY(isTold([&] { RecordSurvey(path).twins(last); }));
  }

  void sumsAreMadeAnew() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    const auto before = rows(path, "SELECT quote(task) || trials || ' ' || errors || ' ' || "
                                   "ifnull(best_record, '') || ' ' || kernel_seconds "
                                   "FROM task_summary ORDER BY task");
    execute(path, "DELETE FROM tally; UPDATE task_summary SET trials = 9, errors = 9, "
                  "best_record = NULL, best_seconds = NULL; UPDATE record SET flags = flags | 4 "
                  "WHERE verdict <> 0; UPDATE record SET flags = flags & ~4 WHERE verdict = 0");
    QVERIFY(!problemsOf(path).empty());
    CompactOptions options;
    options.rebuildSums = true;
    compactFile(path, options);
    QCOMPARE(problemsOf(path), std::string());
    QCOMPARE(rows(path, "SELECT quote(task) || trials || ' ' || errors || ' ' || "
                        "ifnull(best_record, '') || ' ' || kernel_seconds FROM task_summary "
                        "ORDER BY task"),
             before);
  }

  void compactingKeepsEverything() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), link = folder.file("link.nwdb");
    samples::writeFull(path);
    execute(path, "CREATE TABLE ballast (x); INSERT INTO ballast SELECT randomblob(200000); "
                  "INSERT INTO ballast SELECT x FROM ballast; DROP TABLE ballast");
    std::filesystem::create_symlink(path, link);
    std::filesystem::permissions(path, std::filesystem::perms(0640));
    const auto before = recordsOf(path);
    std::vector<double> progress;
    const CompactReport report = compactFile(link, {}, [&](double done) {
      progress.push_back(done);
      return true;
    });
    QVERIFY(report.bytesBefore > report.bytesAfter + 300'000);
    QCOMPARE(report.bytesAfter, std::int64_t(std::filesystem::file_size(path)));
    QVERIFY(std::filesystem::is_symlink(link));
    QCOMPARE(int(std::filesystem::status(path).permissions()), 0640);
    QCOMPARE(recordsOf(path), before);
    QCOMPARE(problemsOf(path), std::string());
    QCOMPARE(int(contents(path).at(19)), 2); // the log is back
    QCOMPARE(kept(path, "window/state"), std::optional<std::string>("docks"));
    RecordStore store = RecordStore::open(path);
    QVERIFY(store.tags().set("after", {1}, true).size() == 1);
    // Nothing else was left behind.
    QCOMPARE(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 4L);
  }

  /// What killed programs left goes, whoever has their number now; what somebody writes stays.
  void draftsOfKilledProgramsAreRemoved() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    const std::string left = path + ".compact-4194305"; // no process has this number
    for (const char* companion : {"", "-journal", "-wal"})
      overwrite(left + companion, "half a file");
    overwrite(path + ".compact-1", "half a file");
    for (const char* other : {"a.nwdb.compact-12x", "a.nwdb.compact-", "b.nwdb.compact-12"})
      overwrite(folder.file(other), "something else");
    const DraftFile copy(path, "part");
    {
      const DraftFile running(path, "compact");
      std::thread([&] { compactFile(path); }).join();
      QVERIFY(std::filesystem::exists(running.path()));
    }
    for (const char* companion : {"", "-journal", "-wal"})
      QVERIFY(!std::filesystem::exists(left + companion));
    QVERIFY(!std::filesystem::exists(path + ".compact-1"));
    for (const char* other : {"a.nwdb.compact-12x", "a.nwdb.compact-", "b.nwdb.compact-12"})
      QVERIFY(std::filesystem::exists(folder.file(other)));
    QVERIFY(std::filesystem::exists(copy.path()));
    QCOMPARE(problemsOf(path), std::string());
  }

  void compactingWithoutALog() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    execute(path, "CREATE TABLE ballast (x); INSERT INTO ballast SELECT randomblob(200000); "
                  "DROP TABLE ballast");
    const auto before = recordsOf(path);
    qputenv("NESTWRIGHT_JOURNAL", "rollback"); // as on a network file system
    const CompactReport report = compactFile(path);
    qunsetenv("NESTWRIGHT_JOURNAL");
    QVERIFY(report.bytesBefore > report.bytesAfter + 150'000);
    QCOMPARE(recordsOf(path), before);
    QCOMPARE(problemsOf(path), std::string());
  }

  void compactingIsRefusedWhileOthersHaveTheFile() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    QProcess writer;
    writer.start(RECORD_HELPER, {"write", QString::fromStdString(path), "1"});
    QVERIFY(writer.waitForReadyRead());
    try {
      compactFile(path);
      QFAIL("it was compacted beside a writer");
    } catch (const FileTrouble& trouble) {
      const std::string text = trouble.what();
      QVERIFY2(text.find(fmt::format("open in process {}", writer.processId())) !=
                   std::string::npos,
               text.c_str());
    }
    writer.kill();
    writer.waitForFinished();
    const auto before = recordsOf(path);
    {
      const RecordStore reader = RecordStore::open(path, OpenMode::ReadOnly);
      QVERIFY_THROWS_EXCEPTION(FileTrouble, compactFile(path));           // a window of our own
      QCOMPARE(std::size_t(reader.records().total()), before.size() - 1); // one is forgotten
    }
    compactFile(path);
    QCOMPARE(recordsOf(path), before);
  }

  void stoppedCompactingChangesNothing() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    execute(path, "INSERT INTO kept SELECT 'ballast', zeroblob(30000000)");
    execute(path, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                  "60000) INSERT INTO tag (name) SELECT 'tag ' || i FROM n");
    const auto before = recordsOf(path);
    const CompactReport report = compactFile(path, {}, [](double) { return false; });
    QVERIFY(report.cancelled);
    QCOMPARE(recordsOf(path), before);
    QCOMPARE(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1L);
  }

  /// Whoever opens the file while it is replaced gets the new one, or the old one does not go.
  void openingWhileCompactingLosesNothing() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    std::atomic<bool> stop{false};
    std::atomic<int> compacted{0};
    std::thread other([&] {
      while (!stop) {
        try {
          compactFile(path);
          ++compacted;
        } catch (const FileTrouble&) {
          // It was open.
        }
      }
    });
    std::int64_t trial = samples::kFullTrials;
    std::string problem;
    try {
      for (int i = 0; i < 40 || (compacted < 3 && i < 2000); ++i) {
        {
          RecordStore store = RecordStore::open(path);
          store.records().add(samples::record({0, 0, 1, {1}}, ++trial, 1.0));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(i % 10));
      }
    } catch (const std::exception& error) {
      problem = error.what();
    }
    stop = true;
    other.join();
    QVERIFY2(problem.empty(), problem.c_str());
    qInfo("%d times", compacted.load());
    QVERIFY(compacted > 0);
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.trials().last(1).first, trial);
    QCOMPARE(problemsOf(path), std::string());
  }

  void splitting_data() {
    QTest::addColumn<int>("by");
    QTest::addColumn<int>("parts");
    QTest::newRow("tasks") << int(SplitBy::Task) << 5;
    QTest::newRow("sessions") << int(SplitBy::Session) << 2;
    QTest::newRow("targets") << int(SplitBy::Target) << 2;
    QTest::newRow("networks") << int(SplitBy::Network) << 2;
  }

  /// The parts together are the whole, each is sound, and merged they are the file again.
  void splitting() {
    QFETCH(int, by);
    QFETCH(int, parts);
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), merged = folder.file("merged.nwdb");
    samples::writeFull(path);
    const QByteArray before = contents(path);
    const std::vector<SplitPart> all =
        splitParts(RecordStore::open(path, OpenMode::ReadOnly), SplitBy(by));
    QCOMPARE(int(all.size()), parts);
    std::map<std::string, std::string> together;
    for (const SplitPart& part : all) {
      const std::string file = folder.file((part.suffix + ".nwdb").c_str());
      const MergeReport report = extractPart(path, file, part, kGoOn);
      QCOMPARE(problemsOf(file), std::string());
      const auto records = recordsOf(file);
      QCOMPARE(std::size_t(report.records), records.size());
      for (const auto& [key, record] : records)
        QVERIFY(together.emplace(key, record).second);
      mergeFile(merged, file, kGoOn);
    }
    QCOMPARE(together, recordsOf(path));
    QCOMPARE(recordsOf(merged), recordsOf(path));
    QCOMPARE(problemsOf(merged), std::string());
    QCOMPARE(contents(path), before);
  }

  /// Each network's part has all records of its tasks, whichever network was there first.
  void sharedTasksAreInThePartOfEachNetwork() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), part = folder.file("part.nwdb");
    samples::writeFull(path);
    {
      RecordStore store = RecordStore::open(path);
      TaskRow shared = *store.tasks().one(1);
      shared.network = store.networks().add({0, "resnet50", "resnet50"});
      QCOMPARE(store.tasks().add(shared), RowId(1));
      TaskRow alone = *store.tasks().one(2);
      alone.network = 0;
      QCOMPARE(store.tasks().add(alone), RowId(2));
    }
    const auto parts = splitParts(RecordStore::open(path, OpenMode::ReadOnly), SplitBy::Network);
    const auto tasksOf = [](const SplitPart& of) {
      std::set<RowId> tasks;
      for (const RecordQuery& query : of.queries)
        tasks.insert(query.task);
      return tasks;
    };
    QCOMPARE(parts.size(), std::size_t(3));
    QCOMPARE(parts[0].suffix, std::string("operators"));
    QVERIFY((tasksOf(parts[0]) == std::set<RowId>{2, 4, 5})); // and those of the log
    QVERIFY((tasksOf(parts[1]) == std::set<RowId>{1, 2, 3}));
    QCOMPARE(parts[2].description, std::string("resnet50"));
    QVERIFY((tasksOf(parts[2]) == std::set<RowId>{1}));
    const RecordQuery ofTheTask = parts[2].queries.front();
    QCOMPARE(extractPart(path, part, parts[2], kGoOn).records,
             RecordStore::open(path, OpenMode::ReadOnly).records().count(ofTheTask));
    QCOMPARE(problemsOf(part), std::string());
  }

  void wholeSessionsBringTheirLog() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), part = folder.file("part.nwdb");
    samples::writeFull(path);
    const auto parts = splitParts(RecordStore::open(path, OpenMode::ReadOnly), SplitBy::Session);
    extractPart(path, part, parts[0], kGoOn);
    const RecordStore whole = RecordStore::open(path, OpenMode::ReadOnly);
    const RecordStore store = RecordStore::open(part, OpenMode::ReadOnly);
    QCOMPARE(store.sessions().all().size(), std::size_t(1));
    QCOMPARE(store.events().of(1).size(), std::size_t(samples::kFullTrials));
    QCOMPARE(store.models().of(1, "trees"), whole.models().of(1, "trees"));
    QCOMPARE(store.marks().of(1).size(), std::size_t(1));
    QCOMPARE(store.evolutions().rounds(1).size(), std::size_t(1));
    QCOMPARE(store.recombinations().all().size(), std::size_t(1));
    QCOMPARE(store.recombinations().samples(1).size(), std::size_t(1));
    QVERIFY(store.choices().of(1, 1));
    QCOMPARE(store.tags().all().size(), std::size_t(1));
    QCOMPARE(store.sessions().networks(1).size(), std::size_t(2));
    QCOMPARE(store.trials().bestHistory(1).size(), whole.trials().bestHistory(1).size());
    QVERIFY(rows(part, "SELECT path FROM import_source").empty());
  }

  void partsOfSessionsAreFinishedAndTheirLogsReadAgain() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), part = folder.file("part.nwdb");
    samples::writeFull(path);
    SplitPart fast{"fast", "", {{}}};
    fast.queries[0].filter = parseRecordFilter("latency<0.5ms");
    extractPart(path, part, fast, kGoOn);
    QCOMPARE(problemsOf(part), std::string());
    const RecordStore store = RecordStore::open(part, OpenMode::ReadOnly);
    RecordQuery slow;
    slow.filter = parseRecordFilter("latency>=0.5ms");
    QCOMPARE(store.records().count(slow), std::int64_t(0));
    QCOMPARE(store.records().total(),
             RecordStore::open(path, OpenMode::ReadOnly).records().count(fast.queries[0]));
    QVERIFY(store.records().total() > 5);
    QCOMPARE(store.sessions().all().size(), std::size_t(2));
    for (const SessionRow& session : store.sessions().all())
      QCOMPARE(int(session.status), int(SessionStatus::Finished));
    QVERIFY(store.events().of(1).empty());
    QCOMPARE(rows(part, "SELECT finished || ' ' || offset FROM import_source"),
             std::vector<std::string>{"0 0"});
    // The rest of the log: what is there is known, what is missing comes.
    samples::importLog(part);
    QCOMPARE(RecordStore::open(part, OpenMode::ReadOnly).sessions().summary(2).trials,
             std::int64_t(samples::kFullImported));
    QCOMPARE(problemsOf(part), std::string());
  }

  /// Of a log whose records are in two sessions each part has the log, to be read for the rest.
  void logsOfSeveralSessionsAreSplit() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), merged = folder.file("merged.nwdb");
    samples::writeFull(path);
    importGrown(path);
    QCOMPARE(problemsOf(path), std::string());
    const auto parts = splitParts(RecordStore::open(path, OpenMode::ReadOnly), SplitBy::Session);
    QCOMPARE(parts.size(), std::size_t(3));
    const int records[] = {samples::kFullTrials, samples::kFullImported, 2};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string part = folder.file((parts[i].suffix + ".nwdb").c_str());
      QCOMPARE(extractPart(path, part, parts[i], kGoOn).records, std::int64_t(records[i]));
      QCOMPARE(problemsOf(part), std::string());
      const std::vector<std::string> log{"/logs/old.json 1 0 0"};
      QCOMPARE(rows(part, "SELECT path || ' ' || session || ' ' || finished || ' ' || offset FROM "
                          "import_source"),
               i == 0 ? std::vector<std::string>() : log);
      QVERIFY(rows(part, "SELECT reason FROM import_problem").empty());
      mergeFile(merged, part, kGoOn);
    }
    QCOMPARE(recordsOf(merged), recordsOf(path));
    QCOMPARE(problemsOf(merged), std::string());
  }

  /// Programs of imported records are not stored, and are found all the same.
  void aPartIsChosenByProgram() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), part = folder.file("part.nwdb");
    samples::writeFull(path);
    const std::string program = RecordStore::open(path, OpenMode::ReadOnly)
                                    .records()
                                    .one(samples::kFullTrials + 2)
                                    ->program;
    SplitPart one{"one", "", {{}}};
    one.queries[0].filter = parseRecordFilter("program:" + program);
    QCOMPARE(extractPart(path, part, one, kGoOn).records, std::int64_t(1));
    QCOMPARE(RecordStore::open(part, OpenMode::ReadOnly).records().one(1)->program, program);
    QCOMPARE(problemsOf(part), std::string());
  }

  void notesComeAlong() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), merged = folder.file("merged.nwdb");
    samples::writeFull(path);
    keepNote(path, {NoteAbout::Session, 1}, {"second\nfirst", true, 0});
    keepNote(path, {NoteAbout::Task, 3}, {"of the third", false, 0});
    keepNote(path, {NoteAbout::Record, 6}, {"good", false, 3});
    const auto parts = splitParts(RecordStore::open(path, OpenMode::ReadOnly), SplitBy::Task);
    const std::string first = folder.file("1.nwdb"), third = folder.file("3.nwdb");
    extractPart(path, first, parts[0], kGoOn);
    extractPart(path, third, parts[2], kGoOn);
    QCOMPARE(readNotes(first).size(), std::size_t(1)); // on the session
    const Notes notes = readNotes(third);
    QCOMPARE(notes.size(), std::size_t(3));
    QCOMPARE(notes.at({NoteAbout::Task, 1}).text, std::string("of the third"));
    const auto record = std::find_if(notes.begin(), notes.end(), [](const auto& note) {
      return note.first.about == NoteAbout::Record;
    });
    QCOMPARE(record->second.task, RowId(1));
    QCOMPARE(RecordStore::open(third, OpenMode::ReadOnly).records().one(record->first.id)->trial,
             std::int64_t(6));
    keepNote(first, {NoteAbout::Session, 1}, {"other\nfirst", false, 0});
    for (const std::string& file : {first, third, first})
      mergeFile(merged, file, kGoOn);
    QVERIFY(
        (readNotes(merged).at({NoteAbout::Session, 1}) == Note{"first\nother\nsecond", true, 0}));
  }

  void splittingReplacesNothing() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    const auto parts = splitParts(RecordStore::open(path, OpenMode::ReadOnly), SplitBy::Task);
    QVERIFY_THROWS_EXCEPTION(InputError, extractPart(path, path, parts[0], kGoOn));
    const std::atomic<bool> stop{true};
    const std::string part = folder.file("part.nwdb");
    QVERIFY(extractPart(path, part, parts[0], stop).cancelled);
    QCOMPARE(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1L);
  }

  void statisticsAddUp() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    samples::writeFull(path);
    const FileStatistics statistics = fileStatistics(path);
    QCOMPARE(statistics.version, schemaVersion());
    QCOMPARE(statistics.records, std::int64_t(samples::kFullTrials + samples::kFullImported));
    QCOMPARE(statistics.forgotten, std::int64_t(1));
    QCOMPARE(statistics.fileBytes, std::int64_t(std::filesystem::file_size(path)));
    QCOMPARE(statistics.events, std::int64_t(samples::kFullTrials));
    QVERIFY(statistics.blocks >= 1);
    const auto sum = [](const std::vector<CountedRecords>& counts) {
      std::int64_t records = 0;
      for (const CountedRecords& count : counts)
        records += count.records;
      return records;
    };
    QCOMPARE(sum(statistics.sessions), statistics.records);
    QCOMPARE(sum(statistics.tasks), statistics.records);
    QCOMPARE(sum(statistics.targets), statistics.records);
    std::int64_t verdicts = 0, bytes = statistics.freeBytes;
    for (const VerdictCount& count : statistics.verdicts)
      verdicts += count.records;
    QCOMPARE(verdicts + statistics.forgotten, statistics.records);
    if (statistics.parts.empty()) QSKIP("SQLite was built without its table of pages");
    for (const StoredPart& part : statistics.parts)
      bytes += part.bytes;
    QCOMPARE(bytes, statistics.fileBytes);
    QVERIFY(fileStatistics(path, false).parts.empty());
    QVERIFY_THROWS_EXCEPTION(InputError, fileStatistics(folder.file("none.nwdb")));
  }
};

NW_TEST_GUILESS(RecordCare)

} // namespace nestwright::record_care_test

#include "record_care.moc"
