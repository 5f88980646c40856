#pragma once
/// \file Importing public logs into a `.nwdb` file: TVM's auto-scheduler's and AutoTVM's, single
/// files or folders of thousands as TenSet has them. An import can be stopped or killed at any
/// moment; the same import again goes on where it was.

#include "core/logs/log_files.h"
#include "core/logs/template_check.h"
#include "core/record/format/import_rows.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace nestwright {

struct LogImportOptions {
  std::string database;            // made when it is not there
  std::vector<std::string> inputs; // files and folders
  std::vector<std::string> dags;   // files that tell DAGs; see task_guide.h
  bool matchZoo = true;            // look for the tasks among those of the known networks
  unsigned threads = 2;            // that parse
  bool awaitSession = true;        // that runs on the file, whose timings an import disturbs
};

/// Where an import stands.
struct ImportProgress {
  RowId session = 0;      // that the records make up; 0 while there is none
  std::string waitingFor; // a running session, whose timings the import would disturb; or empty
  std::size_t files = 0, filesDone = 0;
  std::int64_t bytes = 0, bytesDone = 0; // of the files as they are, compressed or not
  std::int64_t lines = 0, records = 0, duplicates = 0, broken = 0; // of this run
  std::int64_t stored = 0; // of the records, those that readers of the file find
  double seconds = 0;
  double recordsPerSecond = 0; // lately
  double secondsLeft = 0;      // infinity while unknown
  std::string file;            // being read
};

/// A problem and its file.
struct FileProblem {
  std::string path;
  LineProblem problem; // line 0: of the file as a whole
};

struct ImportReport {
  /// What is in the file of every log, from this run and earlier ones.
  std::vector<ImportSource> sources;
  std::size_t before = 0; // of them, imported to the end by earlier runs
  std::vector<PassedOver> others;
  /// The first of all; each line counts in its source's `broken`.
  std::vector<FileProblem> problems;
  std::int64_t lines = 0, records = 0, duplicates = 0, comments = 0, broken = 0; // of this run
  std::size_t tasks = 0, knownTasks = 0; // that this run found; of them with their DAG known
  /// Tasks of the file that earlier imports found without a definition, when some are given: those
  /// that learned it now, and those that still lack it.
  std::size_t learned = 0, undefined = 0;
  TemplateCounts templates; // of this run's lines of AutoTVM, duplicates included
  double seconds = 0;
  bool cancelled = false;
  RowId session = 0; // with the records of these logs; 0 when the file knew all of them before
};

/// Calls `onProgress` some times a second on this thread; ends early, with whole lines stored, when
/// `stop` becomes true. If wanted, waits until no session of the file runs; none starts before
/// the end. Throws InputError when an input or the database cannot be used, SystemError when
/// another import into the file is under way; what a line or a single file has wrong is reported
/// instead.
ImportReport importLogs(const LogImportOptions& options, const std::atomic<bool>& stop,
                        const std::function<void(const ImportProgress&)>& onProgress = {});

} // namespace nestwright
