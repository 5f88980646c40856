#include "core/measure/worker.h"

#include "core/lower/lower.h"
#include "core/measure/anchor.h"
#include "core/measure/count_kernel.h"
#include "core/measure/device_verdict.h"
#include "core/measure/protocol.h"
#include "core/plugin/plugin.h"
#include "core/schedule/state.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/support/waiting_threads.h"
#include "core/target/instruction_set.h"
#include "core/tensor/text.h"
#include "core/worker/channel.h"
#include "core/worker/quiet.h"
#include "core/worker/worker_limits.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>

namespace nestwright {

namespace {

/// Compiles for this machine's processor; null where that is not installed.
const Backend* processorsBackend() {
  const std::vector<PluginStatus> plugins = pluginStatus();
  const bool loads = std::ranges::any_of(
      plugins, [](const PluginStatus& plugin) { return plugin.name == "llvm" && plugin.loaded; });
  return loads ? &backend("llvm") : nullptr;
}

/// Nothing can stop a kernel that was launched, so one that would run for minutes is none to try: a
/// block makes some 1e9 operations a second, however few blocks there are.
void requireEnd(const LoopFunction& function) {
  constexpr double kBlockFlops = 1e9, kMostSeconds = 60;
  if (!function.body) return;
  visit(function.body, [&](const Stmt& s) {
    if (s->kind != StmtKind::Launch) return;
    const Launch& launch = *s->launch;
    const double seconds = launch.flops / (static_cast<double>(launch.blocks()) * kBlockFlops);
    if (seconds > kMostSeconds)
      throw IllegalSchedule(
          fmt::format("the kernel {} would run for {:.0f} s or so: {:.3g} operations in {}",
                      launch.kernel, seconds, launch.flops, quantity(launch.blocks(), "block")));
  });
}

/// Answers requests, one after the other. What a device cannot recover from costs the worker: the
/// master does not use one again that has failed to load or to run something.
class ProgramHandler {
 public:
  explicit ProgramHandler(const Backend& backend) : backend_(backend) {}

  Frame answer(Frame&& request) {
    const auto start = std::chrono::steady_clock::now();
    const std::string type = typeOf(request);
    // What went wrong when nothing more precise is known, by the stage in which it happened.
    const Verdict stage = type == "build"  ? Verdict::CompileError
                          : type == "load" ? Verdict::LoadError
                                           : Verdict::RunError;
    try {
      return dispatch(type, std::move(request));
    } catch (const IllegalSchedule& e) {
      return failedFrame(Verdict::Illegal, e.what(), e.stepIndex(), secondsSince(start));
    } catch (const DeviceError& e) {
      return failedFrame(e, stage, secondsSince(start));
    } catch (const std::bad_alloc&) {
      return failedFrame(Verdict::WorkerLost, memoryText(type), -1, secondsSince(start));
    } catch (const std::exception& e) {
      return failedFrame(stage, e.what(), -1, secondsSince(start));
    } catch (...) {
      return failedFrame(stage, "the kernel threw something that is no exception", -1,
                         secondsSince(start));
    }
  }

 private:
  Frame dispatch(const std::string& type, Frame&& request) {
    if (type == "build") return build(buildWork(request));
    if (type == "load") return load(loadWork(std::move(request)));
    if (type == "run") return run(runWork(request));
    if (type == "check") return check(checkWork(request));
    if (type == "count") return count(countWork(request));
    if (type == "target") return target(deviceIn(request));
    throw InputError(fmt::format("this worker (protocol {}) does not know the request '{}'",
                                 kProtocolVersion, type));
  }

  /// Where kernels run; a worker that only builds has none.
  struct Place {
    std::unique_ptr<Device> device, host; // host: none where the device is the host, or alone
    // Last: their memory is the devices'.
    std::unique_ptr<KernelRunner> runner;
    std::unique_ptr<Anchor> anchor; // of a GPU; none where it cannot be compiled here
    std::optional<double> anchorSeconds;
    int runs = 0;
  };

