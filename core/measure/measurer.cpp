#include "core/measure/builds_ahead.h"
#include "core/measure/kernel_stages.h"
#include "core/measure/kernel_workers.h"
#include "core/measure/measure.h"
#include "core/measure/measured_kernels.h"
#include "core/measure/protocol.h"
#include "core/measure/time_allowed.h"
#include "core/measure/work_failure.h"
#include "core/measure/worker_pool.h"
#include "core/schedule/tensor_instruction.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>

namespace nestwright {

namespace {

// Artifacts wait in memory between the build and the run of a batch.
constexpr int kBatch = 128;
// The naive program is slow, and only a yardstick: of a long run there is no second one.
constexpr int kNaiveRepeats = 2;
constexpr double kNaiveSeconds = 0.05;
// Of a GPU (handbook/cuda.md 7.2).
constexpr double kWakeSeconds = 0.05, kSteadyWithin = 0.03;

/// Repeats or micro-batches, at most.
int mostTimes(const TimingOptions& timing) {
  return timing.evaluator.hasBatches() ? timing.evaluator.mostBatches() : timing.repeats;
}

/// A request on its way.
struct Measurement {
  const MeasureRequest* request = nullptr;
  MeasureResult result;
  KernelArtifact artifact;
  bool built = false;
};

bool isTurnOfSame(const MeasureRequest& a, const MeasureRequest& b) {
  return a.repeats > 0 && b.repeats > 0 && a.naive == b.naive && a.steps == b.steps &&
         a.dag == b.dag;
}

/// Of each measurement the one that is built for it: itself, or the first turn of its program.
std::vector<Measurement*> builtFor(std::vector<Measurement>& batch) {
  std::vector<Measurement*> built;
  for (Measurement& one : batch)
    built.push_back(&*std::ranges::find_if(batch, [&](const Measurement& other) {
      return &other == &one || isTurnOfSame(*other.request, *one.request);
    }));
  return built;
}

/// What came of building the program for the other measurement.
void takeBuild(Measurement& measurement, const Measurement& built) {
  const std::uint64_t id = measurement.result.id;
  measurement.result = built.result;
  measurement.result.id = id;
  measurement.result.buildSeconds = 0; // it took none of its own
  measurement.artifact = built.artifact;
  measurement.built = built.built;
}

} // namespace

struct Measurer::Impl {
  Impl(MeasureOptions given, const std::vector<std::string>& command, TargetFacts wanted)
      : options(checkedOptions(std::move(given))), target(std::move(wanted)),
        // others would never have a job
        builders(
            kernelWorkers(options, command, std::min(kBatch, coresUnless(options.builders)), 1)),
        runner(kernelWorkers(options, command, 1, coresUnless(options.threads))),
        ahead(options, target) {}

  using Announce = std::function<void(const MeasureResult&)>;

  bool isGpu() const { return target.gpu.has_value(); }
  /// With no more seconds than are left.
  Evaluator evaluatorFor(const MeasureRequest& request, double secondsLeft) const {
    if (request.naive || request.onlyCheck || request.repeats > 0)
      return {}; // a yardstick, a check
    Evaluator evaluator = options.evaluator;
    const double most = secondsForBatches(secondsLeft);
    evaluator.seconds = evaluator.seconds > 0 ? std::min(evaluator.seconds, most) : most;
    return evaluator;
  }

  /// Of a program that was built, or is being built, before it was asked for: has it loaded as soon
  /// as that is over. False for others.
  bool takeAhead(Measurement& measurement, const Announce& announce);
  WorkerJob buildJob(Measurement& measurement, const Announce& announce);
  WorkerJob loadJob(Measurement& measurement, const Announce& announce);
  WorkerJob runJob(Measurement& measurement, const Announce& announce, double secondsLeft);
  WorkerJob checkJob(Measurement& measurement, const Announce& announce);
  NextWork afterRun(Measurement& measurement, const Announce& announce, const TimingOptions& asked,
                    WorkOutcome&& outcome);
  void takeCheck(MeasureResult& result, WorkOutcome&& outcome) const;
  bool mustCheck(const Measurement& measurement) const;
  void measureBatch(std::vector<Measurement>& batch, const Announce& announce,
                    const std::atomic<bool>* stop, const BesideMeasuring& beside);
  /// Of a GPU, whose times do not mind that the processor is busy.
  void buildAndTime(std::vector<Measurement>& batch, const Announce& announce,
                    const std::atomic<bool>* stop, const BesideMeasuring& beside);

