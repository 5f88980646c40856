#pragma once
/// \file What becomes of a request whose worker died, hung or refused: a verdict and its reason.

#include "core/measure/measure.h"
#include "core/measure/protocol.h"
#include "core/measure/worker_pool.h"

#include <exception>

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
template <class Take>
bool takeAnswer(MeasureResult& result, WorkOutcome& outcome, const StageWords& stage,
                const Take& take) {
  if (outcome.kind != WorkOutcome::Kind::Answered) {
    failBy(result, outcome, stage);
    return false;
  }
  try {
    const nlohmann::json& header = outcome.answer.header;
    if (typeOf(outcome.answer) == "failed") {
      fail(result, verdictFromName(header.at("verdict").get<std::string>()),
           header.at("error").get<std::string>(), header.at("failing_step").get<int>());
      return false;
    }
    take(std::move(outcome.answer));
    return true;
  } catch (const std::exception& e) { // JSON's or ours: the header is not what it should be
    fail(result, Verdict::WorkerLost,
         fmt::format("the worker's answer while {} makes no sense: {}", stage.doing, e.what()));
    return false;
  }
}

} // namespace nestwright