  KernelRunner& open(const std::string& device) {
    if (place_.runner) return *place_.runner;
    place_.device = openForWork([&] {
      return backend_.openDevice({device, limits_.memoryBytes, limits_.seconds});
    });
    const bool isGpu = place_.device->facts().gpu.has_value();
    // What a GPU should compute this machine's processor tells, if it can be compiled for here.
    const Backend* host = isGpu ? processorsBackend() : nullptr;
    if (host) place_.host = host->openDevice();
    place_.runner = std::make_unique<KernelRunner>(*place_.device, backend_,
                                                   ProcessorPlace{host, place_.host.get()});
    return *place_.runner;
  }

  /// Times the anchor now and then (handbook/cuda.md 7.2).
  void timeAnchor() {
    constexpr int kEvery = 20;
    if (place_.runs++ % kEvery != 0) return;
    try {
      if (place_.runs == 1) place_.anchor = std::make_unique<Anchor>(*place_.device, backend_);
      if (place_.anchor) place_.anchorSeconds = place_.anchor->seconds();
    } catch (const DeviceError& e) {
      if (e.isSticky()) throw;
      place_.anchor.reset();
    } catch (const Error&) { // as without NVRTC: the records then say nothing of it
      place_.anchor.reset();
    }
  }

  KernelRunner& runner() {
    if (!place_.runner) throw InputError("there is no kernel to run: none was loaded before");
    return *place_.runner;
  }

  enum class WorkKind : std::uint8_t { ForHost, CompilesForGpu, RunsOnGpu };

  void apply(const WorkLimits& limits, WorkKind kind) {
    limits_ = limits;
    if (kind != WorkKind::ForHost)
      limits_.threads = 1;
    else if (limits.threads <= 0)
      limits_.threads = backend_.target(0).cores;
    // A GPU's driver reserves twice the device's memory as address space.
    limitMemoryGrowth(kind == WorkKind::RunsOnGpu ? 0 : limits.memoryBytes, limits_.threads);
    if (place_.device) place_.device->setDeadline(limits.seconds);
    // Generous: the master's time-out, in wall time, is the one that counts.
    limitProcessorTime((limits.seconds + 5) * (limits_.threads + 1));
  }
  bool runsOnGpu() const { return place_.device && place_.device->facts().gpu; }
  WorkKind kindOfRun() const { return runsOnGpu() ? WorkKind::RunsOnGpu : WorkKind::ForHost; }

  const ComputeDag& parsed(const std::string& text) {
    if (text != dagText_) {
      dag_ = parseDag(text);
      dagText_ = text;
    }
    return dag_;
  }

  LoopFunction lowered(const BuildWork& work) {
    const ComputeDag& dag = parsed(work.dag);
    if (work.naive) return lowerNaive(dag, work.target.gpu);
    const State state = State::replay(dag, work.steps);
    if (!state.isConcrete())
      throw IllegalSchedule("the program is a sketch: tile sizes are undecided");
    LowerOptions options = lowerOptionsFor(
        work.target.gpu ? work.target : alike(backend_.target(limits_.threads), work.target));
    options.cores = work.target.cores; // as it was, or will be, compiled elsewhere
    return lower(state, options);
  }

  /// That of the device which was asked for: several cards need not be of one kind.
  Frame target(const std::string& device) const {
    try {
      return targetFrame(backend_.target(0, device));
    } catch (const DeviceError& e) {
      return failedFrame(e, Verdict::LoadError, 0);
    }
  }

  Frame build(const BuildWork& work) {
    const auto start = std::chrono::steady_clock::now();
    apply(work.limits, work.target.gpu ? WorkKind::CompilesForGpu : WorkKind::ForHost);
    CompileOptions options = work.naive ? naiveCompileOptions() : compileOptionsFor(work.target);
    options.gpu = work.target.gpu;
    options.instructionSet = work.target.instructionSet;
    const LoopFunction function = lowered(work);
    requireEnd(function);
    KernelArtifact artifact = backend_.compile(function, options);
    // handbook/cuda.md 4.3: such a program waits for its own memory. The naive one has no choice.
    if (const std::int64_t bytes = artifact.spilledBytes(); bytes > 0 && !work.naive)
      throw IllegalSchedule(fmt::format("the compiler spills {} bytes of registers", bytes));
    return builtFrame(std::move(artifact), secondsSince(start));
  }