  MeasureOptions options;
  TargetFacts target;
  WorkerPool builders, runner;
  BuildsAhead ahead;
  double buildPhaseSeconds = 0;
  std::optional<double> firstAnchor; // seconds, of these workers
};

WorkerJob Measurer::Impl::buildJob(Measurement& measurement, const Announce& announce) {
  WorkerJob job{toFrame(buildWorkFor(options, *measurement.request, target)),
                options.buildTimeoutSeconds,
                kBuiltAnswer,
                {}};
  job.onOutcome = [&, this](WorkOutcome&& outcome) -> NextWork {
    MeasureResult& result = measurement.result;
    result.buildSeconds = outcome.seconds;
    result.startedAt = nowMicroseconds() - static_cast<std::int64_t>(outcome.seconds * 1e6);
    measurement.built = takeAnswer(result, outcome, buildStage(options), [&](Frame&& answer) {
      BuiltAnswer built = builtAnswer(std::move(answer));
      result.buildSeconds = built.seconds;
      result.kernels = measuredKernels(built.artifact);
      measurement.artifact = std::move(built.artifact);
    });
    if (measurement.built && target.gpu) runner.add(loadJob(measurement, announce));
    if (measurement.built) return {};
    announce(result);
    return {nullptr, result.verdict == Verdict::WorkerLost};
  };
  return job;
}

WorkerJob Measurer::Impl::loadJob(Measurement& measurement, const Announce& announce) {
  const MeasureRequest& request = *measurement.request;
  const double timeout = runTimeout(options, request);
  WorkerJob job{toFrame(loadWorkFor(options, request, std::move(measurement.artifact))),
                secondsToLoad(timeout, isGpu()),
                kPlainAnswer,
                {}};
  measurement.artifact = {};
  job.onOutcome = [&, this, timeout](WorkOutcome&& outcome) -> NextWork {
    MeasureResult& result = measurement.result;
    if (takeAnswer(result, outcome, loadStage(options, request),
                   [](Frame&& answer) { requireLoaded(answer); })) {
      const double left = isGpu() ? timeout : std::max(0.0, timeout - outcome.seconds);
      return {std::make_unique<WorkerJob>(runJob(measurement, announce, left)), false};
    }
    announce(result);
    return {nullptr, true};
  };
  return job;
}

WorkerJob Measurer::Impl::runJob(Measurement& measurement, const Announce& announce,
                                 double secondsLeft) {
  const MeasureRequest& request = *measurement.request;
  RunWork work;
  work.limits = limitsFor(options, request, runTimeout(options, request));
  work.timing.warmups = options.warmups;
  work.timing.repeats = request.repeats > 0 ? request.repeats
                        : request.naive     ? std::min(options.repeats, kNaiveRepeats)
                                            : options.repeats;
  work.timing.minRepeatSeconds = options.minRepeatSeconds;
  work.timing.maxTotalSeconds =
      request.naive ? std::min(options.maxTotalSeconds, kNaiveSeconds) : options.maxTotalSeconds;
  work.timing.flushCache = options.flushCache;
  work.naive = request.naive;
  if (target.gpu) {
    work.timing.wakeSeconds = kWakeSeconds;
    work.timing.steadyWithin = kSteadyWithin;
  }
  if (request.onlyCheck) {
    work.timing.wakeSeconds = work.timing.steadyWithin = 0;
    work.timing.warmups = 0;
    work.timing.repeats = 1;
    work.timing.minRepeatSeconds = 0;
    work.timing.flushCache = false;
  }
  work.timing.evaluator = evaluatorFor(request, secondsLeft);
  work.timing.bestSeconds = request.bestSeconds;
  if (work.timing.evaluator.hasBatches())
    work.timing.maxTotalSeconds = work.timing.evaluator.seconds;
  WorkerJob job{toFrame(work),
                secondsToAnswer(secondsLeft, isGpu()),
                answerWithNumbers(mostTimes(work.timing)),
                {}};
  job.onOutcome = [&, this, asked = work.timing](WorkOutcome&& outcome) {
    return afterRun(measurement, announce, asked, std::move(outcome));
  };
  return job;
}

NextWork Measurer::Impl::afterRun(Measurement& measurement, const Announce& announce,
                                  const TimingOptions& asked, WorkOutcome&& outcome) {
  MeasureResult& result = measurement.result;
  result.runSeconds = outcome.seconds;
  const StageWords stage = runStage(options, *measurement.request);
  const bool ran = takeAnswer(result, outcome, stage, [&](Frame&& answer) {
    const Timing timing = ranTiming(answer, mostTimes(asked));
    if (timing.stopped.has_value() != asked.evaluator.hasBatches())
      throw BadFrame("why it stopped is told of micro-batches, and of nothing else");
    if (timing.stopped)
      result.evaluation = evaluationBy(asked.evaluator, *timing.stopped, timing.seconds.size());
    result.seconds = timing.seconds;
    result.runsPerRepeat = timing.runsPerRepeat;
    result.warmups = timing.warmups;
    result.runSeconds = timing.kernelSeconds;
    result.machine = timing.machine;
    if (const auto& anchor = result.machine.anchorSeconds) {
      if (!firstAnchor) firstAnchor = anchor;
      result.machine.anchorShift = *anchor / *firstAnchor - 1;
    }
    result.cacheFlushed = options.flushCache;
  });
  if (ran && mustCheck(measurement))
    return {std::make_unique<WorkerJob>(checkJob(measurement, announce)), false};
  // The processor's naive program is what the others are compared with.
  result.checked = ran && measurement.request->naive;
  announce(result);
  return {nullptr, !ran};
}

bool Measurer::Impl::mustCheck(const Measurement& measurement) const {
  const MeasureRequest& request = *measurement.request;
  if (request.naive) return target.gpu.has_value(); // its compiler and its device are others
  if (request.checkBelowSeconds > 0 && measurement.result.latency() >= request.checkBelowSeconds)
    return false;
  return request.check || request.checkBelowSeconds > 0;
}

WorkerJob Measurer::Impl::checkJob(Measurement& measurement, const Announce& announce) {
  CheckWork work;
  // The reference is no candidate: nothing but its own time limit holds it.
  work.limits = {options.referenceTimeoutSeconds, 0, 1};
  work.tolerance = {options.relativeTolerance, options.absoluteTolerance};
  if (const TensorInstruction* used = tensorInstructionOf(measurement.request->steps);
      used && used->input == kFloat32)
    work.tolerance = toleranceOfTf32(work.tolerance);
  const double timeout = options.referenceTimeoutSeconds;
  WorkerJob job{toFrame(work), secondsToAnswer(timeout, isGpu()), kPlainAnswer, {}};
  job.onOutcome = [&, this](WorkOutcome&& outcome) -> NextWork {
    MeasureResult& result = measurement.result;
    takeCheck(result, std::move(outcome));
    announce(result);
    return {nullptr, !result.checked};
  };
  return job;
}

void Measurer::Impl::takeCheck(MeasureResult& result, WorkOutcome&& outcome) const {
  if (outcome.kind == WorkOutcome::Kind::Cancelled)
    return fail(result, Verdict::Cancelled, "stopped before its answer was checked");
  const double seconds = outcome.seconds;
  CheckOutcome check;
  MeasureResult reference; // the kernel has its times: if something fails here, it is the reference
  const StageWords stage{"the naive program", "running the naive program", Verdict::RunError,
                         Verdict::RunTimeout, options.referenceTimeoutSeconds};
  // Whoever talks nonsense now is not to be believed about its times either.
  if (outcome.kind == WorkOutcome::Kind::Garbled) return failBy(result, outcome, stage);
  if (!takeAnswer(reference, outcome, stage,
                  [&](Frame&& answer) { check = checkedOutcome(answer); })) {
    result.runSeconds += seconds;
    result.uncheckedReason = reference.error;
    return;
  }
  result.runSeconds += check.kernelSeconds;
  result.maxRelativeError = check.maxRelativeError;
  result.checked = check.agrees;
  if (!check.agrees) fail(result, Verdict::WrongAnswer, check.error);
}

void Measurer::Impl::measureBatch(std::vector<Measurement>& batch, const Announce& announce,
                                  const std::atomic<bool>* stop, const BesideMeasuring& beside) {
  if (target.gpu) return buildAndTime(batch, announce, stop, beside);
  const std::vector<Measurement*> builtAs = builtFor(batch);
  std::deque<WorkerJob> jobs;
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (builtAs[i] == &batch[i]) jobs.push_back(buildJob(batch[i], announce));
  runner.start(); // it gets ready while the others build
  const auto start = std::chrono::steady_clock::now();
  builders.run(std::move(jobs), stop);
  buildPhaseSeconds += secondsSince(start);
  jobs.clear();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (builtAs[i] == &batch[i]) continue;
    takeBuild(batch[i], *builtAs[i]);
    if (!batch[i].built) announce(batch[i].result);
  }
  if (beside.beforeTiming) beside.beforeTiming();
  for (Measurement& measurement : batch)
    if (measurement.built) jobs.push_back(loadJob(measurement, announce));
  runner.run(std::move(jobs), stop);
}

