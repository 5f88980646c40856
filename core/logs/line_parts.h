#pragma once
/// \file What the readers of both log formats share.

#include "core/logs/line_parser.h"
#include "core/support/error.h"

#include <string_view>
#include <vector>

namespace nestwright {

/// Why a line is no record. Never leaves the parser.
class BrokenLine : public InputError {
 public:
  using InputError::InputError;
};

/// The numbers that a line ends with.
struct LineResult {
  std::vector<double> seconds; // of every repeat, as in the line
  std::int64_t error = 0;
  double allSeconds = 0;
  bool isWhole = false; // allSeconds is written without a point
  double startedAt = 0; // seconds since the epoch
};

/// Sets everything of the record that follows from the result. From `failedSeconds` on a time means
/// that nothing was measured. Throws BrokenLine when the result cannot be.
void takeResult(const LineResult& result, double failedSeconds, ImportedRecord& record);

/// A line of AutoTVM, of which it is known that it is JSON, and not deeply nested.
void parseAutoTvm(std::string_view line, ImportedTask& task, ImportedRecord& record);

} // namespace nestwright