  Frame load(const LoadWork& work) {
    apply(work.limits, work.artifact.launches.empty() ? WorkKind::ForHost : WorkKind::RunsOnGpu);
    KernelRunner& runner = open(work.device);
    runner.prepare(work.dag, work.inputSeed);
    runner.load(work.artifact, limits_.threads);
    return loadedFrame();
  }

  Frame run(const RunWork& work) {
    apply(work.limits, kindOfRun());
    TimingOptions options = work.timing;
    options.threads = limits_.threads;
    // What trains on this machine's processors leaves them to it.
    QuietHold hold = runsOnGpu() ? QuietHold() : holdForTiming();
    Timing timing = runner().time(options);
    hold = QuietHold();
    if (runsOnGpu()) place_.device->checkGuards(); // elsewhere such a kernel has ended its process
    const DeviceState state = place_.device->state();
    timing.machine.clockHertz = state.clockHertz;
    timing.machine.celsius = state.celsius;
    timing.machine.watts = state.watts;
    timing.machine.slowedBy = limitsInWords(state);
    if (runsOnGpu()) timeAnchor();
    timing.machine.anchorSeconds = place_.anchorSeconds;
    if (work.naive) runner().keepOutputsAsReference();
    return ranFrame(timing);
  }

  Frame check(const CheckWork& work) {
    apply(work.limits, kindOfRun());
    return checkedFrame(runner().check(work.tolerance));
  }

  Frame count(const CountWork& work) {
    apply(work.limits, kindOfRun());
    if (runsOnGpu())
      throw InputError("the counters are the processor's, and the program runs on a GPU");
    const QuietHold hold = holdForTiming();
    return countedFrame(countKernel(runner(), work.seconds, limits_.threads));
  }

  std::string memoryText(const std::string& type) const {
    return fmt::format("out of memory: {} needed more than the {} that it may add to its worker "
                       "(measure option memory_limit_bytes)",
                       type == "build" ? "the compiler" : "the kernel",
                       formatBytes(static_cast<double>(limits_.memoryBytes)));
  }

  const Backend& backend_;
  Place place_;
  WorkLimits limits_;
  std::string dagText_;
  ComputeDag dag_;
};

int serve(const Channel& channel, const RequestHandler& handler) {
  if (!writeAll(channel.out, encode(helloFrame()))) return 1;
  FrameReader reader(kRequestLimits);
  std::int64_t last = 0;
  try {
    while (std::optional<Frame> request = readFrame(channel.in, reader)) {
      const std::int64_t number = requestNumber(*request);
      if (number <= last) throw BadFrame(fmt::format("request {} comes after {}", number, last));
      last = number;
      Frame answer = handler(std::move(*request));
      setRequestNumber(answer, number);
      answer.header["resident_bytes"] = residentBytes();
      if (!writeAll(channel.out, encode(answer))) return 1;
    }
    return 0;
  } catch (const BadFrame& e) { // nothing that follows can be understood either
    writeAll(channel.out, encode(failedFrame(Verdict::WorkerLost, e.what(), -1, 0)));
    return 1;
  }
}

/// A worker that was not started by us (ssh, srun) starts itself once more, with what libgomp reads
/// before main.
void ensureWaitingEnvironment() {
  if (hasWaitingEnvironment()) return;
  setWaitingEnvironment();
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (!words.empty()) execv("/proc/self/exe", arguments.data());
}

} // namespace

int serveRequests(const std::function<RequestHandler()>& makeHandler) {
  std::signal(SIGPIPE, SIG_IGN);
  disableCoreDumps();
  const Channel channel = takeStandardStreams();
  exitWhenUnread(channel.out);
  try {
    return serve(channel, makeHandler());
  } catch (const Error& e) {
    writeAll(channel.out, encode(helloFrame(e.what())));
    return 1;
  }
}

int runWorker(const std::function<const Backend&()>& backend) {
  return serveRequests([&] {
    const auto handler = std::make_shared<ProgramHandler>(backend());
    return [handler](Frame&& request) { return handler->answer(std::move(request)); };
  });
}

int runWorker(const std::string& name) {
  ensureWaitingEnvironment();
  return runWorker([&]() -> const Backend& { return backend(name); });
}

} // namespace nestwright
