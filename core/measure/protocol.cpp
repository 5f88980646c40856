#include "core/measure/protocol.h"

#include "core/measure/frame_fields.h"
#include "core/measure/launch_fields.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_fields.h"
#include "core/support/text_limit.h"

#include <algorithm>

namespace nestwright {

using nlohmann::json;

// What is asked of a worker, in both directions. Its answers are read with more distrust.
template <class Io>
void fields(Io& io, WorkLimits& limits) {
  io("seconds", limits.seconds);
  io("memory_bytes", limits.memoryBytes);
  io("threads", limits.threads);
}
template <class Io>
void fields(Io& io, BuildWork& work) {
  io.object("limits", work.limits);
  io("dag", work.dag);
  io.nested("steps", work.steps, stepsFromJson);
  io("naive", work.naive);
}
/// All but the artifact.
template <class Io>
void fields(Io& io, LoadWork& work) {
  io.object("limits", work.limits);
  io("dag", work.dag);
  io("input_seed", work.inputSeed);
}
template <class Io>
void fields(Io& io, RunWork& work) {
  io.object("limits", work.limits);
  io("naive", work.naive);
  io("warmups", work.timing.warmups);
  io("repeats", work.timing.repeats);
  io("min_repeat_seconds", work.timing.minRepeatSeconds);
  io("max_total_seconds", work.timing.maxTotalSeconds);
  io("flush_cache", work.timing.flushCache);
}
template <class Io>
void fields(Io& io, CheckWork& work) {
  io.object("limits", work.limits);
  io("relative_tolerance", work.tolerance.relative);
  io("absolute_tolerance", work.tolerance.absolute);
}

namespace {

template <class Work>
Frame requestFrame(const char* type, const Work& work) {
  Frame frame{toFields(work), {}};
  frame.header["type"] = type;
  return frame;
}

template <class Work>
Work requestIn(const Frame& frame) {
  Work work;
  readFields(frame.header, work);
  return work;
}

json artifactJson(const KernelArtifact& artifact) {
  json layouts = json::array();
  for (const auto& layout : artifact.layouts)
    layouts.push_back(layout ? toJson(*layout) : json());
  json fields = {{"entry", artifact.entry},
                 {"workspace_bytes", artifact.workspaceBytes},
                 {"thread_workspace_bytes", artifact.threadWorkspaceBytes},
                 {"parameter_bytes", artifact.parameterBytes},
                 {"input_count", artifact.inputCount},
                 {"layouts", std::move(layouts)}};
  if (artifact.launches.empty()) return fields;
  fields["launches"] = launchesJson(artifact.launches);
  fields["architecture"] = artifact.architecture;
  fields["compiler"] = artifact.compiler;
  return fields;
}

// Larger than any memory that a kernel could be given, and small enough to be added up.
constexpr std::int64_t kMostBytes = 1ll << 40;
// A number in JSON, its comma included.
constexpr std::uint64_t kNumberBytes = 32;

KernelArtifact artifactFrom(Frame&& frame) {
  const json& fields = fieldOf(frame.header, "artifact");
  KernelArtifact artifact;
  artifact.entry = textField(fields, "entry");
  artifact.workspaceBytes = wholeField(fields, "workspace_bytes", 0, kMostBytes);
  artifact.threadWorkspaceBytes = wholeField(fields, "thread_workspace_bytes", 0, kMostBytes);
  for (const json& bytes : listField(fields, "parameter_bytes"))
    artifact.parameterBytes.push_back(wholeValue(bytes, "parameter_bytes", 0, kMostBytes));
  artifact.inputCount = intField(fields, "input_count", 0);
  const json& layouts = listField(fields, "layouts");
  if (artifact.parameterBytes.size() < static_cast<std::size_t>(artifact.inputCount) ||
      artifact.parameterBytes.size() < layouts.size())
    throw BadFrame("a kernel has more inputs or layouts than parameters");
  for (const json& layout : layouts)
    artifact.layouts.push_back(layout.is_null() ? std::nullopt
                                                : std::optional(packedLayout(layout)));
  if (fields.contains("launches")) {
    artifact.launches = launchesIn(listField(fields, "launches"), artifact);
    artifact.architecture = textField(fields, "architecture");
    artifact.compiler = textField(fields, "compiler");
  }
  artifact.code = std::move(frame.payload);
  return artifact;
}

void requireType(const Frame& frame, const char* type) {
  if (typeOf(frame) != type)
    throw BadFrame(
        fmt::format("\"{}\" was expected, it said \"{}\"", type, boundedText(typeOf(frame), 100)));
}

} // namespace

Frame toFrame(const BuildWork& work) {
  return requestFrame("build", work);
}

BuildWork buildWork(const Frame& frame) {
  return requestIn<BuildWork>(frame);
}

Frame toFrame(const LoadWork& work) {
  Frame frame = requestFrame("load", work);
  frame.header["artifact"] = artifactJson(work.artifact);
  frame.payload = work.artifact.code;
  return frame;
}

LoadWork loadWork(Frame&& frame) {
  LoadWork work = requestIn<LoadWork>(frame);
  work.artifact = artifactFrom(std::move(frame));
  return work;
}

Frame toFrame(const RunWork& work) {
  return requestFrame("run", work);
}

RunWork runWork(const Frame& frame) {
  return requestIn<RunWork>(frame);
}

Frame toFrame(const CheckWork& work) {
  return requestFrame("check", work);
}

CheckWork checkWork(const Frame& frame) {
  return requestIn<CheckWork>(frame);
}

FrameLimits answerWithNumbers(std::int64_t numbers) {
  return {kPlainAnswer.header + kNumberBytes * static_cast<std::uint64_t>(numbers), 0};
}

void setRequestNumber(Frame& frame, std::int64_t number) {
  frame.header["request"] = number;
}

std::int64_t requestNumber(const Frame& frame) {
  return wholeField(frame.header, "request", 1);
}

std::int64_t requireAnswerTo(std::int64_t number, const Frame& frame) {
  // A worker that did not understand the request cannot know its number, but says why.
  if (isFailed(frame) && !frame.header.contains("request"))
    throw BadFrame(fmt::format("it did not understand the request: {}", failureIn(frame).error));
  if (const std::int64_t of = requestNumber(frame); of != number)
    throw BadFrame(fmt::format("it answers request {}, and request {} is open", of, number));
  return wholeField(frame.header, "resident_bytes", 0);
}

Frame helloFrame(const std::string& error) {
  Frame hello{{{"type", "hello"}, {"protocol", kProtocolVersion}}, {}};
  if (!error.empty()) hello.header["error"] = boundedText(error);
  return hello;
}

Hello helloIn(const Frame& frame) {
  requireType(frame, "hello");
  Hello hello{intField(frame.header, "protocol", 1), {}};
  if (frame.header.contains("error")) hello.error = textField(frame.header, "error");
  return hello;
}

Frame builtFrame(KernelArtifact artifact, double seconds) {
  json header = {{"type", "built"}, {"seconds", seconds}, {"artifact", artifactJson(artifact)}};
  return {std::move(header), std::move(artifact.code)};
}

BuiltAnswer builtAnswer(Frame&& frame) {
  requireType(frame, "built");
  const double seconds = amountField(frame.header, "seconds");
  return {artifactFrom(std::move(frame)), seconds};
}

Frame loadedFrame() {
  return {{{"type", "loaded"}}, {}};
}

void requireLoaded(const Frame& frame) {
  requireType(frame, "loaded");
}

Frame ranFrame(const Timing& timing) {
  Frame frame{{{"type", "ran"},
               {"seconds", timing.seconds},
               {"runs_per_repeat", timing.runsPerRepeat},
               {"warmups", timing.warmups},
               {"kernel_seconds", timing.kernelSeconds}},
              {}};
  if (timing.machine.clockHertz) frame.header["clock_hertz"] = *timing.machine.clockHertz;
  if (timing.machine.celsius) frame.header["celsius"] = *timing.machine.celsius;
  return frame;
}

Timing ranTiming(const Frame& frame, int repeats) {
  requireType(frame, "ran");
  Timing timing;
  timing.seconds =
      timesField(frame.header, "seconds", 1, static_cast<std::size_t>(std::max(1, repeats)));
  timing.runsPerRepeat = intField(frame.header, "runs_per_repeat", 1);
  timing.warmups = intField(frame.header, "warmups", 0);
  timing.kernelSeconds = amountField(frame.header, "kernel_seconds");
  if (frame.header.contains("clock_hertz"))
    timing.machine.clockHertz = amountField(frame.header, "clock_hertz");
  if (frame.header.contains("celsius"))
    timing.machine.celsius = finiteField(frame.header, "celsius");
  return timing;
}

Frame checkedFrame(const CheckOutcome& outcome) {
  return {{{"type", "checked"},
           {"agrees", outcome.agrees},
           {"max_relative_error", finiteOrNull(outcome.maxRelativeError)},
           {"error", boundedText(outcome.error)},
           {"kernel_seconds", outcome.kernelSeconds}},
          {}};
}

CheckOutcome checkedOutcome(const Frame& frame) {
  requireType(frame, "checked");
  CheckOutcome outcome;
  outcome.agrees = flagField(frame.header, "agrees");
  outcome.maxRelativeError = fieldOf(frame.header, "max_relative_error").is_null()
                                 ? kInfinity
                                 : amountField(frame.header, "max_relative_error");
  outcome.error = textField(frame.header, "error");
  outcome.kernelSeconds = amountField(frame.header, "kernel_seconds");
  if (outcome.agrees != outcome.error.empty())
    throw BadFrame("a check says what differs just when something does");
  return outcome;
}

Frame failedFrame(Verdict verdict, const std::string& error, int failingStep, double seconds) {
  return {{{"type", "failed"},
           {"verdict", name(verdict)},
           {"error", error.empty() ? "no reason was given" : boundedText(error)},
           {"failing_step", failingStep},
           {"seconds", seconds}},
          {}};
}

bool isFailed(const Frame& frame) {
  return typeOf(frame) == "failed";
}

WorkFailure failureIn(const Frame& frame) {
  requireType(frame, "failed");
  WorkFailure failure;
  const std::string verdict = textField(frame.header, "verdict");
  try {
    failure.verdict = verdictFromName(verdict);
  } catch (const InputError& e) {
    throw BadFrame(e.what());
  }
  if (failure.verdict == Verdict::Ok || failure.verdict == Verdict::Cancelled)
    throw BadFrame(fmt::format("it failed with the verdict \"{}\"", verdict));
  failure.error = textField(frame.header, "error");
  if (failure.error.empty()) throw BadFrame("it failed without a reason");
  failure.failingStep = intField(frame.header, "failing_step", -1);
  return failure;
}

json toJson(const PackedLayout& layout) {
  json parts = json::array();
  for (const PackedLayout::Part& part : layout.parts)
    parts.push_back({part.dimension, part.extent, part.size});
  return {{"shape", layout.shape}, {"axes", layout.axes}, {"parts", std::move(parts)}};
}

PackedLayout packedLayout(const json& fields) {
  PackedLayout layout;
  for (const json& extent : listField(fields, "shape"))
    layout.shape.push_back(wholeValue(extent, "shape", 1, kMostBytes));
  for (const json& axis : listField(fields, "axes")) {
    if (!axis.is_string()) throw BadFrame("\"axes\" must be names");
    layout.axes.push_back(axis.get<std::string>());
  }
  if (layout.axes.size() != layout.shape.size())
    throw BadFrame("a layout has a name for each of its axes");
  double elements = 1;
  for (const json& part : listField(fields, "parts")) {
    if (!part.is_array() || part.size() != 3)
      throw BadFrame("a part of a layout is a dimension, an extent and a size");
    const auto last = static_cast<std::int64_t>(layout.shape.size()) - 1;
    layout.parts.push_back({static_cast<int>(wholeValue(part[0], "parts", 0, last)),
                            wholeValue(part[1], "parts", 1, kMostBytes),
                            wholeValue(part[2], "parts", 1, kMostBytes)});
    elements *= static_cast<double>(layout.parts.back().extent);
  }
  if (elements > static_cast<double>(kMostBytes)) throw BadFrame("a layout is too large");
  try {
    validate(layout);
  } catch (const InputError& e) {
    throw BadFrame(e.what());
  }
  return layout;
}

std::string typeOf(const Frame& frame) {
  return textField(frame.header, "type");
}

} // namespace nestwright
