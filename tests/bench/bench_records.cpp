/// \file How many records of TenSet-like logs are imported a second, and the bytes that a record
/// takes in the file, indexes included. With --rows, how long the record browser takes for what it
/// asks of a file of so many records.

#include "core/logs/import_log.h"
#include "tests/bench/bench_program.h"
#include "tests/bench/browse_records.h"
#include "tests/bench/tenset_lines.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <filesystem>

namespace nestwright::bench::records {
namespace {

struct Options {
  std::int64_t records = 1'000'000;
  std::int64_t rows = 0; // to browse; 0: import instead
  std::int64_t perTask = 4000;
  unsigned threads = 2;
  std::string folder;
  bool keep = false;
  bool json = false;
};

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) * 1024;
}

void measure(const Options& options, const std::filesystem::path& folder) {
  const std::int64_t bytes =
      bench::writeTenSetTree((folder / "logs").string(), options.records, options.perTask, 1);
  LogImportOptions import;
  import.database = (folder / "bench.nwdb").string();
  import.inputs = {(folder / "logs").string()};
  import.matchZoo = false;
  import.threads = options.threads;
  const std::atomic<bool> stop{false};
  const double before = cpuSeconds();
  const ImportReport report = importLogs(import, stop);
  const double cpu = cpuSeconds() - before;
  const auto size = double(std::filesystem::file_size(import.database));
  const auto count = double(report.records);
  const nlohmann::json document{{"records", report.records},
                                {"duplicates", report.duplicates},
                                {"broken", report.broken},
                                {"log_bytes_per_record", double(bytes) / double(options.records)},
                                {"seconds", report.seconds},
                                {"cpu_seconds", cpu},
                                {"records_per_second", count / report.seconds},
                                {"threads", options.threads},
                                {"file_bytes_per_record", size / count},
                                {"peak_memory_bytes", peakMemory()}};
  if (options.json) {
    fmt::print("{}\n", document.dump(2));
    return;
  }
  fmt::print("{} records of {:.0f} bytes imported in {:.2f} s ({:.2f} s of CPU): {:.0f} records/s\n"
             "{:.1f} bytes a record in the file, indexes included; {:.0f} MiB of memory at most\n",
             report.records, double(bytes) / double(options.records), report.seconds, cpu,
             count / report.seconds, size / count, peakMemory() / (1 << 20));
}

/// The file stays there with --keep, and is used again.
void measureBrowser(const Options& options, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "browse.nwdb";
  std::filesystem::create_directories(folder);
  bench::makeBrowsedFile(path.string(), options.rows, options.perTask);
  const auto times = bench::browse(path.string());
  fmt::print("{}\n", options.json ? times.dump() : "milliseconds:\n" + bench::lines(times));
  if (options.keep) return;
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(path.string() + suffix);
}

int start(int argc, char** argv) {
  Options options;
  CLI::App app("Records per second through the import of logs, and their bytes in the file");
  app.add_option("--records", options.records, "Lines to make")->capture_default_str();
  app.add_option("--rows", options.rows,
                 "Browse a file of so many records instead, made in --folder unless it is there");
  app.add_option("--per-task", options.perTask, "Lines of a task")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads that parse")->capture_default_str();
  app.add_option("--folder", options.folder, "Where to work (default: a new temporary folder)");
  app.add_flag("--keep", options.keep, "Leave the logs and the file there");
  app.add_flag("--json", options.json, "Print as one JSON document");
  CLI11_PARSE(app, argc, argv);
  std::filesystem::path folder = options.folder;
  if (options.folder.empty()) {
    std::string name = (std::filesystem::temp_directory_path() / "bench_records-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return 1;
    folder = name;
  }
  if (options.rows > 0) {
    measureBrowser(options, folder);
    if (options.folder.empty() && !options.keep) std::filesystem::remove(folder);
    return 0;
  }
  measure(options, folder);
  if (!options.keep) {
    std::filesystem::remove_all(folder / "logs");
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(folder / (std::string("bench.nwdb") + suffix));
    if (options.folder.empty()) std::filesystem::remove(folder);
  }
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"records", start});

} // namespace
} // namespace nestwright::bench::records
