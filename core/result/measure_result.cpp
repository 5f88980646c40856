#include "core/result/measure_result.h"

#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nestwright {

double MeasureResult::median() const {
  if (verdict != Verdict::Ok || seconds.empty()) return kInfinity;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double MeasureResult::spread() const {
  const double centre = median();
  if (seconds.size() < 2 || !(centre > 0) || !std::isfinite(centre)) return 0;
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return (*most - *least) / centre;
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

MeasureResult measureResultFromJson(const nlohmann::json& json) {
  try {
    MeasureResult result;
    readFields(json, result);
    return result;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("not a measurement result: {}", e.what()));
  }
}

std::string oneSentence(const MeasureResult& result) {
  std::string sentence = name(result.verdict);
  if (result.failingStep >= 0) sentence += fmt::format(" at step {}", result.failingStep);
  const std::string firstLine = result.error.substr(0, result.error.find('\n'));
  if (!firstLine.empty()) sentence += fmt::format(": {}", firstLine);
  return sentence;
}

} // namespace nestwright
