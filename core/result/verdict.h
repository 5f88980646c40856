#pragma once
/// \file How a measurement ended.

#include <cstdint>
#include <string_view>

namespace nestwright {

/// Every candidate ends in exactly one (C1).
enum class Verdict : std::uint8_t {
  Ok,
  Illegal,
  CompileError,
  LoadError,
  RunError,
  WrongAnswer,
  BuildTimeout,
  RunTimeout,
  WorkerLost,
  Cancelled,
  NotRecorded // a recorded machine knows nothing of the program
};
inline constexpr int kVerdictCount = static_cast<int>(Verdict::NotRecorded) + 1;
/// "ok", "illegal", "compile error", ... as shown and stored.
const char* name(Verdict verdict);
/// The inverse. Throws InputError when the text names no verdict.
Verdict verdictFromName(std::string_view name);
/// The program was never tried: no failure of its own, and nothing to learn from.
inline bool saysNothing(Verdict verdict) {
  return verdict == Verdict::Cancelled || verdict == Verdict::NotRecorded;
}
/// The public record's error number (handbook/ansor.md 5.3).
int recordErrorNumber(Verdict verdict);

} // namespace nestwright
