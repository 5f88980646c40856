#include "core/logs/byte_source.h"
#include "core/logs/export_log.h"
#include "core/logs/import_log.h"
#include "core/record/format/public_record.h"
#include "core/record/format/record_knobs.h"
#include "core/record/format/record_program.h"
#include "core/record/intake/import_report.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/schedule/state.h"
#include "core/support/error.h"
#include "core/template/template.h"
#include "core/tensor/text.h"
#include "tests/bench/tenset_lines.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <QtTest>

#include <filesystem>
#include <fstream>

namespace nestwright::log_import_test {

const std::string kData = NESTWRIGHT_TEST_DATA "/logs/";

ImportReport import(const std::string& database, const std::vector<std::string>& inputs) {
  LogImportOptions options;
  options.database = database;
  options.inputs = inputs;
  options.matchZoo = false;
  return importLogs(options, std::atomic<bool>{false});
}

std::string readAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string unpacked(const std::string& path) {
  const std::unique_ptr<ByteSource> source = openBytes(path);
  std::string text, piece(1 << 16, '\0');
  while (const std::size_t read = source->read(piece.data(), piece.size()))
    text.append(piece, 0, read);
  return text;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The records of the file in canonical form, in the order of their ids.
std::string exported(const std::string& database, const std::string& path) {
  const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
  ExportOptions options;
  options.output = path;
  options.query.order = RecordQuery::Order::Oldest;
  exportLog(store, options, std::atomic<bool>{false});
  return readAll(path);
}

std::string problemsOf(const std::string& database) {
  return fmt::format("{}", RecordStore::open(database, OpenMode::ReadOnly).check());
}

std::string withoutComments(const std::string& text) {
  std::string rest;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') rest += line + "\n";
  return rest;
}

/// Each line of every log is counted in exactly one way.
void checkSums(const ImportReport& report) {
  std::int64_t lines = 0;
  for (const ImportSource& source : report.sources) {
    QCOMPARE(source.lines, source.records + source.duplicates + source.comments + source.broken);
    lines += source.lines;
  }
  QVERIFY(lines >= report.lines);
}

class LogImport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyLineOfTheSamplesIsAccountedFor() {
    const samples::Folder folder;
    const ImportReport report = import(folder.file("a.nwdb"), {kData});
    checkSums(report);
    QCOMPARE(report.broken, std::int64_t(0));
    QCOMPARE(report.others.size(), std::size_t(0));
    // The packed copies of a file hold nothing new.
    QCOMPARE(report.duplicates, std::int64_t(3));
    QCOMPARE(report.records, std::int64_t(20 + 20 + 20 + 1 + 1 + 26 + 35 + 40));
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), report.records);
    QCOMPARE(fmt::format("{}", store.check()), std::string("[]"));
  }

  /// All logs of the folder that NESTWRIGHT_TEST_LOGS names, if it is set.
  void everyLineOfLargerFilesIsAccountedFor() {
    const std::string path = qEnvironmentVariable("NESTWRIGHT_TEST_LOGS").toStdString();
    if (path.empty()) QSKIP("NESTWRIGHT_TEST_LOGS names no folder with further logs");
    const samples::Folder folder;
    const ImportReport report = import(folder.file("a.nwdb"), {path});
    checkSums(report);
    QCOMPARE(report.broken, std::int64_t(0));
    QVERIFY(report.records > 7000);
    QCOMPARE(problemsOf(folder.file("a.nwdb")), std::string("[]"));
  }

  /// A session without records would look like a loss.
  void whatIsKnownMakesNoSession() {
    const samples::Folder folder;
    const std::string database = folder.file("a.nwdb");
    const RowId first = import(database, {kData}).session;
    const ImportReport again = import(database, {kData + "matmul_512.records.json"});
    QCOMPARE(again.before, std::size_t(1));
    QCOMPARE(again.session, RowId(0));
    write(folder.file("copy.json"), readAll(kData + "matmul_512.records.json"));
    const ImportReport copy = import(database, {folder.file("copy.json")});
    QCOMPARE(copy.duplicates, std::int64_t(20));
    QCOMPARE(copy.session, RowId(0));
    const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
    QCOMPARE(store.sessions().all().size(), std::size_t(1));
    QCOMPARE(store.sessions().all()[0].id, first);
    QCOMPARE(import(database, {kData}).session, first); // the same logs have their session
    // Known again all the same, and sound.
    QCOMPARE(import(database, {folder.file("copy.json")}).before, std::size_t(1));
    QCOMPARE(problemsOf(database), std::string("[]"));
  }

  /// Of lines that are no records the file keeps the reasons, and the log gets its session once
  /// there is a record.
  void aLogGetsItsSessionWithItsFirstRecord() {
    const samples::Folder folder;
    const std::string database = folder.file("a.nwdb"), log = folder.file("a.json");
    const std::string record = readAll(kData + "matmul_512.records.json");
    const std::string text = record.substr(0, record.find('\n') + 1) + "nonsense\n";
    write(log, text);
    write(folder.file("b.json"), text + record);
    QCOMPARE(import(folder.file("b.nwdb"), {folder.file("b.json")}).records, std::int64_t(20));
    import(folder.file("b.nwdb"), {log});
    QCOMPARE(importSources(folder.file("b.nwdb")).at(1).session, RowId(0));
    QCOMPARE(importProblems(folder.file("b.nwdb")).size(), std::size_t(2));
    std::string more = record;
    const std::string key = "[\\\"matmul\\\"";
    for (std::size_t at; (at = more.find(key)) != std::string::npos;)
      more.replace(at, key.size(), "[\\\"mine\\\"");
    write(log, text + more);
    const ImportReport report = import(folder.file("b.nwdb"), {log});
    QCOMPARE(report.records, std::int64_t(20));
    QCOMPARE(importSources(folder.file("b.nwdb")).at(1).session, report.session);
    QCOMPARE(RecordStore::open(folder.file("b.nwdb"), OpenMode::ReadOnly)
                 .sessions()
                 .tasks(report.session)
                 .size(),
             std::size_t(1));
    QCOMPARE(problemsOf(folder.file("b.nwdb")), std::string("[]"));
    write(folder.file("none.json"), "nonsense\n");
    import(database, {folder.file("none.json")});
    QVERIFY(RecordStore::open(database, OpenMode::ReadOnly).sessions().all().empty());
    QCOMPARE(importSources(database).size(), std::size_t(1));
  }

  /// The definition of a task may come after its records.
  void definitionsAreTakenLater() {
    const samples::Folder folder;
    std::string text = readAll(kData + "matmul_512.records.json");
    const std::string key = "[\\\"matmul\\\"";
    QVERIFY(text.find(key) != std::string::npos);
    for (std::size_t at; (at = text.find(key)) != std::string::npos;)
      text.replace(at, key.size(), "[\\\"mine\\\"");
    LogImportOptions options;
    options.database = folder.file("a.nwdb");
    options.inputs = {folder.file("mine.json")};
    options.matchZoo = false;
    write(options.inputs[0], text);
    QCOMPARE(importLogs(options, std::atomic<bool>{false}).knownTasks, std::size_t(0));
    options.dags = {folder.file("other.dag")};
    write(options.dags[0], "A = PLACEHOLDER [6, 5]\nB(i) += A[i, k]\n");
    const ImportReport misfit = importLogs(options, std::atomic<bool>{false});
    QCOMPARE(misfit.learned, std::size_t(0));
    QCOMPARE(misfit.undefined, std::size_t(1));
    QVERIFY(misfit.problems.at(0).problem.reason.find("fits no task") != std::string::npos);
    options.dags = {folder.file("mine.dag")};
    write(options.dags[0], "A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
                           "C(i, j) += (A[i, k]*B[k, j])\n");
    const ImportReport report = importLogs(options, std::atomic<bool>{false});
    QCOMPARE(report.records, std::int64_t(0));
    QCOMPARE(report.learned, std::size_t(1));
    QCOMPARE(report.undefined, std::size_t(0));
    const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
    QCOMPARE(store.tasks().all().size(), std::size_t(1));
    QCOMPARE(store.tasks().all()[0].name, std::string("mine"));
    QCOMPARE(store.tasks().all()[0].flops, 2.0 * 512 * 512 * 512);
    // There is nothing left to tell it.
    QVERIFY(importLogs(options, std::atomic<bool>{false}).problems.empty());
  }

  /// Also with one log of an import of many, whose other tasks have theirs.
  void definitionsAreTakenLaterWithAnyLog() {
    const samples::Folder folder;
    LogImportOptions options;
    options.database = folder.file("a.nwdb");
    options.matchZoo = false;
    for (const char* name : {"mine", "yours"}) {
      std::string text = readAll(kData + "matmul_512.records.json");
      const std::string key = "[\\\"matmul\\\"";
      for (std::size_t at; (at = text.find(key)) != std::string::npos;)
        text.replace(at, key.size(), fmt::format("[\\\"{}\\\"", name));
      options.inputs.push_back(folder.file(fmt::format("{}.json", name).c_str()));
      write(options.inputs.back(), text);
    }
    options.inputs.push_back(kData + "matmul_512.records.json");
    const RowId session = importLogs(options, std::atomic<bool>{false}).session;
    options.inputs = {folder.file("mine.json")};
    options.dags = {folder.file("mine.dag")};
    write(options.dags[0], "A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
                           "C(i, j) += (A[i, k]*B[k, j])\n");
    const ImportReport report = importLogs(options, std::atomic<bool>{false});
    QCOMPARE(report.learned, std::size_t(2)); // both are of this text
    QCOMPARE(report.tasks, std::size_t(0));
    const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
    QCOMPARE(store.sessions().all().size(), std::size_t(1));
    QCOMPARE(store.sessions().all()[0].id, session);
    for (const TaskRow& task : store.tasks().all())
      QVERIFY(!task.dag.empty());
  }

  void aSelectionIsExportedWithItsOrigin() {
    const samples::Folder folder;
    import(folder.file("a.nwdb"), {kData + "matmul_512.records.json"});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    ExportOptions options;
    options.output = folder.file("some");
    options.records = {3, 5, 99};
    options.head = {"Selected records", "of this document"};
    const auto linesOf = [&](ExportFormat format) {
      options.format = format;
      exportLog(store, options, std::atomic<bool>{false});
      std::istringstream text(readAll(options.output));
      std::vector<std::string> lines;
      for (std::string line; std::getline(text, line);)
        lines.push_back(line);
      return lines;
    };
    const std::vector<std::string> table = linesOf(ExportFormat::Csv);
    QCOMPARE(table.size(), std::size_t(2 + 1 + 2));
    QCOMPARE(table[1], std::string("# of this document"));
    QVERIFY(table[2].starts_with("record,session,"));
    QVERIFY(table[3].starts_with("3,") && table[4].starts_with("5,"));
    const std::vector<std::string> log = linesOf(ExportFormat::Tvm);
    QCOMPARE(log.size(), std::size_t(2));
    QVERIFY(log[0].starts_with("{\"i\": "));
  }

  void exportGivesTheLinesBack_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"matmul_512.records.json", "bmm_12_128_128_64.records.json",
          "conv_56_64_64_3.records.json", "tophub-llvm-v0.04.log", "autotvm-bert.log.gz"})
      QTest::newRow(name) << name;
  }

  void exportGivesTheLinesBack() {
    QFETCH(QString, name);
    const samples::Folder folder;
    const std::string path = kData + name.toStdString();
    import(folder.file("a.nwdb"), {path});
    QCOMPARE(exported(folder.file("a.nwdb"), folder.file("a.json")),
             withoutComments(unpacked(path)));
  }

  void exportAndImportGiveTheSameRecords() {
    const samples::Folder folder;
    import(folder.file("a.nwdb"), {kData});
    const std::string first = exported(folder.file("a.nwdb"), folder.file("a.json"));
    const ImportReport again = import(folder.file("b.nwdb"), {folder.file("a.json")});
    QCOMPARE(again.broken, std::int64_t(0));
    QCOMPARE(exported(folder.file("b.nwdb"), folder.file("b.json")), first);
    // Into its own file nothing comes twice.
    const ImportReport own = import(folder.file("a.nwdb"), {folder.file("a.json")});
    QCOMPARE(own.records, std::int64_t(0));
    QCOMPARE(own.duplicates, again.records);
  }

  void recordsMeasuredHereComeBackOnlyOnce() {
    const samples::Folder folder;
    Random random(1);
    {
      RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
      const samples::Ground ground = samples::fill(store, 2);
      for (int trial = 1; trial <= 40; ++trial) {
        Record record = trial % 10 == 0 ? samples::failure(ground, trial, Verdict::RunTimeout)
                                        : samples::record(ground, trial, random.unit() / 7,
                                                          ground.tasks[trial % 2]);
        record.steps = samples::steps(random);
        record.result.startedAt = 1'700'000'000'123'456 + trial;
        store.records().add(record);
      }
    }
    const std::string first = exported(folder.file("a.nwdb"), folder.file("a.json"));
    const ImportReport own = import(folder.file("a.nwdb"), {folder.file("a.json")});
    QCOMPARE(own.records, std::int64_t(0));
    QCOMPARE(own.duplicates, std::int64_t(40));
    import(folder.file("b.nwdb"), {folder.file("a.json")});
    QCOMPARE(exported(folder.file("b.nwdb"), folder.file("b.json")), first);
  }

  void recordsAreReadAsOthers() {
    const samples::Folder folder;
    import(folder.file("a.nwdb"), {kData + "matmul_512.records.json"});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    RecordQuery query;
    query.order = RecordQuery::Order::Fastest;
    query.limit = 5;
    const std::vector<Record> fastest = store.records().page(query);
    QCOMPARE(fastest.size(), std::size_t(5));
    QVERIFY(std::is_sorted(fastest.begin(), fastest.end(), [](const Record& a, const Record& b) {
      return a.result.latency() < b.result.latency();
    }));
    const Record record = *store.records().one(fastest[0].id);
    QVERIFY(!record.steps.empty() && !record.program.empty());
    QCOMPARE(record.verified, false);
    QCOMPARE(nlohmann::json::parse(record.trace)["log"]["format"], "v0.6");
    QCOMPARE(store.targets().all().at(0).text.substr(0, 4), std::string("llvm"));
    QCOMPARE(store.tasks().all().at(0).name, std::string("MatMul 512x512->512"));
    QCOMPARE(store.trials().curve(1).size(), std::size_t(20));
  }

  /// What a task table can say of tasks that only logs tell of.
  void theFastestOfALogIsKnown() {
    const samples::Folder folder;
    const RowId session = import(folder.file("a.nwdb"), {kData + "matmul_512.records.json",
                                                         kData + "bmm_12_128_128_64.records.json"})
                              .session;
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    const std::vector<FastestImported> all = store.tasks().fastestImported(session);
    QCOMPARE(all.size(), std::size_t(2));
    for (const FastestImported& fastest : all) {
      RecordQuery query;
      query.task = fastest.task;
      query.order = RecordQuery::Order::Fastest;
      query.limit = 1;
      const Record record = store.records().page(query).at(0);
      QCOMPARE(fastest.record, record.id);
      QCOMPARE(fastest.seconds, record.result.latency());
    }
  }

  void configurationsOfAutoTvmAreKept() {
    const samples::Folder folder;
    import(folder.file("a.nwdb"), {kData + "tophub-llvm-v0.04.log"});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    const Record record = *store.records().one(1);
    QVERIFY(record.steps.empty());
    QCOMPARE(nlohmann::json::parse(record.trace)["log"]["config"]["index"], 193);
    const std::string table = knobTable(recordKnobs(record));
    QVERIFY2(table.starts_with("tile_ic    split  1, 3\n"), table.c_str());
    QVERIFY2(table.find("unroll_kw  value  false\n") != std::string::npos, table.c_str());
    QVERIFY(store.tasks().all().at(0).name.starts_with("conv2d_NCHWc.x86 1x3x224x224 64x3x7x7"));
  }

  /// An index is an id within one version of a template; the entities are the truth.
  void configurationsOfTemplatesAreChecked() {
    const samples::Folder folder;
    const std::string old = kData + "tophub-llvm-v0.04.log";
    const ImportReport good = import(folder.file("a.nwdb"), {old, kData + "autotvm-bert.log.gz"});
    QCOMPARE(good.templates.configurations, std::int64_t(35 + 40));
    QCOMPARE(good.templates.agree, std::int64_t(35 + 40));
    QCOMPARE(good.templates.disagreements.size(), std::size_t(0));

    std::string text = readAll(old);
    const auto replace = [&](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    replace("\"index\": 193", "\"index\": 194");
    replace("[\"tile_ow\", \"sp\", [8, 7]]", "[\"tile_ow\", \"sp\", [8, 9]]");
    replace("\"conv2d_NCHWc.x86\", [[\"TENSOR\", [1, 64, 56, 56], \"float32\"], [\"TENSOR\", [128",
            "\"conv2d_mine\", [[\"TENSOR\", [1, 64, 56, 56], \"float32\"], [\"TENSOR\", [128");
    write(folder.file("b.log"), text);
    const ImportReport bad = import(folder.file("b.nwdb"), {folder.file("b.log")});
    QCOMPARE(bad.records, std::int64_t(35)); // kept all the same
    QCOMPARE(bad.templates.configurations, std::int64_t(34));
    QCOMPARE(bad.templates.unknown, std::int64_t(1));
    QCOMPARE(bad.templates.agree, std::int64_t(32));
    QCOMPARE(bad.templates.disagreements.size(), std::size_t(2));
    const QString first = QString::fromStdString(bad.templates.disagreements[0]);
    QVERIFY2(first.contains("index 194, but its entities are configuration"), qPrintable(first));
    const QString second = QString::fromStdString(bad.templates.disagreements[1]);
    QVERIFY2(second.contains("tile_ow cannot be [8,9]; the nearest of its"), qPrintable(second));
  }

  /// A task of AutoTVM says what it computes, and a configuration what program it is.
  void tasksOfTemplatesAreKnownWithTheirPrograms() {
    const samples::Folder folder;
    const ImportReport report = import(
        folder.file("a.nwdb"), {kData + "tophub-llvm-v0.04.log", kData + "autotvm-bert.log.gz"});
    QVERIFY(report.tasks > 35);
    QCOMPARE(report.knownTasks, report.tasks);
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    std::map<RowId, TaskRow> tasks;
    for (const TaskRow& task : store.tasks().all())
      tasks[task.id] = task;
    int programs = 0;
    for (RowId id = 1; id <= 75; ++id) {
      const Record record = *store.records().one(id);
      const TaskRow& task = tasks.at(record.task);
      QVERIFY(task.flops > 0);
      const std::optional<LoggedTask> logged = loggedTask(task.key);
      QVERIFY(logged.has_value());
      const RecordProgram program = recordProgram(parseDag(task.dag), record);
      QCOMPARE(program.config->kind, std::string(logged->kind->name));
      const ConfigSpace space = logged->kind->space(logged->arguments, program.config->version);
      QCOMPARE(space.indexOf(program.config->entities),
               nlohmann::json::parse(record.trace)["log"]["config"]["index"].get<std::int64_t>());
      QVERIFY(State::replay(program.dag, program.steps).isConcrete());
      ++programs;
    }
    QCOMPARE(programs, 75);
  }

  /// A line as AutoTVM writes it for a GPU is a program, too.
  void tasksOfTemplatesForGpusAreKnown() {
    const samples::Folder folder;
    write(folder.file("a.log"),
          R"({"input": ["cuda -keys=cuda,gpu -arch=sm_70 -max_num_threads=1024 )"
          R"(-thread_warp_size=32", "conv2d_nchw.cuda", [["TENSOR", [1, 64, 56, 56], "float32"], )"
          R"(["TENSOR", [64, 64, 3, 3], "float32"], [1, 1], [1, 1, 1, 1], [1, 1], "float32"], )"
          R"({}], "config": {"index": 28118036, "code_hash": null, "entity": [["tile_f", "sp", )"
          R"([-1, 2, 8, 2]], ["tile_y", "sp", [-1, 1, 7, 1]], ["tile_x", "sp", [-1, 1, 14, 1]], )"
          R"(["tile_rc", "sp", [-1, 8]], ["tile_ry", "sp", [-1, 3]], ["tile_rx", "sp", [-1, 3]], )"
          R"(["auto_unroll_max_step", "ot", 512], ["unroll_explicit", "ot", 0]]}, "result": )"
          R"([[0.0001], 0, 2.5, 1600000000.0], "version": 0.2, "tvm_version": "0.11.1"})"
          "\n");
    const ImportReport report = import(folder.file("a.nwdb"), {folder.file("a.log")});
    QCOMPARE(report.records, std::int64_t(1));
    QCOMPARE(report.knownTasks, std::int64_t(1));
    QCOMPARE(report.templates.agree, std::int64_t(1));
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    const Record record = *store.records().one(1);
    const ComputeDag task = parseDag(store.tasks().one(record.task)->dag);
    const std::optional<TemplateConfig> config = RecordPrograms(task).config(record);
    QVERIFY(config);
    QCOMPARE(config->kind, std::string("conv2d_nchw.cuda"));
    const QString nest = QString::fromStdString(printLoopNest(recordState(task, record)));
    QVERIFY2(nest.contains("threadIdx.z oc.2 (0,8)"), qPrintable(nest));
    QVERIFY2(nest.contains("pad_temp.shared"), qPrintable(nest));
  }

  void brokenLinesAreReportedAndSkipped() {
    const samples::Folder folder;
    std::string text = readAll(kData + "matmul_512.records.json");
    text.insert(0, "# a comment\n\nnonsense\n");
    text += "{\"i\": 1}\n";
    write(folder.file("a.json"), text);
    const ImportReport report = import(folder.file("a.nwdb"), {folder.file("a.json")});
    checkSums(report);
    QCOMPARE(report.records, std::int64_t(20));
    QCOMPARE(report.comments, std::int64_t(2));
    QCOMPARE(report.problems.size(), std::size_t(2));
    QCOMPARE(report.problems[0].problem.line, std::int64_t(3));
    QCOMPARE(report.problems[0].problem.offset, std::int64_t(13));
    QCOMPARE(report.problems[1].problem.line, std::int64_t(24));
  }

  /// A log that is being written: wherever it is cut, the rest comes in later (C22).
  void fileCutAnywhereIsCompletedLater() {
    const samples::Folder folder;
    const std::string whole = readAll(kData + "matmul_512.records.json");
    const std::string log = folder.file("a.json"), database = folder.file("a.nwdb");
    for (std::size_t size = 0; size < whole.size(); size += 997) {
      write(log, whole.substr(0, size));
      const ImportReport report = import(database, {log});
      checkSums(report);
      QVERIFY(report.broken <= 1);
    }
    write(log, whole);
    const ImportReport report = import(database, {log});
    QCOMPARE(report.sources.at(0).lines, std::int64_t(20));
    QCOMPARE(report.sources.at(0).broken, std::int64_t(0));
    QCOMPARE(exported(database, folder.file("b.json")), whole);
    QCOMPARE(problemsOf(database), std::string("[]"));
  }

  /// The same at every byte, of a log with a comment, a record and a broken line: what stands
  /// before the cut is there, and what the cut tore is told as one line until the rest of it comes.
  void cutAtEveryByteItIsAccountedFor() {
    const samples::Folder folder;
    const std::string lines = readAll(kData + "matmul_512.records.json");
    const std::string record = lines.substr(0, lines.find('\n') + 1);
    const std::string whole = "# made here\n" + record + "{broken\n\r\n";
    const std::string log = folder.file("a.json"), database = folder.file("a.nwdb");
    for (std::size_t size = 1; size <= whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      write(log, cut);
      const ImportReport report = import(database, {log});
      checkSums(report);
      const ImportSource& source = report.sources.at(0);
      const auto ended = std::ranges::count(cut, '\n');
      // Comments and empty lines count when they have ended.
      const bool torn = cut.back() != '\n' && (ended == 1 || ended == 2);
      const std::string at = fmt::format("cut after {} bytes", size);
      QVERIFY2(source.lines == ended + (torn ? 1 : 0), at.c_str());
      const bool read = size + 1 >= 12 + record.size(); // with or without its end
      QVERIFY2(source.records == (read ? 1 : 0), at.c_str());
      QVERIFY2(source.broken == (ended >= 3 || (torn && (ended == 2 || !read)) ? 1 : 0),
               at.c_str());
    }
    const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(1));
    QVERIFY(store.check().empty());
  }

  /// The last line is stored before the file is done: stopped in between, it is read again.
  void aTornLineBeforeAStopCountsOnce() {
    const samples::Folder folder;
    const std::string lines = readAll(kData + "matmul_512.records.json");
    const std::size_t first = lines.find('\n') + 1, second = lines.find('\n', first) + 1;
    const std::string log = folder.file("a.json"), database = folder.file("a.nwdb");
    write(log, lines.substr(0, second - 20));
    QCOMPARE(import(database, {log}).broken, std::int64_t(1));
    sqlite::Database(database, sqlite::Access::ReadWrite)
        .execute("UPDATE import_source SET finished = 0, file_bytes = 0"); // as the stop left it
    for (int again = 0; again < 2; ++again) {
      const ImportSource source = import(database, {log}).sources.at(0);
      QCOMPARE(source.lines, std::int64_t(2));
      QCOMPARE(source.broken, std::int64_t(1));
      QCOMPARE(importProblems(database).size(), std::size_t(1));
    }
    write(log, lines.substr(0, second));
    const ImportReport report = import(database, {log});
    checkSums(report);
    QCOMPARE(report.sources.at(0).lines, std::int64_t(2));
    QCOMPARE(report.sources.at(0).records, std::int64_t(2));
    QCOMPARE(report.sources.at(0).broken, std::int64_t(0));
    QVERIFY(importProblems(database).empty());
    QCOMPARE(problemsOf(database), std::string("[]"));
  }

  void packedFilesThatAreCutOffAreReported() {
    const samples::Folder folder;
    for (const char* name : {"matmul.json.gz", "matmul.json.xz", "matmul.json.zst"}) {
      const std::string whole = readAll(kData + name);
      const std::string path = folder.file("cut");
      for (const std::size_t size : {whole.size() / 2, whole.size() - 1}) {
        write(path, whole.substr(0, size));
        const ImportReport report = import(folder.file(name), {path});
        QCOMPARE(report.problems.empty(), false);
        QVERIFY(!report.sources.at(0).finished);
      }
      write(path, whole);
      QCOMPARE(import(folder.file(name), {path}).sources.at(0).records, std::int64_t(1));
    }
  }

  /// However often an import is stopped, at the end everything is there once and in order.
  void stoppedImportGoesOn() {
    const samples::Folder folder;
    bench::writeTenSetTree(folder.file("logs"), 12'000, 900, 5);
    LogImportOptions options;
    options.inputs = {folder.file("logs")};
    options.matchZoo = false;
    options.database = folder.file("a.nwdb");
    importLogs(options, std::atomic<bool>{false});
    options.database = folder.file("b.nwdb");
    int stops = 0;
    for (bool ended = false; !ended; ++stops) {
      std::atomic<bool> stop{false};
      std::thread later([&] {
        QTest::qSleep(15 + stops); // on a busy machine, too, some of them come forward
        stop = true;
      });
      ended = !importLogs(options, stop).cancelled;
      later.join();
      QVERIFY(stops < 500);
    }
    qInfo("stopped %d times", stops - 1);
    QCOMPARE(exported(folder.file("b.nwdb"), folder.file("b.json")),
             exported(folder.file("a.nwdb"), folder.file("a.json")));
    QCOMPARE(problemsOf(folder.file("b.nwdb")), std::string("[]"));
    QCOMPARE(RecordStore::open(folder.file("b.nwdb"), OpenMode::ReadOnly).sessions().all().size(),
             std::size_t(1));
  }

  void treesComeBackAsTrees() {
    const samples::Folder folder;
    bench::writeTenSetTree(folder.file("logs"), 600, 100, 6);
    import(folder.file("a.nwdb"), {folder.file("logs")});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    ExportOptions options;
    options.format = ExportFormat::TenSet;
    options.output = folder.file("tree");
    options.query.order = RecordQuery::Order::Oldest;
    const ExportReport report = exportLog(store, options, std::atomic<bool>{false});
    QCOMPARE(report.records, std::int64_t(600));
    std::int64_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file("logs"))) {
      if (!entry.is_regular_file()) continue;
      const auto inside = std::filesystem::relative(entry.path(), folder.file("logs"));
      QCOMPARE(readAll((folder.file("tree") / inside).string()), readAll(entry.path().string()));
      ++files;
    }
    QCOMPARE(report.files, files);
  }

  /// At a pragma that it does not know TVM's process ends.
  void whatTvmDoesNotKnowIsCounted() {
    const samples::Folder folder;
    std::string text = readAll(kData + "matmul_512.records.json");
    const std::string unroll = "auto_unroll_max_step$";
    const std::size_t at = text.find(unroll), end = text.find('"', at);
    text.replace(at, end - at, "min_blocks$2");
    write(folder.file("log.json"), text);
    import(folder.file("a.nwdb"), {folder.file("log.json")});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    ExportOptions options;
    options.output = folder.file("all.json");
    ExportReport report = exportLog(store, options, std::atomic<bool>{false});
    QCOMPARE(report.records, std::int64_t(20));
    QCOMPARE(report.unknownToTvm, std::int64_t(1));
    QVERIFY(readAll(folder.file("all.json")).find("min_blocks$2") != std::string::npos);
    options.output = folder.file("known.json");
    options.onlyKnownToTvm = true;
    report = exportLog(store, options, std::atomic<bool>{false});
    QCOMPARE(report.records, std::int64_t(19));
    QCOMPARE(report.unknownToTvm, std::int64_t(1));
    const std::string known = readAll(folder.file("known.json"));
    QCOMPARE(std::count(known.begin(), known.end(), '\n'), 19);
    QVERIFY(known.find("min_blocks") == std::string::npos);
  }

  /// Where nothing of a task is left there is no file of it.
  void nothingIsNoFileOfATree() {
    const samples::Folder folder;
    std::string text = readAll(kData + "matmul_512.records.json");
    const std::string unroll = "auto_unroll_max_step$";
    for (std::size_t at = 0; (at = text.find(unroll, at)) != std::string::npos;)
      text.replace(at, text.find('"', at) - at, "min_blocks$2");
    const std::size_t known = std::count(text.begin(), text.end(), '\n');
    write(folder.file("log.json"), text);
    import(folder.file("a.nwdb"), {folder.file("log.json")});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    ExportOptions options;
    options.format = ExportFormat::TenSet;
    options.output = folder.file("tree");
    options.onlyKnownToTvm = true;
    const ExportReport report = exportLog(store, options, std::atomic<bool>{false});
    QCOMPARE(report.unknownToTvm, std::int64_t(known));
    QCOMPARE(report.records, std::int64_t(0));
    QCOMPARE(report.files, std::int64_t(0));
    QVERIFY(!std::filesystem::exists(folder.file("tree")));
  }

  /// A table is read by people, who want all of them: leaving some out is not what was asked.
  void aTableIsNotThinnedForTvm() {
    const samples::Folder folder;
    import(folder.file("a.nwdb"), {kData + "matmul_512.records.json"});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    ExportOptions options;
    options.format = ExportFormat::Csv;
    options.output = folder.file("a.csv");
    options.onlyKnownToTvm = true;
    QVERIFY_THROWS_EXCEPTION(UsageError, exportLog(store, options, std::atomic<bool>{false}));
    QVERIFY(!std::filesystem::exists(folder.file("a.csv")));
  }

  void tablesHaveARowForEachRecord() {
    const samples::Folder folder;
    import(folder.file("a.nwdb"), {kData + "matmul_512.records.json"});
    const RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly);
    ExportOptions options;
    options.format = ExportFormat::Csv;
    options.output = folder.file("a.csv");
    exportLog(store, options, std::atomic<bool>{false});
    const std::string text = readAll(folder.file("a.csv"));
    QCOMPARE(std::count(text.begin(), text.end(), '\n'), 21);
    QVERIFY(text.starts_with("record,session,trial,task,"));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      QVERIFY(entry.path().string().find(".part") == std::string::npos);
  }

  void badInputsAreRefused() {
    const samples::Folder folder;
    QVERIFY_THROWS_EXCEPTION(InputError, import(folder.file("a.nwdb"), {folder.file("none")}));
    write(folder.file("text.nwdb"), "Dear diary\n");
    QVERIFY_THROWS_EXCEPTION(InputError, import(folder.file("text.nwdb"), {kData}));
    QCOMPARE(readAll(folder.file("text.nwdb")), std::string("Dear diary\n"));
  }
};

NW_TEST_GUILESS(LogImport)

} // namespace nestwright::log_import_test

#include "log_import.moc"
