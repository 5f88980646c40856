#include "core/result/evaluation.h"

#include "core/result/micro_batches.h"
#include "core/support/error.h"
#include "core/support/name_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace nestwright {

namespace {

constexpr NameTable<StopReason, 5> kReasons = {
    {"all runs made", "steady", "seconds spent", "hopeless", "recording ended"}};

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Without the smallest and the largest where there are more than so many.
std::vector<double> withoutExtremes(std::vector<double> values, std::size_t beyond) {
  std::ranges::sort(values);
  if (values.size() <= beyond) return values;
  return {values.begin() + 1, values.end() - 1};
}

/// Of each micro-batch, or since the start after each, in runs a second.
std::vector<double> speedsOf(SpeedEstimate speed, std::span<const double> times) {
  constexpr std::size_t kKeepsAll = 4;
  std::vector<double> speeds;
  double total = 0;
  for (const double seconds : times) {
    total += seconds;
    speeds.push_back(speed == SpeedEstimate::Batch
                         ? 1 / seconds
                         : static_cast<double>(speeds.size() + 1) / total);
  }
  return speed == SpeedEstimate::Batch ? withoutExtremes(std::move(speeds), kKeepsAll) : speeds;
}

} // namespace

const char* name(StopReason reason) {
  return kReasons.of(reason);
}

StopReason stopReasonFromName(std::string_view text) {
  if (const auto reason = kReasons.find(text)) return *reason;
  throw InputError(fmt::format("\"{}\" is no reason for which an evaluator stops", text));
}

Evaluation evaluationBy(const Evaluator& evaluator, StopReason stopped, std::size_t batches) {
  return {evaluator.kind, evaluator.speed, stopped, static_cast<int>(batches)};
}

double variationOfSpeeds(SpeedEstimate speed, std::span<const double> times) {
  const std::vector<double> speeds = speedsOf(speed, times);
  const double centre = mean(speeds);
  double squares = 0;
  for (const double value : speeds)
    squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(speeds.size())) / centre;
}

double evaluatedSeconds(SpeedEstimate speed, std::span<const double> times) {
  const std::vector<bool> counted = countedBatches(speed, times);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (counted[i]) sum += times[i], ++count;
  return sum / count;
}

std::optional<StopReason> stopsAfter(const Evaluator& evaluator, std::span<const double> times,
                                     double bestSeconds) {
  const auto count = static_cast<int>(times.size());
  if (count == 1 && evaluator.hopeless > 0 && bestSeconds > 0 &&
      times.front() > evaluator.hopeless * bestSeconds)
    return StopReason::Hopeless;
  if (count >= evaluator.mostBatches()) return StopReason::AllRuns;
  if (evaluator.kind == EvaluatorKind::Adaptive && count >= evaluator.least &&
      variationOfSpeeds(evaluator.speed, times) < evaluator.cv)
    return StopReason::Steady;
  const double nextTotal = mean(times) * evaluator.batch * (count + 1);
  if (evaluator.seconds > 0 && nextTotal > evaluator.seconds) return StopReason::SecondsSpent;
  return std::nullopt;
}

ReplayedBatches replayBatches(Evaluator evaluator, std::span<const double> times, int runsPerBatch,
                              double bestSeconds) {
  NW_ASSERT(!times.empty() && runsPerBatch > 0, "{} micro-batches of {} runs", times.size(),
            runsPerBatch);
  evaluator.batch = std::min(runsPerBatch, evaluator.runs);
  for (std::size_t count = 1; count <= times.size(); ++count)
    if (const auto stopped = stopsAfter(evaluator, times.first(count), bestSeconds))
      return {count, *stopped};
  return {times.size(), StopReason::RecordingEnd};
}

} // namespace nestwright
