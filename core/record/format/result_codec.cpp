#include "core/record/format/result_codec.h"

#include "core/record/format/bytes.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <limits>

namespace nestwright {

namespace {

/// Which of the fields follow; one that has its usual value takes no room.
enum Present : std::uint64_t {
  kSeconds = 1,
  kRunsPerRepeat = 2,
  kWarmups = 4,
  kFailingStep = 8,
  kMaxRelativeError = 16,
  kBuildSeconds = 32,
  kRunSeconds = 64,
  kStartedAt = 128,
  kWholeSecond = 256, // startedAt is told in seconds, as public records do
  kCacheFlushed = 512,
  kChecked = 1024,
  kClockHertz = 2048,
  kCelsius = 4096,
  kWatts = 8192,
  kSlowedBy = 16384,
  kAnchorSeconds = 32768,
  kAnchorShift = 65536,
  kEvaluation = 131072,
  kKernels = 262144
};

int toInt(std::int64_t number) {
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
    throw InputError("damaged record: a number of its result is out of range");
  return int(number);
}

std::uint64_t presentFields(const MeasureResult& r) {
  std::uint64_t present = 0;
  const auto set = [&](bool condition, Present bit) {
    if (condition) present |= bit;
  };
  set(!r.seconds.empty(), kSeconds);
  set(r.runsPerRepeat != 1, kRunsPerRepeat);
  set(r.warmups != 0, kWarmups);
  set(r.failingStep != -1, kFailingStep);
  set(r.maxRelativeError != 0, kMaxRelativeError); // also when it is not a number
  set(r.buildSeconds != 0, kBuildSeconds);
  set(r.runSeconds != 0, kRunSeconds);
  set(r.startedAt != 0, kStartedAt);
  set(r.startedAt != 0 && r.startedAt % kMicrosecondsPerSecond == 0, kWholeSecond);
  set(r.cacheFlushed, kCacheFlushed);
  set(r.checked, kChecked);
  set(r.machine.clockHertz.has_value(), kClockHertz);
  set(r.machine.celsius.has_value(), kCelsius);
  set(r.machine.watts.has_value(), kWatts);
  set(!r.machine.slowedBy.empty(), kSlowedBy);
  set(r.machine.anchorSeconds.has_value(), kAnchorSeconds);
  set(r.machine.anchorShift.has_value(), kAnchorShift);
  set(r.evaluation.has_value(), kEvaluation);
  set(!r.kernels.empty(), kKernels);
  return present;
}

void encodeEvaluation(ByteWriter& out, const Evaluation& evaluation) {
  out.natural(std::uint64_t(evaluation.kind));
  out.natural(std::uint64_t(evaluation.speed));
  out.natural(std::uint64_t(evaluation.stopped));
  out.natural(std::uint64_t(evaluation.batches));
}

/// Of a record with so many times.
Evaluation decodeEvaluation(ByteReader& in, std::size_t times) {
  const auto next = [&](std::uint64_t most) {
    const std::uint64_t number = in.natural();
    if (number > most) throw InputError("damaged record: it is unknown how its time was evaluated");
    return number;
  };
  Evaluation evaluation;
  evaluation.kind = EvaluatorKind(next(std::uint64_t(EvaluatorKind::Adaptive)));
  evaluation.speed = SpeedEstimate(next(std::uint64_t(SpeedEstimate::Cumulative)));
  evaluation.stopped = StopReason(next(std::uint64_t(StopReason::RecordingEnd)));
  evaluation.batches = int(next(times));
  if (evaluation.batches < 1) throw InputError("damaged record: its time was evaluated of nothing");
  return evaluation;
}

void encodeKernels(ByteWriter& out, const std::vector<MeasuredKernel>& kernels) {
  out.natural(kernels.size());
  for (const MeasuredKernel& kernel : kernels) {
    out.text(kernel.entry);
    for (const std::int64_t number :
         {std::int64_t(kernel.registers), kernel.spillBytes, kernel.stackBytes, kernel.sharedBytes,
          std::int64_t(kernel.occupancy.blocks), std::int64_t(kernel.occupancy.warps),
          std::int64_t(kernel.occupancy.mostWarps), std::int64_t(kernel.occupancy.limit)})
      out.integer(number);
  }
}

std::vector<MeasuredKernel> decodeKernels(ByteReader& in) {
  std::vector<MeasuredKernel> kernels(in.count());
  for (MeasuredKernel& kernel : kernels) {
    kernel.entry = in.text();
    kernel.registers = toInt(in.integer());
    for (std::int64_t* bytes : {&kernel.spillBytes, &kernel.stackBytes, &kernel.sharedBytes})
      *bytes = in.integer();
    Occupancy& occupancy = kernel.occupancy;
    for (int* number : {&occupancy.blocks, &occupancy.warps, &occupancy.mostWarps})
      *number = toInt(in.integer());
    const std::int64_t limit = in.integer();
    if (limit < 0 || limit > std::int64_t(OccupancyLimit::SharedMemory))
      throw InputError("damaged record: it is unknown what limits the occupancy of a kernel");
    occupancy.limit = OccupancyLimit(limit);
  }
  return kernels;
}

} // namespace

int codeOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Ok:
    return 0;
  case Verdict::Illegal:
    return 1;
  case Verdict::CompileError:
    return 2;
  case Verdict::LoadError:
    return 3;
  case Verdict::RunError:
    return 4;
  case Verdict::WrongAnswer:
    return 5;
  case Verdict::BuildTimeout:
    return 6;
  case Verdict::RunTimeout:
    return 7;
  case Verdict::WorkerLost:
    return 8;
  case Verdict::Cancelled:
    return 9;
  case Verdict::NotRecorded:
    return 10;
  }
  NW_ASSERT(false, "verdict {} has no code in the file", int(verdict));
}

