/// A log in which nearly every line is damaged: each is imported or reported, none is passed over.

#include "core/logs/import_log.h"
#include "core/logs/line_parser.h"
#include "core/record/intake/import_writer.h"
#include "core/record/store/record_rows.h"
#include "tests/logs/mutated.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <fstream>
#include <map>
#include <set>

namespace nestwright::log_mutations_test {

std::vector<std::string> goodLines() {
  std::vector<std::string> lines;
  for (const char* name : {"matmul_512.records.json", "bmm_12_128_128_64.records.json",
                           "tvm-gallery-resnet-50-NHWC-B1-llvm.json", "tophub-llvm-v0.04.log"}) {
    std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/logs/") + name);
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

/// What the parser says of the line alone.
LineKind kindOf(const std::string& line, std::string& reason) {
  LineParser parser;
  LogBatch batch;
  const std::string bytes = line + std::string(kLinePadding, '\0');
  return parser.parse(std::string_view(bytes).substr(0, line.size()), batch, reason);
}

class LogMutations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyLineIsImportedOrReported() {
    constexpr std::uint64_t kSeed = 17;
    constexpr int kLines = 10'000;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    const std::vector<std::string> good = goodLines();
    const samples::Folder folder;
    const std::string log = folder.file("damaged.json"), path = folder.file("a.nwdb");
    std::map<std::int64_t, std::string> reasons; // by line
    std::int64_t records = 0, comments = 0;
    {
      std::ofstream file(log, std::ios::binary);
      for (int line = 1; line <= kLines; ++line) {
        const std::string text = mutated(random.pick(good), random);
        file << text << '\n';
        std::string reason;
        const LineKind kind = kindOf(text, reason);
        if (kind == LineKind::Broken)
          reasons[line] = reason;
        else
          ++(kind == LineKind::Record ? records : comments);
      }
    }
    LogImportOptions options;
    options.database = path;
    options.inputs = {log};
    options.matchZoo = false;
    const ImportReport report = importLogs(options, std::atomic<bool>{false});
    QCOMPARE(report.lines, std::int64_t(kLines));
    QCOMPARE(report.broken, std::int64_t(reasons.size()));
    QCOMPARE(report.comments, comments);
    QCOMPARE(report.records + report.duplicates, records);
    QVERIFY(records > kLines / 20 && report.broken > kLines / 2);

    const std::vector<LineProblem> problems = ImportWriter(path).problems(report.sources[0].id);
    QCOMPARE(problems.size(), reasons.size());
    for (const LineProblem& problem : problems) {
      QVERIFY(reasons.contains(problem.line));
      QCOMPARE(problem.reason, reasons[problem.line]);
    }
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), report.records);
    QCOMPARE(store.check(), std::vector<std::string>()); // which reads every record
  }
};

NW_TEST_GUILESS(LogMutations)

} // namespace nestwright::log_mutations_test

#include "log_mutations.moc"
