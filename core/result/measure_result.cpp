#include "core/result/measure_result.h"

#include "core/result/micro_batches.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace nestwright {

double MeasureResult::latency() const {
  if (verdict != Verdict::Ok || seconds.empty()) return kInfinity;
  std::span<const double> repeats = seconds;
  if (evaluation) {
    const std::span<const double> batches = microBatches(*this);
    if (batches.size() == seconds.size()) return evaluatedSeconds(evaluation->speed, batches);
    repeats = repeats.subspan(batches.size());
  }
  std::vector<double> sorted(repeats.begin(), repeats.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double MeasureResult::spread() const {
  const double centre = latency();
  if (seconds.size() < 2 || !(centre > 0) || !std::isfinite(centre)) return 0;
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return (*most - *least) / centre;
}

template <class Io>
void fields(Io& io, Evaluation& evaluation) {
  io.named("kind", evaluation.kind, evaluatorKindFromName);
  io.named("speed", evaluation.speed, speedEstimateFromName);
  io.named("stopped", evaluation.stopped, stopReasonFromName);
  io("batches", evaluation.batches);
}

template <class Io>
void fields(Io& io, MeasureResult& result) {
  io("id", result.id);
  io.named("verdict", result.verdict, verdictFromName);
  io("error", result.error);
  io("unchecked_reason", result.uncheckedReason);
  io("failing_step", result.failingStep);
  io("seconds", result.seconds);
  io("runs_per_repeat", result.runsPerRepeat);
  io("warmups", result.warmups);
  io.objectIfAny("evaluation", result.evaluation);
  io("cache_flushed", result.cacheFlushed);
  io("checked", result.checked);
  io.number("max_relative_error", result.maxRelativeError);
  io("build_seconds", result.buildSeconds);
  io("run_seconds", result.runSeconds);
  io("started_at", result.startedAt);
  io.ifAny("clock_hertz", result.machine.clockHertz);
  io.ifAny("celsius", result.machine.celsius);
  io.ifAny("watts", result.machine.watts);
  io.orElse("slowed_by", result.machine.slowedBy, std::string());
  io.ifAny("anchor_seconds", result.machine.anchorSeconds);
  io.ifAny("anchor_shift", result.machine.anchorShift);
}

nlohmann::json toJson(const MeasureResult& result) {
  return toFields(result);
}

namespace {

/// An evaluated time is of some micro-batches, the first of the times.
void requireBatches(const MeasureResult& result) {
  const int batches = result.evaluation->batches;
  if (batches < 1 || std::ssize(result.seconds) < batches || result.runsPerRepeat < 1)
    throw InputError(fmt::format("not a measurement result: {} micro-batches of {} runs among {} "
                                 "times",
                                 batches, result.runsPerRepeat, result.seconds.size()));
}

} // namespace

MeasureResult measureResultFromJson(const nlohmann::json& json) {
  try {
    MeasureResult result;
    readFields(json, result);
    if (result.evaluation) requireBatches(result);
    return result;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("not a measurement result: {}", e.what()));
  }
}

std::string evaluationText(const MeasureResult& result) {
  const std::span<const double> times = microBatches(result);
  const Evaluation& evaluation = *result.evaluation;
  std::string text =
      fmt::format("{} runs in {} {} of {} ({}): {}", std::ssize(times) * result.runsPerRepeat,
                  times.size(), times.size() == 1 ? "micro-batch" : "micro-batches",
                  result.runsPerRepeat, name(evaluation.kind), name(evaluation.stopped));
  if (times.size() < 2) return text;
  return text + fmt::format(", their speeds vary by {:.1f} %",
                            100 * variationOfSpeeds(evaluation.speed, times));
}

nlohmann::json evaluationJson(const MeasureResult& result) {
  const std::span<const double> times = microBatches(result);
  const Evaluation& evaluation = *result.evaluation;
  nlohmann::json cv = nullptr;
  if (!times.empty()) cv = variationOfSpeeds(evaluation.speed, times);
  return {{"evaluator", name(evaluation.kind)},
          {"speed", name(evaluation.speed)},
          {"micro_batches", times.size()},
          {"runs", std::ssize(times) * result.runsPerRepeat},
          {"cv", std::move(cv)},
          {"stopped", name(evaluation.stopped)}};
}

std::string oneSentence(const MeasureResult& result) {
  std::string sentence = name(result.verdict);
  if (result.failingStep >= 0) sentence += fmt::format(" at step {}", result.failingStep);
  const std::string firstLine = result.error.substr(0, result.error.find('\n'));
  if (!firstLine.empty()) sentence += fmt::format(": {}", firstLine);
  return sentence;
}

} // namespace nestwright