Verdict verdictOf(std::int64_t code) {
  constexpr Verdict kVerdicts[] = {
      Verdict::Ok,         Verdict::Illegal,     Verdict::CompileError, Verdict::LoadError,
      Verdict::RunError,   Verdict::WrongAnswer, Verdict::BuildTimeout, Verdict::RunTimeout,
      Verdict::WorkerLost, Verdict::Cancelled,   Verdict::NotRecorded};
  if (code < 0 || code >= std::int64_t(std::size(kVerdicts)))
    throw InputError(fmt::format("damaged record: verdict {} is unknown", code));
  return kVerdicts[code];
}

std::string encodeDetails(const MeasureResult& r) {
  const std::uint64_t present = presentFields(r);
  ByteWriter out;
  out.natural(present);
  if (present & kSeconds) {
    out.natural(r.seconds.size());
    for (const double seconds : r.seconds)
      out.real(seconds);
  }
  if (present & kRunsPerRepeat) out.integer(r.runsPerRepeat);
  if (present & kWarmups) out.integer(r.warmups);
  if (present & kFailingStep) out.integer(r.failingStep);
  if (present & kMaxRelativeError) out.real(r.maxRelativeError);
  if (present & kBuildSeconds) out.real(r.buildSeconds);
  if (present & kRunSeconds) out.real(r.runSeconds);
  if (present & kStartedAt)
    out.integer(present & kWholeSecond ? r.startedAt / kMicrosecondsPerSecond : r.startedAt);
  if (present & kClockHertz) out.real(*r.machine.clockHertz);
  if (present & kCelsius) out.real(*r.machine.celsius);
  if (present & kWatts) out.real(*r.machine.watts);
  if (present & kSlowedBy) out.text(r.machine.slowedBy);
  if (present & kAnchorSeconds) out.real(*r.machine.anchorSeconds);
  if (present & kAnchorShift) out.real(*r.machine.anchorShift);
  if (present & kEvaluation) encodeEvaluation(out, *r.evaluation);
  if (present & kKernels) encodeKernels(out, r.kernels);
  return out.bytes();
}

void decodeDetails(std::string_view bytes, MeasureResult& r) {
  ByteReader in(bytes);
  const std::uint64_t present = in.natural();
  if (present & kSeconds) {
    r.seconds.resize(in.count());
    for (double& seconds : r.seconds)
      seconds = in.real();
  }
  if (present & kRunsPerRepeat) r.runsPerRepeat = toInt(in.integer());
  if (present & kWarmups) r.warmups = toInt(in.integer());
  if (present & kFailingStep) r.failingStep = toInt(in.integer());
  if (present & kMaxRelativeError) r.maxRelativeError = in.real();
  if (present & kBuildSeconds) r.buildSeconds = in.real();
  if (present & kRunSeconds) r.runSeconds = in.real();
  if (present & kStartedAt)
    r.startedAt = std::int64_t(std::uint64_t(in.integer()) *
                               (present & kWholeSecond ? kMicrosecondsPerSecond : 1));
  if (present & kClockHertz) r.machine.clockHertz = in.real();
  if (present & kCelsius) r.machine.celsius = in.real();
  if (present & kWatts) r.machine.watts = in.real();
  if (present & kSlowedBy) r.machine.slowedBy = in.text();
  if (present & kAnchorSeconds) r.machine.anchorSeconds = in.real();
  if (present & kAnchorShift) r.machine.anchorShift = in.real();
  if (present & kEvaluation) r.evaluation = decodeEvaluation(in, r.seconds.size());
  if (present & kKernels) r.kernels = decodeKernels(in);
  if (r.evaluation && r.runsPerRepeat < 1)
    throw InputError("damaged record: its micro-batches have no runs");
  r.cacheFlushed = (present & kCacheFlushed) != 0;
  r.checked = (present & kChecked) != 0;
  if (!in.atEnd()) throw InputError("damaged record: bytes left over");
}

} // namespace nestwright
