#include "core/execute/network_kernels.h"
#include "core/execute/network_measurer.h"
#include "core/measure/device_verdict.h"
#include "core/measure/protocol.h"
#include "core/measure/worker.h"
#include "core/network/zoo/zoo.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <map>

namespace nestwright {

namespace {

/// A check that failed.
class WrongOutputs : public Error {
 public:
  using Error::Error;
};

/// The network that requests are about, and the kernels made for it so far.
class NetworkBench {
 public:
  NetworkBench(const NetworkWork& work, const Backend& backend, InstructionSet set)
      : spec_(work.network), device_(work.device), threads_(work.threads),
        definitions_(work.definitions), inputSeed_(work.inputSeed),
        own_(optimisedPartition(parseNetworkSpec(work.network), Alternatives::All)),
        partition_(chosen(own_, work.definitions)),
        inputs_(randomInputs(partition_.network, work.inputSeed)), place_(openForWork([&] {
          return openPlace(backend, work.threads, {work.device, 0, work.seconds}, set);
        })) {
    for (std::size_t task = 0; task < partition_.tasks.size(); ++task)
      fallbacks_.push_back(fallbackPlan(partition_, static_cast<int>(task), place_.target));
  }

  bool isFor(const NetworkWork& work) const {
    return definitions_ == work.definitions && spec_ == work.network && device_ == work.device &&
           threads_ == work.threads && inputSeed_ == work.inputSeed;
  }

  /// Compiles what is not there yet.
  void build(const std::vector<NetworkPrograms>& networks) {
    std::map<Key, KernelPlan> missing;
    for (const NetworkPrograms& programs : networks)
      for (const auto& [key, plan] : plansOf(programs))
        if (!kernels_.contains(key)) missing.emplace(key, plan);
    std::vector<KernelPlan> plans;
    for (const auto& [key, plan] : missing)
      plans.push_back(plan);
    std::vector<BuiltKernel> built = buildKernels(partition_, plans, place_);
    std::size_t next = 0;
    for (const auto& [key, plan] : missing)
      kernels_.emplace(key, std::move(built[next++]));
  }

  std::vector<Array> outputs(const NetworkPrograms& programs) {
    Executor executor = assembled(programs);
    return execute(executor, inputs_);
  }

  std::vector<Array> naiveOutputs() const {
    BuiltNetwork naive = buildNaive(own_);
    return execute(naive.executor, inputs_);
  }

  NetworkTimes measure(const NetworkWork& work) {
    std::vector<Executor> executors;
    for (const NetworkPrograms& programs : work.networks) {
      executors.push_back(assembled(programs));
      check(execute(executors.back(), inputs_), work);
      place_.device->checkGuards();
    }
    NetworkTimes seconds(executors.size());
    for (int round = 0; round < work.rounds; ++round)
      for (std::size_t i = 0; i < executors.size(); ++i)
        seconds[i].push_back(measureLatency(executors[i], work.latency));
    return seconds;
  }

 private:
  static Partition chosen(const Partition& own, const std::vector<int>& definitions) {
    if (definitions.empty()) return own;
    bool fits = definitions.size() == own.tasks.size();
    for (std::size_t i = 0; fits && i < definitions.size(); ++i)
      fits = definitions[i] >= -1 && definitions[i] < std::ssize(own.tasks[i].alternatives);
    if (!fits) throw InputError("the definitions that tasks are to run by are not the network's");
    return withAlternatives(own, definitions);
  }

  using Key = std::pair<int, std::string>; // task and programId; empty for the fallback

  std::vector<std::pair<Key, KernelPlan>> plansOf(const NetworkPrograms& programs) const {
    std::vector<std::pair<Key, KernelPlan>> plans;
    for (const KernelPlan& fallback : fallbacks_)
      plans.push_back({{fallback.task, {}}, fallback});
    for (const NetworkProgram& program : programs) {
      if (program.position < 0 || program.position >= static_cast<int>(plans.size()))
        throw InputError(fmt::format("{} has no task {}", spec_, program.position));
      plans[static_cast<std::size_t>(program.position)] = {
          {program.position, program.program},
          {program.position, ProgramKind::Tuned, program.steps}};
    }
    return plans;
  }

  Executor assembled(const NetworkPrograms& programs) {
    build({programs});
    std::vector<BuiltKernel> kernels;
    for (const auto& [key, plan] : plansOf(programs))
      kernels.push_back(kernels_.at(key));
    return assemble(partition_, kernels, place_.target.cores, place_);
  }

  static void check(const std::vector<Array>& outputs, const NetworkWork& work) {
    if (outputs.size() != work.reference.size())
      throw InputError(fmt::format("the network has {}, the reference {}",
                                   quantity(std::ssize(outputs), "output"), work.reference.size()));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const double error = relativeError(outputs[i], work.reference[i]);
          !(error <= work.tolerance))
        throw WrongOutputs(fmt::format("output {} deviates from the reference by {:.3g} "
                                       "(relative L2), allowed is {:.3g}",
                                       i, error, work.tolerance));
  }

  std::string spec_, device_;
  int threads_;
  std::vector<int> definitions_;
  std::uint64_t inputSeed_;
  Partition own_; // each task by its own definition
  Partition partition_;
  std::vector<Array> inputs_;
  NetworkPlace place_;
  std::vector<KernelPlan> fallbacks_; // by task
  std::map<Key, BuiltKernel> kernels_;
};

class NetworkHandler {
 public:
  NetworkHandler(const Backend& backend, InstructionSet set) : backend_(backend), set_(set) {}

  Frame answer(Frame&& request) {
    Verdict stage = Verdict::RunError; // what went wrong when nothing more precise is known
    try {
      const NetworkWork work = networkWork(request);
      if (work.kind == NetworkWork::Kind::Build) stage = Verdict::CompileError;
      return dispatch(work);
    } catch (const WrongOutputs& e) {
      return failedFrame(Verdict::WrongAnswer, e.what(), -1, 0);
    } catch (const DeviceError& e) {
      return failedFrame(e, stage, 0);
    } catch (const std::exception& e) {
      return failedFrame(stage, e.what(), -1, 0);
    }
  }

 private:
  Frame dispatch(const NetworkWork& work) {
    if (!bench_ || !bench_->isFor(work)) {
      bench_.reset(); // its device has to be free for the next
      bench_ = std::make_unique<NetworkBench>(work, backend_, set_);
    }
    Frame answer = networkDoneFrame();
    switch (work.kind) {
    case NetworkWork::Kind::Build:
      bench_->build(work.networks);
      break;
    case NetworkWork::Kind::Outputs:
      attach(answer, work.naive ? bench_->naiveOutputs() : bench_->outputs(work.networks.at(0)));
      break;
    case NetworkWork::Kind::Measure:
      answer = networkTimesFrame(bench_->measure(work));
      break;
    }
    return answer;
  }

  const Backend& backend_;
  InstructionSet set_;
  std::unique_ptr<NetworkBench> bench_;
};

} // namespace

int runNetworkWorker(const std::string& target) {
  return runNetworkWorker([&]() -> const Backend& { return backendToRunOn(target); },
                          instructionSetOf(target));
}

int runNetworkWorker(const std::function<const Backend&()>& backend, InstructionSet set) {
  return serveRequests([&]() -> RequestHandler {
    const auto handler = std::make_shared<NetworkHandler>(backend(), set);
    return [handler](Frame&& request) { return handler->answer(std::move(request)); };
  });
}

} // namespace nestwright
