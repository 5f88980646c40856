#pragma once
/// \file Rows on their way from a public log into a `.nwdb` file.

#include "core/record/format/imported_block.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// What a line says of the task that its program computes, and where.
struct ImportedTask {
  std::string key;                    // workload key; of AutoTVM the template with its arguments
  std::string target;                 // target text as in the line
  std::vector<std::int64_t> hardware; // the eight numbers, or none
  std::string host;                   // target text of the host; empty when there is none
  std::string origin;                 // JSON of what else surrounds the program in the line
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null in a default
  friend auto operator<=>(const ImportedTask&, const ImportedTask&) = default;
};

/// What is known of a task beyond its line.
struct TaskKnowledge {
  std::string name;
  std::string dag;    // exact text; empty when unknown
  double flops = 0;   // 0 when unknown
  std::string facts;  // of the target, as JSON
  std::string target; // short name of the target, to begin its key with
};

/// One measured program of a log, in the form in which it is stored.
struct ImportedRecord {
  int task = 0; // index into its batch's tasks
  Verdict verdict = Verdict::Ok;
  double seconds = 0;    // median of the repeats; unused unless ok
  double allSeconds = 0; // build and run together
  std::string shape;     // of the steps; see step_codec.h
  ImportedItem item;     // its origin is set when it is stored
  /// Equal for two lines that tell the same measurement.
  std::uint64_t identity = 0;
};

/// The identity of a record from its parts.
std::uint64_t importIdentity(Verdict verdict, std::string_view shape, const ImportedItem& item);

/// A line that is no record.
struct LineProblem {
  std::int64_t line = 0;   // from 1
  std::int64_t offset = 0; // of its first byte in the unpacked file
  std::string reason;
};

/// How far a file has been imported; every line of it is counted in exactly one way.
struct ImportSource {
  RowId id = 0, session = 0; // session 0: it gave no record
  std::string path;
  std::int64_t headBytes = 0; // as many bytes from its beginning
  std::uint64_t headHash = 0; // have this hash, or it is another file by now
  std::int64_t offset = 0;    // bytes read, unpacked
  std::int64_t fileBytes = 0; // its size on the disk when it was last read to the end
  std::int64_t lines = 0, records = 0, duplicates = 0, comments = 0, broken = 0;
  bool finished = false;
};

} // namespace nestwright
