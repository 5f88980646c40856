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
  Cancelled
};
/// "ok", "illegal", "compile error", ... as shown and stored.
const char* name(Verdict verdict);
/// The inverse. Throws InputError when the text names no verdict.
Verdict verdictFromName(std::string_view name);
/// The public record's error number (handbook/ansor.md 5.3).
int recordErrorNumber(Verdict verdict);

} // namespace nestwright
