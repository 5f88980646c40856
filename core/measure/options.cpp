#include "core/measure/measure.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

constexpr const char* kEvaluator = "evaluator"; // beside the others, as its text

/// The one list of options: calls `f` with the name and the field of each.
template <class Options, class F>
void forEachOption(Options& options, const F& f) {
  f("threads", options.threads);
  f("builders", options.builders);
  f("warmups", options.warmups);
  f("repeats", options.repeats);
  f("min_repeat_seconds", options.minRepeatSeconds);
  f("max_total_seconds", options.maxTotalSeconds);
  f("flush_cache", options.flushCache);
  f("device", options.device);
  f("build_timeout_seconds", options.buildTimeoutSeconds);
  f("run_timeout_seconds", options.runTimeoutSeconds);
  f("reference_timeout_seconds", options.referenceTimeoutSeconds);
  f("memory_limit_bytes", options.memoryLimitBytes);
  f("jobs_per_worker", options.jobsPerWorker);
  f("bytes_per_worker", options.bytesPerWorker);
  f("input_seed", options.inputSeed);
  f("relative_tolerance", options.relativeTolerance);
  f("absolute_tolerance", options.absoluteTolerance);
}

} // namespace

nlohmann::json toJson(const MeasureOptions& options) {
  nlohmann::json json = nlohmann::json::object();
  forEachOption(options, [&](const char* name, const auto& value) { json[name] = value; });
  json[kEvaluator] = toJson(options.evaluator);
  return json;
}

MeasureOptions measureOptionsFromJson(const nlohmann::json& json) {
  MeasureOptions options;
  forEachOption(options, [&](const char* name, auto& value) {
    if (!json.contains(name)) return;
    try {
      json.at(name).get_to(value);
    } catch (const nlohmann::json::exception& e) {
      throw InputError(fmt::format("measure option '{}': {}", name, e.what()));
    }
  });
  if (json.contains(kEvaluator)) options.evaluator = evaluatorFromJson(json.at(kEvaluator));
  return options;
}

} // namespace nestwright
