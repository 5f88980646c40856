#pragma once
/// \file What imported records hold beside the columns that queries ask for, many records together
/// in one compressed blob: the programs of a task differ in a few numbers only.

#include "core/result/measure_result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// How a log wrote numbers that we would write otherwise, so that its lines come out as they came.
struct NumberSpelling {
  bool wholeSeconds = false;  // the time of the whole measurement: `10` and not `10.0`
  std::int64_t startUlps = 0; // when it began: so many steps of a double beyond its microsecond
  friend bool operator==(const NumberSpelling&, const NumberSpelling&) = default;
};

/// Seconds since the epoch, as exactly as the log told them.
double exactStart(std::int64_t startedAt, const NumberSpelling& spelling);
/// The inverse: `startUlps` of a time that rounds to the microsecond `startedAt`.
std::int64_t startUlps(double seconds, std::int64_t startedAt);

/// The part of one imported record that lies in a block.
struct ImportedItem {
  std::string values;         // of the steps (see step_codec.h), or the configuration as JSON
  bool isConfig = false;      // AutoTVM: a configuration of a template instead of steps
  std::string outcome;        // see encodeOutcome
  std::int64_t startedAt = 0; // microseconds since the epoch
  int origin = 0;             // index into the block's origins
  NumberSpelling spelling;
  friend bool operator==(const ImportedItem&, const ImportedItem&) = default;
};

/// Repeats and the time of the whole measurement, as public records tell them.
std::string encodeOutcome(const std::vector<double>& seconds, double allSeconds);
/// The inverse, into `seconds` and `runSeconds`. Throws InputError when the bytes are damaged.
void decodeOutcome(std::string_view bytes, MeasureResult& result);

/// Up to a few hundred records whose ids follow one another.
struct ImportedBlock {
  /// JSON of what the logs say around the program and no query asks for; see core/logs.
  std::vector<std::string> origins;
  std::vector<ImportedItem> items;
};

/// Part of the file format: what is written today must be readable for ever.
std::string encodeBlock(const ImportedBlock& block);
/// The inverse. Throws InputError when the bytes are damaged.
ImportedBlock decodeBlock(std::string_view bytes);

} // namespace nestwright
