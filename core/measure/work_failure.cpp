#include "core/measure/work_failure.h"

#include "core/support/error.h"
#include "core/support/text_limit.h"

#include <csignal>

namespace nestwright {

namespace {

std::string withOutput(std::string text, const std::string& printed) {
  if (printed.empty()) return text;
  return text + "\nIt printed:\n" + printed;
}

} // namespace

void fail(MeasureResult& result, Verdict verdict, const std::string& error, int step) {
  result.verdict = verdict;
  result.error = boundedText(error);
  result.failingStep = step;
  result.checked = false;
}

void failBy(MeasureResult& result, const WorkOutcome& outcome, const StageWords& stage) {
  using Kind = WorkOutcome::Kind;
  switch (outcome.kind) {
  case Kind::TimedOut:
    return fail(result, stage.timeout,
                fmt::format("{} did not end within {:.6g} s", stage.actor, stage.timeoutSeconds));
  case Kind::Cancelled:
    return fail(result, Verdict::Cancelled, "stopped before it was measured");
  case Kind::Garbled:
    return fail(
        result, Verdict::WorkerLost,
        fmt::format("the worker's answer while {} makes no sense: {}", stage.doing, outcome.text));
  case Kind::Ended:
    break;
  case Kind::Answered:
    NW_ASSERT(false, "an answer is no failure");
  }
  if (killedFromOutside(outcome.end))
    return fail(
        result, Verdict::WorkerLost,
        withOutput(fmt::format("the worker was killed from outside while {}: {}; the system "
                               "does so when memory runs out",
                               stage.doing, inWords(outcome.end)),
                   outcome.text));
  if (outcome.end.signal == SIGXCPU)
    return fail(result, stage.timeout, fmt::format("{} used up its processor time", stage.actor));
  if (outcome.end.signal == 0)
    return fail(
        result, Verdict::WorkerLost,
        withOutput(fmt::format("the worker ended while {}: {}", stage.doing, inWords(outcome.end)),
                   outcome.text));
  fail(result, stage.crash,
       withOutput(fmt::format("{} crashed: {}", stage.actor, inWords(outcome.end)), outcome.text));
}

} // namespace nestwright
