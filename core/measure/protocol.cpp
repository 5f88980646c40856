#include "core/measure/protocol.h"

#include "core/measure/artifact_json.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_fields.h"
#include "core/support/text_limit.h"
#include "core/target/target_json.h"
#include "core/worker/frame_fields.h"

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
  io.nested("target", work.target, targetFactsFromJson);
  io("dag", work.dag);
  io.nested("steps", work.steps, stepsFromJson);
  io("naive", work.naive);
}
/// All but the artifact.
template <class Io>
void fields(Io& io, LoadWork& work) {
  io.object("limits", work.limits);
  io("device", work.device);
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
  io("wake_seconds", work.timing.wakeSeconds);
  io("steady_within", work.timing.steadyWithin);
  io.nested("evaluator", work.timing.evaluator, evaluatorFromJson);
  io("best_seconds", work.timing.bestSeconds);
}
template <class Io>
void fields(Io& io, CheckWork& work) {
  io.object("limits", work.limits);
  io("relative_tolerance", work.tolerance.relative);
  io("absolute_tolerance", work.tolerance.absolute);
}
template <class Io>
void fields(Io& io, CountWork& work) {
  io.object("limits", work.limits);
  io("seconds", work.seconds);
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

constexpr std::size_t kMostSlowedBy = 200;
constexpr std::size_t kMostReason = 500; // why there is no count
constexpr const char* kDeviceAbsent = "device_absent";
// A number in JSON, its comma included.
constexpr std::uint64_t kNumberBytes = 32;

KernelArtifact artifactIn(Frame&& frame) {
  return kernelArtifact(fieldOf(frame.header, "artifact"), std::move(frame.payload));
}

/// Of a run in micro-batches.
std::optional<StopReason> stopReasonIn(const Frame& frame) {
  if (!frame.header.contains("stopped")) return std::nullopt;
  try {
    return stopReasonFromName(textField(frame.header, "stopped"));
  } catch (const BadFrame&) {
    throw;
  } catch (const InputError& e) {
    throw BadFrame(e.what());
  }
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
  frame.header["artifact"] = toJson(work.artifact);
  frame.payload = work.artifact.code;
  return frame;
}

LoadWork loadWork(Frame&& frame) {
  LoadWork work = requestIn<LoadWork>(frame);
  work.artifact = artifactIn(std::move(frame));
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

Frame toFrame(const CountWork& work) {
  return requestFrame("count", work);
}

CountWork countWork(const Frame& frame) {
  return requestIn<CountWork>(frame);
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

Frame targetFrame(const std::string& device) {
  return {{{"type", "target"}, {"device", device}}, {}};
}

std::string deviceIn(const Frame& frame) {
  return textField(frame.header, "device");
}

Frame targetFrame(const TargetFacts& target) {
  return {{{"type", "target"}, {"target", toJson(target)}}, {}};
}

TargetFacts targetIn(const Frame& frame) {
  requireType(frame, "target");
  try {
    return targetFactsFromJson(fieldOf(frame.header, "target"));
  } catch (const InputError& e) {
    throw BadFrame(e.what());
  }
}

Frame builtFrame(KernelArtifact artifact, double seconds) {
  json header = {{"type", "built"}, {"seconds", seconds}, {"artifact", toJson(artifact)}};
  return {std::move(header), std::move(artifact.code)};
}

BuiltAnswer builtAnswer(Frame&& frame) {
  requireType(frame, "built");
  const double seconds = amountField(frame.header, "seconds");
  return {artifactIn(std::move(frame)), seconds};
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
  if (timing.stopped) frame.header["stopped"] = name(*timing.stopped);
  if (timing.machine.clockHertz) frame.header["clock_hertz"] = *timing.machine.clockHertz;
  if (timing.machine.celsius) frame.header["celsius"] = *timing.machine.celsius;
  if (timing.machine.watts) frame.header["watts"] = *timing.machine.watts;
  if (!timing.machine.slowedBy.empty())
    frame.header["slowed_by"] = boundedText(timing.machine.slowedBy, kMostSlowedBy);
  if (timing.machine.anchorSeconds) frame.header["anchor_seconds"] = *timing.machine.anchorSeconds;
  return frame;
}

Timing ranTiming(const Frame& frame, int repeats) {
  requireType(frame, "ran");
  Timing timing;
  timing.seconds =
      timesField(frame.header, "seconds", 1, static_cast<std::size_t>(std::max(1, repeats)));
  timing.runsPerRepeat = intField(frame.header, "runs_per_repeat", 1);
  timing.stopped = stopReasonIn(frame);
  timing.warmups = intField(frame.header, "warmups", 0);
  timing.kernelSeconds = amountField(frame.header, "kernel_seconds");
  if (frame.header.contains("clock_hertz"))
    timing.machine.clockHertz = amountField(frame.header, "clock_hertz");
  if (frame.header.contains("celsius"))
    timing.machine.celsius = finiteField(frame.header, "celsius");
  if (frame.header.contains("watts")) timing.machine.watts = amountField(frame.header, "watts");
  if (frame.header.contains("slowed_by"))
    timing.machine.slowedBy = boundedText(textField(frame.header, "slowed_by"), kMostSlowedBy);
  if (frame.header.contains("anchor_seconds"))
    timing.machine.anchorSeconds =
        timesIn(json::array({fieldOf(frame.header, "anchor_seconds")}), "anchor_seconds", 1, 1)[0];
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

Frame countedFrame(const ProgramCounts& counts) {
  json counters = json::array();
  for (const CounterReading& reading : counts.counters) {
    json& one = counters.emplace_back(json{{"counter", name(reading.counter)}});
    if (reading.perRun) {
      one["per_run"] = *reading.perRun;
      one["counted"] = reading.counted;
    } else {
      one["why_not"] = boundedText(reading.whyNot, kMostReason);
    }
  }
  const EnergyReading& energy = counts.energy;
  json meter = {{"zones", boundedText(energy.zones, kMostReason)},
                {"why_not", boundedText(energy.whyNot, kMostReason)}};
  if (energy.joulesPerRun) meter["joules_per_run"] = *energy.joulesPerRun;
  if (energy.idleWatts) meter["idle_watts"] = *energy.idleWatts;
  return {{{"type", "counted"},
           {"seconds", counts.seconds},
           {"runs", counts.runs},
           {"threads", counts.threads},
           {"counters", std::move(counters)},
           {"energy", std::move(meter)}},
          {}};
}

ProgramCounts countedIn(const Frame& frame) {
  requireType(frame, "counted");
  ProgramCounts counts;
  counts.seconds =
      timesIn(json::array({fieldOf(frame.header, "seconds")}), "seconds", 1, 1).front();
  counts.runs = intField(frame.header, "runs", 1);
  counts.threads = intField(frame.header, "threads", 1);
  for (const json& one : listField(frame.header, "counters")) {
    CounterReading& reading = counts.counters.emplace_back();
    const std::optional<Counter> counter = counterNamed(textField(one, "counter"));
    if (!counter) throw BadFrame("\"counter\" must be one that was asked for");
    reading.counter = *counter;
    if (std::ranges::count(counts.counters, *counter, &CounterReading::counter) > 1)
      throw BadFrame(fmt::format("{} was counted twice", name(*counter)));
    if (one.contains("per_run")) {
      reading.perRun = amountField(one, "per_run");
      reading.counted = amountField(one, "counted");
    } else {
      reading.whyNot = boundedText(textField(one, "why_not"), kMostReason);
    }
  }
  const json& meter = fieldOf(frame.header, "energy");
  counts.energy.zones = boundedText(textField(meter, "zones"), kMostReason);
  counts.energy.whyNot = boundedText(textField(meter, "why_not"), kMostReason);
  if (meter.contains("joules_per_run"))
    counts.energy.joulesPerRun = amountField(meter, "joules_per_run");
  if (meter.contains("idle_watts")) counts.energy.idleWatts = amountField(meter, "idle_watts");
  return counts;
}

Frame failedFrame(Verdict verdict, const std::string& error, int failingStep, double seconds) {
  return {{{"type", "failed"},
           {"verdict", name(verdict)},
           {"error", error.empty() ? "no reason was given" : boundedText(error)},
           {"failing_step", failingStep},
           {"seconds", seconds}},
          {}};
}

void setDeviceAbsent(Frame& failed) {
  failed.header[kDeviceAbsent] = true;
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
  if (failure.verdict == Verdict::Ok || saysNothing(failure.verdict))
    throw BadFrame(fmt::format("it failed with the verdict \"{}\"", verdict));
  failure.error = textField(frame.header, "error");
  if (failure.error.empty()) throw BadFrame("it failed without a reason");
  failure.failingStep = intField(frame.header, "failing_step", -1);
  if (frame.header.contains(kDeviceAbsent))
    failure.deviceAbsent = flagField(frame.header, kDeviceAbsent);
  return failure;
}

std::string typeOf(const Frame& frame) {
  return textField(frame.header, "type");
}

} // namespace nestwright
