#include "core/logs/line_parts.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

/// The verdict with this number in public records.
Verdict verdictOfNumber(std::int64_t number) {
  constexpr Verdict kVerdicts[] = {
      Verdict::Ok,           Verdict::Illegal,    Verdict::CompileError,
      Verdict::LoadError,    Verdict::RunError,   Verdict::WrongAnswer,
      Verdict::BuildTimeout, Verdict::RunTimeout, Verdict::WorkerLost};
  if (number < 0 || number >= std::int64_t(std::size(kVerdicts)))
    throw BrokenLine(fmt::format("the error number {} is unknown; there are 0 to 8", number));
  return kVerdicts[number];
}

} // namespace

void takeResult(const LineResult& result, double failedSeconds, ImportedRecord& record) {
  constexpr double kMicro = 1e6;
  constexpr double kLatest = 1e11; // some thousand years
  record.verdict = verdictOfNumber(result.error);
  if (!(result.allSeconds >= 0) || !std::isfinite(result.allSeconds))
    throw BrokenLine(fmt::format("it took {} s to measure, which cannot be", result.allSeconds));
  if (!(result.startedAt >= 0 && result.startedAt < kLatest))
    throw BrokenLine(fmt::format("{} is no time of day", result.startedAt));
  MeasureResult measured;
  if (record.verdict == Verdict::Ok) {
    if (result.seconds.empty()) throw BrokenLine("it ended well, but has no time");
    for (const double seconds : result.seconds) {
      if (seconds == 0) throw BrokenLine("the program was not measured: its time is 0");
      if (!(seconds > 0 && seconds < failedSeconds))
        throw BrokenLine(fmt::format("it ended well in {} s, which cannot be a time", seconds));
    }
    measured.seconds = result.seconds;
  }
  record.seconds = measured.latency();
  record.allSeconds = result.allSeconds;
  record.item.outcome = encodeOutcome(measured.seconds, result.allSeconds);
  record.item.startedAt = std::int64_t(std::llround(result.startedAt * kMicro));
}

} // namespace nestwright
