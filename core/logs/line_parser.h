#pragma once
/// \file From a line of a public log to a record as it is stored. Two formats: TVM's auto-scheduler
/// (handbook/ansor.md 5.3), which TenSet uses too, and AutoTVM (handbook/cost-models.md 3).

#include "core/record/format/import_rows.h"
#include "core/record/rows/record.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Bytes behind a line that must be readable, whatever they are.
inline constexpr std::size_t kLinePadding = 64;

/// What lines gave.
struct LogBatch {
  std::vector<ImportedTask> tasks; // distinct
  std::vector<ImportedRecord> records;
};

enum class LineKind : std::uint8_t { Record, Comment, Broken };

/// Thread-compatible: one for each thread.
class LineParser {
 public:
  LineParser();
  ~LineParser();

  /// Reads one line without its end; Record when it was added to the batch. A blank line and one
  /// that begins with # are comments. `reason` says what is wrong with a broken one.
  LineKind parse(std::string_view line, LogBatch& batch, std::string& reason);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace nestwright
