#include "core/measure/protocol.h"

#include "core/measure/text_limit.h"
#include "core/support/error.h"

#include <cmath>
#include <limits>

namespace nestwright {

namespace {

using nlohmann::json;

json limitsJson(const WorkLimits& limits) {
  return {{"seconds", limits.seconds},
          {"memory_bytes", limits.memoryBytes},
          {"threads", limits.threads}};
}

WorkLimits limitsFrom(const json& header) {
  const json& limits = header.at("limits");
  return {limits.at("seconds").get<double>(), limits.at("memory_bytes").get<std::int64_t>(),
          limits.at("threads").get<int>()};
}

json artifactJson(const KernelArtifact& artifact) {
  json layouts = json::array();
  for (const auto& layout : artifact.layouts)
    layouts.push_back(layout ? toJson(*layout) : json());
  return {{"entry", artifact.entry},
          {"workspace_bytes", artifact.workspaceBytes},
          {"thread_workspace_bytes", artifact.threadWorkspaceBytes},
          {"parameter_bytes", artifact.parameterBytes},
          {"input_count", artifact.inputCount},
          {"layouts", std::move(layouts)}};
}

KernelArtifact artifactFrom(Frame&& frame) {
  const json& fields = frame.header.at("artifact");
  KernelArtifact artifact;
  fields.at("entry").get_to(artifact.entry);
  fields.at("workspace_bytes").get_to(artifact.workspaceBytes);
  fields.at("thread_workspace_bytes").get_to(artifact.threadWorkspaceBytes);
  fields.at("parameter_bytes").get_to(artifact.parameterBytes);
  fields.at("input_count").get_to(artifact.inputCount);
  for (const json& layout : fields.at("layouts"))
    artifact.layouts.push_back(layout.is_null() ? std::nullopt
                                                : std::optional(packedLayout(layout)));
  artifact.code = std::move(frame.payload);
  return artifact;
}

} // namespace

Frame toFrame(const BuildWork& work) {
  return {{{"type", "build"},
           {"limits", limitsJson(work.limits)},
           {"dag", work.dag},
           {"steps", toJson(work.steps)},
           {"naive", work.naive}},
          {}};
}

BuildWork buildWork(const Frame& frame) {
  BuildWork work;
  work.limits = limitsFrom(frame.header);
  frame.header.at("dag").get_to(work.dag);
  work.steps = stepsFromJson(frame.header.at("steps"));
  frame.header.at("naive").get_to(work.naive);
  return work;
}

Frame toFrame(const LoadWork& work) {
  return {{{"type", "load"},
           {"limits", limitsJson(work.limits)},
           {"dag", work.dag},
           {"input_seed", work.inputSeed},
           {"artifact", artifactJson(work.artifact)}},
          work.artifact.code};
}

LoadWork loadWork(Frame&& frame) {
  LoadWork work;
  work.limits = limitsFrom(frame.header);
  frame.header.at("dag").get_to(work.dag);
  frame.header.at("input_seed").get_to(work.inputSeed);
  work.artifact = artifactFrom(std::move(frame));
  return work;
}

Frame toFrame(const RunWork& work) {
  return {{{"type", "run"},
           {"limits", limitsJson(work.limits)},
           {"naive", work.naive},
           {"warmups", work.timing.warmups},
           {"repeats", work.timing.repeats},
           {"min_repeat_seconds", work.timing.minRepeatSeconds},
           {"max_total_seconds", work.timing.maxTotalSeconds},
           {"flush_cache", work.timing.flushCache}},
          {}};
}

RunWork runWork(const Frame& frame) {
  RunWork work;
  work.limits = limitsFrom(frame.header);
  frame.header.at("naive").get_to(work.naive);
  frame.header.at("warmups").get_to(work.timing.warmups);
  frame.header.at("repeats").get_to(work.timing.repeats);
  frame.header.at("min_repeat_seconds").get_to(work.timing.minRepeatSeconds);
  frame.header.at("max_total_seconds").get_to(work.timing.maxTotalSeconds);
  frame.header.at("flush_cache").get_to(work.timing.flushCache);
  return work;
}

Frame toFrame(const CheckWork& work) {
  return {{{"type", "check"},
           {"limits", limitsJson(work.limits)},
           {"relative_tolerance", work.tolerance.relative},
           {"absolute_tolerance", work.tolerance.absolute}},
          {}};
}

CheckWork checkWork(const Frame& frame) {
  CheckWork work;
  work.limits = limitsFrom(frame.header);
  frame.header.at("relative_tolerance").get_to(work.tolerance.relative);
  frame.header.at("absolute_tolerance").get_to(work.tolerance.absolute);
  return work;
}

Frame builtFrame(KernelArtifact artifact, double seconds) {
  json header = {{"type", "built"}, {"seconds", seconds}, {"artifact", artifactJson(artifact)}};
  return {std::move(header), std::move(artifact.code)};
}

KernelArtifact builtArtifact(Frame&& frame) {
  return artifactFrom(std::move(frame));
}

Frame ranFrame(const Timing& timing) {
  return {{{"type", "ran"},
           {"seconds", timing.seconds},
           {"runs_per_repeat", timing.runsPerRepeat},
           {"warmups", timing.warmups},
           {"kernel_seconds", timing.kernelSeconds}},
          {}};
}

Timing ranTiming(const Frame& frame) {
  Timing timing;
  frame.header.at("seconds").get_to(timing.seconds);
  frame.header.at("runs_per_repeat").get_to(timing.runsPerRepeat);
  frame.header.at("warmups").get_to(timing.warmups);
  frame.header.at("kernel_seconds").get_to(timing.kernelSeconds);
  return timing;
}

Frame checkedFrame(const CheckOutcome& outcome) {
  json error = outcome.maxRelativeError;
  if (!std::isfinite(outcome.maxRelativeError)) error = nullptr;
  return {{{"type", "checked"},
           {"agrees", outcome.agrees},
           {"max_relative_error", error},
           {"error", outcome.error},
           {"kernel_seconds", outcome.kernelSeconds}},
          {}};
}

CheckOutcome checkedOutcome(const Frame& frame) {
  CheckOutcome outcome;
  frame.header.at("agrees").get_to(outcome.agrees);
  const json& error = frame.header.at("max_relative_error");
  outcome.maxRelativeError =
      error.is_null() ? std::numeric_limits<double>::infinity() : error.get<double>();
  frame.header.at("error").get_to(outcome.error);
  frame.header.at("kernel_seconds").get_to(outcome.kernelSeconds);
  return outcome;
}

Frame failedFrame(Verdict verdict, const std::string& error, int failingStep, double seconds) {
  return {{{"type", "failed"},
           {"verdict", name(verdict)},
           {"error", boundedText(error)},
           {"failing_step", failingStep},
           {"seconds", seconds}},
          {}};
}

json toJson(const PackedLayout& layout) {
  json parts = json::array();
  for (const PackedLayout::Part& part : layout.parts)
    parts.push_back({part.dimension, part.extent, part.size});
  return {{"shape", layout.shape}, {"axes", layout.axes}, {"parts", std::move(parts)}};
}

PackedLayout packedLayout(const json& json) {
  PackedLayout layout;
  json.at("shape").get_to(layout.shape);
  json.at("axes").get_to(layout.axes);
  for (const auto& part : json.at("parts"))
    layout.parts.push_back(
        {part.at(0).get<int>(), part.at(1).get<std::int64_t>(), part.at(2).get<std::int64_t>()});
  validate(layout);
  return layout;
}

std::string typeOf(const Frame& frame) {
  return frame.header.value("type", "");
}

} // namespace nestwright