bool Measurer::Impl::takeAhead(Measurement& measurement, const Announce& announce) {
  const auto then = [&, this](std::optional<BuiltProgram> program) {
    if (!program) return builders.add(buildJob(measurement, announce));
    measurement.result.startedAt = program->startedAt;
    measurement.result.buildSeconds = program->seconds;
    measurement.result.kernels = measuredKernels(program->artifact);
    measurement.artifact = std::move(program->artifact);
    measurement.built = true;
    runner.add(loadJob(measurement, announce));
  };
  return ahead.take(*measurement.request, then);
}

void Measurer::Impl::buildAndTime(std::vector<Measurement>& batch, const Announce& announce,
                                  const std::atomic<bool>* stop, const BesideMeasuring& beside) {
  std::size_t left = batch.size();
  const Announce counted = [&](const MeasureResult& result) {
    --left;
    announce(result);
  };
  std::deque<WorkerJob> jobs;
  for (Measurement& measurement : batch)
    if (!takeAhead(measurement, counted)) jobs.push_back(buildJob(measurement, counted));
  builders.addBefore(std::move(jobs)); // what is built ahead can wait
  runner.start();
  bool told = false;
  const auto isDone = [&] {
    if (!told && beside.nextBuilds) {
      std::vector<MeasureRequest> next = beside.nextBuilds();
      told = !next.empty();
      if (next.size() > kBatch) next.resize(kBatch);
      if (told)
        for (WorkerJob& job : ahead.expect(next))
          builders.add(std::move(job));
    }
    return left == 0;
  };
  WorkerPool* const both[] = {&builders, &runner};
  try {
    WorkerPool::run(both, stop, isDone);
  } catch (...) {
    ahead.clear(); // their jobs are gone
    throw;
  }
}

