/// Files of imported records taken into one another (C29).

#include "core/logs/export_log.h"
#include "core/logs/import_log.h"
#include "core/record/care/merge_files.h"
#include "core/record/sql/sqlite.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QtTest>

#include <filesystem>
#include <fstream>
#include <set>

namespace nestwright::log_merge_test {

const std::string kData = NESTWRIGHT_TEST_DATA "/logs/";
const std::atomic<bool> kGoOn{false};

ImportReport import(const std::string& database, const std::vector<std::string>& inputs) {
  LogImportOptions options;
  options.database = database;
  options.inputs = inputs;
  options.matchZoo = false;
  return importLogs(options, kGoOn);
}

/// The records of the file as lines of a public log.
std::multiset<std::string> linesOf(const std::string& database) {
  const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
  ExportOptions options;
  options.output = database + ".json";
  exportLog(store, options, kGoOn);
  std::ifstream file(options.output);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.insert(line);
  return lines;
}

/// Lines of the logs that the file knows, each counted in one way.
std::int64_t countedLines(const std::string& database) {
  sqlite::Database db(database, sqlite::Access::ReadWrite);
  const std::int64_t sums = db.integer(
      "SELECT count(*) FROM import_source WHERE lines <> records + duplicates + comments + broken");
  const std::int64_t records = db.integer("SELECT sum(records) FROM import_source") -
                               db.integer("SELECT sum(records) FROM record_block");
  return sums == 0 && records == 0 ? db.integer("SELECT sum(lines) FROM import_source") : -1;
}

std::string problemsOf(const std::string& database) {
  return fmt::format("{}", RecordStore::open(database, OpenMode::ReadOnly).check());
}

class LogMerge : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void mergedEqualsImportedTogether() {
    const samples::Folder folder;
    const auto file = [&](const char* name) { return folder.file(name); };
    const std::string broken = file("log.json");
    std::filesystem::copy_file(kData + "matmul_512.records.json", broken);
    std::ofstream(broken, std::ios::app) << "{\"i\": broken\n# a comment\n";
    const std::string conv = kData + "conv_56_64_64_3.records.json";
    import(file("a"), {broken, conv});
    import(file("b"), {kData + "bmm_12_128_128_64.records.json", kData + "tophub-llvm-v0.04.log"});
    import(file("c"), {kData + "matmul.json.gz", conv, kData + "autotvm-bert.log.gz"});
    import(file("all"),
           {broken, conv, kData + "bmm_12_128_128_64.records.json", kData + "tophub-llvm-v0.04.log",
            kData + "matmul.json.gz", kData + "autotvm-bert.log.gz"});

    std::filesystem::copy_file(file("a"), file("left"));
    mergeFile(file("left"), file("b"), kGoOn);
    const MergeReport report = mergeFile(file("left"), file("c"), kGoOn);
    QVERIFY(report.known >= 20); // the convolution's lines are in both
    std::filesystem::copy_file(file("b"), file("right"));
    mergeFile(file("right"), file("c"), kGoOn);
    std::filesystem::copy_file(file("a"), file("other"));
    mergeFile(file("other"), file("right"), kGoOn);

    const auto all = linesOf(file("all"));
    for (const char* merged : {"left", "other"}) {
      QCOMPARE(linesOf(file(merged)), all);
      QCOMPARE(problemsOf(file(merged)), std::string("[]"));
      // The convolution's log was read for two files.
      QCOMPARE(countedLines(file(merged)), countedLines(file("all")) + 20);
      QCOMPARE(mergeFile(file(merged), file("c"), kGoOn).records, std::int64_t(0));
      QCOMPARE(mergeFile(file(merged), file("a"), kGoOn).records, std::int64_t(0));
      QCOMPARE(linesOf(file(merged)), all);
      // What was imported before is known after the merge.
      const ImportReport again = import(file(merged), {broken, conv});
      QCOMPARE(again.before, std::size_t(2));
      sqlite::Database db(file(merged), sqlite::Access::ReadWrite);
      QCOMPARE(db.integer("SELECT count(*) FROM import_problem WHERE line = 21"), std::int64_t(1));
    }
  }

  /// A log that grew and was imported again before the second merge.
  void aLogThatGrewIsTakenOn() {
    const samples::Folder folder;
    const std::string log = folder.file("log.json"), a = folder.file("a"), b = folder.file("b");
    std::ifstream whole(kData + "matmul_512.records.json");
    std::vector<std::string> lines;
    for (std::string line; std::getline(whole, line);)
      lines.push_back(line);
    const auto append = [&](std::size_t from, std::size_t to) {
      std::ofstream out(log, std::ios::app);
      for (std::size_t i = from; i < to; ++i)
        out << lines[i] << "\n";
    };
    append(0, 7);
    import(b, {log});
    QCOMPARE(mergeFile(a, b, kGoOn).records, std::int64_t(7));
    append(7, lines.size());
    import(b, {log});
    const MergeReport report = mergeFile(a, b, kGoOn);
    QCOMPARE(report.records, std::int64_t(lines.size()) - 7);
    QCOMPARE(report.known, std::int64_t(7));
    QCOMPARE(linesOf(a), linesOf(b));
    QCOMPARE(countedLines(a), std::int64_t(lines.size()));
    QCOMPARE(problemsOf(a), std::string("[]"));
    QCOMPARE(import(a, {log}).before, std::size_t(1));
  }
};

NW_TEST_GUILESS(LogMerge)

} // namespace nestwright::log_merge_test

#include "log_merge.moc"
