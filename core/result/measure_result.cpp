#include "core/result/measure_result.h"

#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_number.h"

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

nlohmann::json toJson(const MeasureResult& result) {
  nlohmann::json json = {{"id", result.id},
                         {"verdict", name(result.verdict)},
                         {"error", result.error},
                         {"unchecked_reason", result.uncheckedReason},
                         {"failing_step", result.failingStep},
                         {"seconds", result.seconds},
                         {"runs_per_repeat", result.runsPerRepeat},
                         {"warmups", result.warmups},
                         {"cache_flushed", result.cacheFlushed},
                         {"checked", result.checked},
                         {"max_relative_error", finiteOrNull(result.maxRelativeError)},
                         {"build_seconds", result.buildSeconds},
                         {"run_seconds", result.runSeconds},
                         {"started_at", result.startedAt}};
  if (result.machine.clockHertz) json["clock_hertz"] = *result.machine.clockHertz;
  if (result.machine.celsius) json["celsius"] = *result.machine.celsius;
  return json;
}

MeasureResult measureResultFromJson(const nlohmann::json& json) {
  try {
    MeasureResult result;
    result.id = json.at("id").get<std::uint64_t>();
    result.verdict = verdictFromName(json.at("verdict").get<std::string>());
    json.at("error").get_to(result.error);
    json.at("unchecked_reason").get_to(result.uncheckedReason);
    json.at("failing_step").get_to(result.failingStep);
    json.at("seconds").get_to(result.seconds);
    json.at("runs_per_repeat").get_to(result.runsPerRepeat);
    json.at("warmups").get_to(result.warmups);
    json.at("cache_flushed").get_to(result.cacheFlushed);
    json.at("checked").get_to(result.checked);
    const nlohmann::json& error = json.at("max_relative_error");
    result.maxRelativeError = error.is_null() ? kInfinity : error.get<double>();
    json.at("build_seconds").get_to(result.buildSeconds);
    json.at("run_seconds").get_to(result.runSeconds);
    json.at("started_at").get_to(result.startedAt);
    if (json.contains("clock_hertz")) result.machine.clockHertz = json.at("clock_hertz");
    if (json.contains("celsius")) result.machine.celsius = json.at("celsius");
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
