#include "core/result/measure_result.h"

#include "core/result/micro_batches.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"

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

std::string evaluationText(const MeasureResult& result) {
  const std::span<const double> times = microBatches(result);
  const Evaluation& evaluation = *result.evaluation;
  std::string text = fmt::format(
      "{} in {} {} of {} ({}): {}", quantity(std::ssize(times) * result.runsPerRepeat, "run"),
      times.size(), times.size() == 1 ? "micro-batch" : "micro-batches", result.runsPerRepeat,
      name(evaluation.kind), name(evaluation.stopped));
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
