/// An import's memory does not grow with its log (C23): four times the records, hardly more memory.
/// How many records it takes a second is in tests/bench/bench_records.

#include "tests/bench/tenset_lines.h"
#include "tests/end_to_end/run_program.h"
#include "tests/sanitizers/sanitized.h"
#include "tests/support/test_program.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::import_memory_test {

/// The most memory that `nestwright import` of the folder held, bytes; 0 when it failed.
std::int64_t peakOfImport(const QString& database, const QString& folder) {
  std::vector<std::string> words{programPath().toStdString(), "import", database.toStdString(),
                                 folder.toStdString()};
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return 0;
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return 0;
  return std::int64_t(usage.ru_maxrss) << 10;
}

class ImportMemory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fourTimesTheRecordsTakeHardlyMore() {
    if (test::kSanitized) QSKIP("a sanitizer keeps what was freed");
    QTemporaryDir folder;
    constexpr std::int64_t kRecords = 40'000, kPerTask = 2000;
    std::int64_t peaks[2] = {0, 0}, bytes[2] = {0, 0};
    for (const int i : {0, 1}) {
      const QString logs = folder.filePath(QString("logs%1").arg(i));
      bytes[i] =
          bench::writeTenSetTree(logs.toStdString(), kRecords * (i == 0 ? 1 : 4), kPerTask, 11);
      peaks[i] = peakOfImport(folder.filePath(QString("%1.nwdb").arg(i)), logs);
      QVERIFY(peaks[i] > 0);
    }
    qInfo("%.0f MB of logs: %.0f MB of memory; %.0f MB: %.0f MB", bytes[0] / 1e6, peaks[0] / 1e6,
          bytes[1] / 1e6, peaks[1] / 1e6);
    QVERIFY(peaks[1] - peaks[0] < (bytes[1] - bytes[0]) / 2);
    QVERIFY(peaks[1] < 512 << 20);
  }
};

NW_TEST_GUILESS(ImportMemory)

} // namespace nestwright::import_memory_test

#include "import_memory.moc"
