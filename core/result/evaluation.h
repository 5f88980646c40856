#pragma once
/// \file When an evaluator stops, and what time comes of its micro-batches: pure functions of their
/// times (handbook/cost-models.md 4.2).

#include "core/result/evaluator.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace nestwright {

/// Why no further micro-batch was made.
enum class StopReason : std::uint8_t {
  AllRuns,
  Steady,       // the speeds agree
  SecondsSpent, // another one would not have fitted
  Hopeless,     // far slower than the best
  RecordingEnd, // a recorded machine has no more of them
};
/// "all runs made", "steady", "seconds spent", "hopeless", "recording ended".
const char* name(StopReason reason);
/// Throws InputError for a text that names none.
StopReason stopReasonFromName(std::string_view text);

/// How micro-batches came about, kept with their times (C30).
struct Evaluation {
  EvaluatorKind kind = EvaluatorKind::Adaptive;
  SpeedEstimate speed = SpeedEstimate::Batch;
  StopReason stopped = StopReason::AllRuns;
  int batches = 0; // of the times, the first so many; behind them are repeats (C31)
  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};
Evaluation evaluationBy(const Evaluator& evaluator, StopReason stopped, std::size_t batches);

/// Whether the evaluator stops after micro-batches of these times, seconds of a run each; at least
/// one. `bestSeconds`: of the task's best, 0 while there is none.
std::optional<StopReason> stopsAfter(const Evaluator& evaluator, std::span<const double> times,
                                     double bestSeconds = 0);

/// Population standard deviation over mean of the speeds that are looked at.
double variationOfSpeeds(SpeedEstimate speed, std::span<const double> times);

/// A run's time by these micro-batches: their mean, beyond two of them without the extremes; of
/// cumulative speeds the mean of all.
double evaluatedSeconds(SpeedEstimate speed, std::span<const double> times);

/// What an evaluator that was not there makes of micro-batches that were recorded: how many of
/// them, from the first on, it would have made, and why it would have stopped.
struct ReplayedBatches {
  std::size_t batches = 0;
  StopReason stopped = StopReason::RecordingEnd;
};
/// `runsPerBatch`: of each recorded one; they are not cut apart. At least one time.
ReplayedBatches replayBatches(Evaluator evaluator, std::span<const double> times, int runsPerBatch,
                              double bestSeconds = 0);

} // namespace nestwright