Measurer::Measurer(MeasureOptions options, WorkerLaunch launch, TargetFacts target)
    : impl_(std::make_unique<Impl>(std::move(options), workerCommandFor(std::move(launch), target),
                                   target)) {}
Measurer::~Measurer() = default;

const MeasureOptions& Measurer::options() const {
  return impl_->options;
}

void Measurer::measure(const std::vector<MeasureRequest>& requests,
                       const std::function<void(const MeasureResult&)>& onResult,
                       const std::atomic<bool>* stop, const BesideMeasuring& beside) {
  impl_->buildPhaseSeconds = 0;
  for (std::size_t first = 0; first < requests.size(); first += kBatch) {
    const std::size_t last = std::min<std::size_t>(requests.size(), first + kBatch);
    std::vector<Measurement> batch(last - first);
    for (std::size_t i = first; i < last; ++i) {
      batch[i - first].request = &requests[i];
      batch[i - first].result.id = requests[i].id;
      batch[i - first].result.startedAt = nowMicroseconds();
    }
    impl_->measureBatch(batch, onResult, stop, first == 0 ? beside : BesideMeasuring());
  }
}

double Measurer::buildPhaseSeconds() const {
  return impl_->buildPhaseSeconds;
}

std::vector<int> Measurer::workerPids() const {
  std::vector<int> pids = impl_->builders.pids();
  for (int pid : impl_->runner.pids())
    pids.push_back(pid);
  return pids;
}

} // namespace nestwright
