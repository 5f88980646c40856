#pragma once
/// \file What becomes of a request whose worker died, hung or refused: a verdict and its reason.

#include "core/backend/device_error.h"
#include "core/measure/measure.h"
#include "core/measure/protocol.h"
#include "core/measure/worker_pool.h"

namespace nestwright {

/// What a stage is called in texts and which verdicts its accidents get.
struct StageWords {
  const char* actor; // "the compiler"
  const char* doing; // "building"
  Verdict crash, timeout;
  double timeoutSeconds;
};

/// Sets verdict and error, which is kept to its limit.
void fail(MeasureResult& result, Verdict verdict, const std::string& error, int step = -1);

/// An outcome that is no answer as a verdict.
void failBy(MeasureResult& result, const WorkOutcome& outcome, const StageWords& stage);

/// Gives a good answer to `take`. Otherwise says in the result what happened, and returns false.
/// Throws BadFrame, and leaves the result as it was, where the answer makes no sense (as `take`
/// does, before it changes anything): the pool ends the worker and comes again with that. Throws
/// DeviceError (Absent) where the worker has no device: that says nothing of any program.
template <class Take>
bool takeAnswer(MeasureResult& result, WorkOutcome& outcome, const StageWords& stage,
                const Take& take) {
  if (outcome.kind != WorkOutcome::Kind::Answered) {
    failBy(result, outcome, stage);
    return false;
  }
  if (isFailed(outcome.answer)) {
    const WorkFailure failure = failureIn(outcome.answer);
    if (failure.deviceAbsent) throw DeviceError(DeviceFault::Absent, "", failure.error);
    fail(result, failure.verdict, failure.error, failure.failingStep);
    return false;
  }
  take(std::move(outcome.answer));
  return true;
}

} // namespace nestwright
