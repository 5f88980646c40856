#include "core/execute/network_measurer.h"

#include "core/measure/protocol.h"
#include "core/measure/time_allowed.h"
#include "core/measure/work_failure.h"
#include "core/network/partition/partition.h"
#include "core/network/zoo/zoo.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/waiting_threads.h"

#include <deque>

namespace nestwright {

namespace {

constexpr NameTable<NetworkReference, 2> kReferences = {{"naive", "first"}};
constexpr const char* kProcessor = "llvm";

PoolSettings poolSettings(const NetworkMeasureOptions& options) {
  PoolSettings settings;
  settings.command =
      options.workerCommand.empty() ? workerCommand("network-worker") : options.workerCommand;
  if (options.target != kProcessor)
    settings.command.insert(settings.command.end(), {"--target", options.target});
  settings.environment = waitingEnvironment();
  settings.workers = 1;
  // Kernels are kept in the process: it ends by its size, not by its jobs.
  settings.jobsPerWorker = 1 << 20;
  settings.bytesPerWorker = 16ll << 30;
  return settings;
}

std::vector<OutputKind> outputKinds(const std::string& spec) {
  const Network network = optimisedPartition(parseNetworkSpec(spec)).network;
  std::vector<OutputKind> kinds;
  for (const TensorId id : network.outputs)
    kinds.push_back({network.tensor(id).shape, network.tensor(id).type.isFloat()});
  return kinds;
}

} // namespace

const char* name(NetworkReference reference) {
  return kReferences.of(reference);
}

NetworkReference networkReferenceFromName(std::string_view name) {
  if (const auto reference = kReferences.find(name)) return *reference;
  throw UsageError(
      fmt::format("'{}' is no reference for outputs; there are naive and first", name));
}

struct NetworkMeasurer::Impl {
  NetworkMeasureOptions options;
  std::function<void(const std::string&)> onPhase;
  std::unique_ptr<WorkerPool> pool;
  std::optional<std::vector<Array>> reference;

  NetworkWork work(NetworkWork::Kind kind) const {
    NetworkWork work;
    work.kind = kind;
    work.network = options.network;
    work.device = options.device;
    work.threads = options.threads;
    work.definitions = options.definitions;
    work.seconds = options.runTimeoutSeconds;
    work.inputSeed = options.inputSeed;
    work.latency = options.latency;
    work.tolerance = options.tolerance;
    return work;
  }

  void tell(const std::string& phase) const {
    if (onPhase) onPhase(phase);
  }

  bool isGpu() const { return options.target != kProcessor; }
  /// What a kernel does to a GPU may last as long as the process.
  bool mayHaveLostItsDevice(const MeasureResult& result) const {
    return isGpu() &&
           (result.verdict == Verdict::RunError || result.verdict == Verdict::RunTimeout ||
            result.verdict == Verdict::LoadError);
  }

  /// One request to the process; what failed is in the verdict.
  MeasureResult ask(const NetworkWork& request, const StageWords& stage, FrameLimits answer,
                    const std::atomic<bool>* stop, const std::function<void(Frame&&)>& take) {
    if (!pool) pool = std::make_unique<WorkerPool>(poolSettings(options));
    MeasureResult result;
    std::deque<WorkerJob> jobs;
    jobs.push_back({toFrame(request), secondsToAnswer(stage.timeoutSeconds, isGpu()), answer,
                    [&](WorkOutcome&& outcome) -> NextWork {
                      takeAnswer(result, outcome, stage, take);
                      return {nullptr, mayHaveLostItsDevice(result)};
                    }});
    pool->run(std::move(jobs), stop);
    return result;
  }

  MeasureResult build(const NetworkRequest& request, const std::atomic<bool>* stop) {
    NetworkWork build = work(NetworkWork::Kind::Build);
    build.networks = request.networks;
    return ask(build,
               {"the compiler", "building the network", Verdict::CompileError,
                Verdict::BuildTimeout, options.buildTimeoutSeconds},
               kPlainAnswer, stop, [](Frame&& answer) { requireNetworkDone(answer); });
  }

  /// The outputs that all networks must agree with.
  MeasureResult makeReference(const NetworkRequest& request, const std::atomic<bool>* stop) {
    NetworkWork outputs = work(NetworkWork::Kind::Outputs);
    outputs.naive = options.reference == NetworkReference::Naive;
    if (!outputs.naive) outputs.networks = {request.networks.front()};
    tell(outputs.naive ? "running the naive programs once, to compare answers with"
                       : "running the per-task bests once, to compare answers with");
    const std::vector<OutputKind> kinds = outputKinds(options.network);
    const auto run = [&] {
      return ask(outputs,
                 {"the reference", "running the reference", Verdict::RunError, Verdict::RunTimeout,
                  options.referenceTimeoutSeconds},
                 outputsLimits(kinds), stop,
                 [&](Frame&& answer) { reference = networkOutputs(answer, kinds); });
    };
    MeasureResult result = run();
    // Nothing can be compared without it, and the process may have been lost by accident.
    if (result.verdict == Verdict::WorkerLost) result = run();
    if (result.verdict != Verdict::Ok && result.verdict != Verdict::Cancelled)
      throw SystemError(
          fmt::format("the outputs to compare with cannot be made: {}", result.error));
    return result;
  }

  MeasureResult time(const NetworkRequest& request, const std::atomic<bool>* stop,
                     NetworkResult& into) {
    NetworkWork measure = work(NetworkWork::Kind::Measure);
    measure.networks = request.networks;
    measure.rounds = request.rounds;
    measure.reference = *reference;
    const double timeout =
        options.runTimeoutSeconds * static_cast<double>(request.networks.size()) * request.rounds;
    return ask(
        measure,
        {"the network", "running the network", Verdict::RunError, Verdict::RunTimeout, timeout},
        networkTimesLimits(measure), stop,
        [&](Frame&& answer) { into.seconds = networkTimes(answer, measure); });
  }
};

NetworkMeasurer::NetworkMeasurer(NetworkMeasureOptions options,
                                 std::function<void(const std::string&)> onPhase)
    : impl_(new Impl{std::move(options), std::move(onPhase), {}, {}}) {}
NetworkMeasurer::~NetworkMeasurer() = default;

NetworkResult NetworkMeasurer::measure(const NetworkRequest& request,
                                       const std::atomic<bool>* stop) {
  NetworkResult result;
  const auto done = [&](const MeasureResult& step) {
    result.verdict = step.verdict;
    result.error = step.error;
    return step.verdict != Verdict::Ok;
  };
  if (!impl_->reference && done(impl_->makeReference(request, stop))) return result;
  if (request.freshProcess) impl_->pool.reset();
  if (done(impl_->build(request, stop))) return result;
  done(impl_->time(request, stop, result));
  return result;
}

} // namespace nestwright
