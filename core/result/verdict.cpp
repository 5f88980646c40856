#include "core/result/verdict.h"

#include "core/support/error.h"

#include <array>
#include <utility>

namespace nestwright {

namespace {

struct VerdictText {
  Verdict verdict;
  const char* name;
  int recordError; // of the public record; 8 is "unknown", which has no finer number there
};

constexpr std::array kVerdicts{
    VerdictText{Verdict::Ok, "ok", 0},
    VerdictText{Verdict::Illegal, "illegal", 1},
    VerdictText{Verdict::CompileError, "compile error", 2},
    VerdictText{Verdict::LoadError, "load error", 3},
    VerdictText{Verdict::RunError, "run error", 4},
    VerdictText{Verdict::WrongAnswer, "wrong answer", 5},
    VerdictText{Verdict::BuildTimeout, "build timeout", 6},
    VerdictText{Verdict::RunTimeout, "run timeout", 7},
    VerdictText{Verdict::WorkerLost, "worker lost", 8},
    VerdictText{Verdict::Cancelled, "cancelled", 8},
    VerdictText{Verdict::NotRecorded, "not recorded", 8},
};

static_assert(kVerdicts.size() == kVerdictCount);

const VerdictText& entry(Verdict verdict) {
  const auto index = static_cast<std::size_t>(verdict);
  NW_ASSERT(index < kVerdicts.size() && kVerdicts[index].verdict == verdict,
            "verdict {} is missing in the table", index);
  return kVerdicts[index];
}

} // namespace

const char* name(Verdict verdict) {
  return entry(verdict).name;
}

Verdict verdictFromName(std::string_view name) {
  for (const VerdictText& known : kVerdicts)
    if (name == known.name) return known.verdict;
  throw InputError(fmt::format("'{}' is no verdict; a verdict is 'ok', 'illegal', 'compile error', "
                               "'load error', 'run error', 'wrong answer', 'build timeout', 'run "
                               "timeout', 'worker lost', 'cancelled' or 'not recorded'",
                               name));
}

int recordErrorNumber(Verdict verdict) {
  return entry(verdict).recordError;
}

} // namespace nestwright
