#pragma once
/// \file Records as others read them: public JSON lines, a table, or a tree of files as TenSet has.

#include "core/record/rows/record_query.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

enum class ExportFormat : std::uint8_t {
  Tvm,   // one file of JSON lines in canonical form
  Csv,   // one file, one row a record, with the most important columns
  TenSet // a folder: measure_records/PLATFORM/(KEY,KIND).json
};

struct ExportOptions {
  ExportFormat format = ExportFormat::Tvm;
  std::string output; // file or folder; "-" is standard output, which a tree cannot have
  /// Which records, in which order. Its `after` and `limit` are not used.
  RecordQuery query;
  /// Just these records of it, ascending; empty: all.
  std::vector<RowId> records;
  /// Leaves out programs with pragmas of our own: at a pragma that it does not know TVM's process
  /// ends.
  bool onlyKnownToTvm = false;
  /// Where the records come from: lines that stand at the head of a table behind "# ". TVM's logs
  /// and TenSet's have no place for them.
  std::vector<std::string> head;
};

struct ExportReport {
  std::int64_t records = 0, files = 0;
  std::int64_t unknownToTvm = 0; // of them, or left out: with pragmas of our own
  bool cancelled = false;
};

/// Writes the records page by page. `onProgress` gets the number of records so far. Throws
/// SystemError when the output cannot be written; see output_file.h.
ExportReport exportLog(const RecordStore& store, const ExportOptions& options,
                       const std::atomic<bool>& stop,
                       const std::function<void(std::int64_t)>& onProgress = {});

} // namespace nestwright
