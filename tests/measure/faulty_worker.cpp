/// A worker whose compiler and kernels misbehave as the output tensor's name says; also, as
/// `faulty_worker master`, a master that can be killed while its worker is busy. With a target it
/// is a worker for a GPU that does not exist.
///
/// The right answer of every task is twice the first input. Files in $NESTWRIGHT_TEST_FOLDER tell
/// the test what goes on inside.
#include "core/backend/host_device.h"
#include "core/measure/measure.h"
#include "core/measure/worker.h"
#include "core/support/error.h"
#include "tests/support/made_up_gpu.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <thread>

using namespace nestwright;
namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

fs::path folder() {
  const char* path = std::getenv("NESTWRIGHT_TEST_FOLDER");
  return path ? path : "/nonexistent";
}

void note(const std::string& file, const std::string& line) {
  std::ofstream(folder() / file, std::ios::app) << line << std::endl;
}

[[noreturn]] void sleepForEver() {
  note("asleep", std::to_string(getpid()));
  for (;;)
    std::this_thread::sleep_for(1h);
}

[[noreturn]] void spinForEver() {
  note("asleep", std::to_string(getpid()));
  volatile unsigned counter = 0;
  for (;;)
    counter = counter + 1;
}

/// Until the test, or another process, has made this file.
void waitFor(const std::string& file) {
  while (!fs::exists(folder() / file))
    std::this_thread::sleep_for(1ms);
}

/// Of all processes one is killed.
void killOnce() {
  if (fs::exists(folder() / "killed_once")) return;
  note("killed_once", "here");
  std::raise(SIGKILL);
}

/// As a process does that something went wrong with: only another one can compile it.
void failInFirstProcess() {
  const std::string self = std::to_string(getpid());
  if (!fs::exists(folder() / "first")) note("first", self);
  std::string first;
  std::ifstream(folder() / "first") >> first;
  if (first == self) throw std::runtime_error("this process compiles nothing any more");
}

void touchNull() {
  volatile int* volatile null = nullptr;
  *null = 1; // NOLINT: the point of it
}

/// Allocates and touches without end, in pieces, as a runaway kernel would.
void eatMemory() {
  for (;;) {
    constexpr std::size_t kPiece = 16 << 20;
    auto* piece = static_cast<char*>(::operator new(kPiece));
    std::memset(piece, 1, kPiece);
  }
}

/// What can happen in compiler and kernel alike.
const std::map<std::string, std::function<void()>>& accidents() {
  static const std::map<std::string, std::function<void()>> all = {
      {"sleep", [] { sleepForEver(); }},
      {"spin", [] { spinForEver(); }},
      {"sleep_once",
       [] {
         if (!fs::exists(folder() / "killed")) sleepForEver();
       }},
      {"segfault", touchNull},
      {"abort",
       [] {
         std::fputs("last words\n", stderr);
         std::abort();
       }},
      {"fpe", [] { std::raise(SIGFPE); }},
      {"ill", [] { std::raise(SIGILL); }},
      {"kill", [] { std::raise(SIGKILL); }},
      {"eat", eatMemory},
      {"exit", [] { std::_Exit(3); }},
      {"throw", [] { throw InputError("first line of the text\nsecond line"); }},
      {"throw_int", [] { throw 1; }},
      {"throw_long", [] { throw InputError(std::string(1 << 20, 'x')); }},
      {"throw_bytes", [] { throw InputError("bad \xff bytes"); }},
      {"print",
       [] {
         std::printf("NWF1 I am no frame\n");
         std::fflush(stdout);
         if (write(STDOUT_FILENO, "NWF1", 4) != 4) std::abort();
       }},
      {"read", [] { std::getchar(); }},
  };
  return all;
}

/// What only a GPU does, by the name of what happens.
const std::map<std::string, DeviceFault>& deviceFaults() {
  static const std::map<std::string, DeviceFault> all = {
      {"absent", DeviceFault::Absent},
      {"invalid", DeviceFault::InvalidCall},
      {"memory", DeviceFault::OutOfMemory},
      {"image", DeviceFault::CannotLoad},
      {"resources", DeviceFault::TooManyResources},
      {"bounds", DeviceFault::OutOfBounds},
      {"address", DeviceFault::ContextLost},
      {"time", DeviceFault::OutOfTime},
      {"other", DeviceFault::Other},
  };
  return all;
}

void haveAccident(const std::string& name) {
  if (const auto fault = deviceFaults().find(name); fault != deviceFaults().end())
    throw DeviceError(fault->second, "CUDA_ERROR", "the device says " + name);

  const auto found = accidents().find(name);
  if (found != accidents().end()) found->second();
}

/// Of the GPU, seconds that one wait may take.
double deadline = 0;

/// As a GPU's wait for a kernel that does not end.
[[noreturn]] void waitInVain(const std::string& kernel) {
  std::this_thread::sleep_for(std::chrono::duration<double>(deadline));
  throw DeviceError(DeviceFault::OutOfTime, "",
                    fmt::format("the device did not finish {} within {:g} s", kernel, deadline));
}

class FaultyKernel : public Kernel {
 public:
  explicit FaultyKernel(const KernelArtifact& artifact) : artifact_(artifact) {
    static int loads = 0;
    loaded_ = ++loads;
  }

  void run(std::span<void* const> buffers, void* workspace, int threads) const override {
    const std::string& name = artifact_.entry;
    if (name.starts_with("run_")) haveAccident(name.substr(4));
    if (fs::exists(folder() / "compiling")) throw SystemError("somebody compiles meanwhile");
    auto* in = static_cast<float*>(buffers[0]);
    auto* out = static_cast<float*>(buffers[artifact_.inputCount]);
    const auto count = artifact_.parameterBytes[artifact_.inputCount] / sizeof(float);
    if (name == "run_nothing") return;
    if (name == "run_endless") waitInVain(name);
    if (name == "anchor" && fs::exists(folder() / "throttled")) std::this_thread::sleep_for(3ms);
    if (name == "run_first_only" && loaded_ > 1) return;
    if (name == "run_note") note("ran", "here");
    if (name == "run_after_a_compile") waitFor("compiled");
    if (name == "run_slow") std::this_thread::sleep_for(30ms);
    if (name == "run_second") std::this_thread::sleep_for(300ms);
    for (std::size_t i = 0; i < count; ++i)
      out[i] = 2 * in[i];
    if (name == "run_wrong") out[1] += 1;
    static int runs = 0;
    if (name == "run_unsteady") out[1] += 1e-6f * static_cast<float>(++runs % 2);
    if (name == "run_nan") out[2] = out[2] / 0.0f * 0.0f;
    if (name == "run_overrun") std::memset(out + count, 0, 4096);
    if (name == "run_write_input") in[0] = 0;
    if (name == "run_write_input_first" && loaded_ == 1) in[0] = 0;
    if (name == "run_workspace")
      std::memset(workspace, 0,
                  artifact_.workspaceBytes + threads * artifact_.threadWorkspaceBytes);
  }

 private:
  KernelArtifact artifact_;
  int loaded_ = 0; // which kernel of this process it is
};

class FaultyBackend : public Backend {
 public:
  std::string name() const override { return "faulty"; }

  TargetFacts target(int threads, const std::string&) const override {
    TargetFacts facts;
    facts.cores = threads > 0 ? threads : 2;
    return facts;
  }

  KernelArtifact compile(const LoopFunction& function,
                         const CompileOptions& options) const override {
    KernelArtifact artifact;
    artifact.inputCount = function.inputCount;
    for (const Buffer& buffer : function.parameters)
      artifact.parameterBytes.push_back(buffer->bytes());
    artifact.workspaceBytes = 1 << 12;
    artifact.threadWorkspaceBytes = 1 << 10;
    artifact.code.resize(50'000, 0x90);
    const std::string fault = function.parameters.back()->name;
    if (!options.vectorise) return compileNaive(std::move(artifact), fault);
    artifact.entry = fault;
    if (fault.starts_with("compile_")) haveAccident(fault.substr(8));
    if (fault.starts_with("rendezvous")) rendezvous(fault);
    if (fault == "compile_after_a_run") waitFor("ran");
    if (fault == "compile_when_told") waitFor("told");
    if (fault == "compile_kill_once") killOnce();
    if (fault.starts_with("compile_")) note("compiled", fault);
    if (fault == "load_misfit") artifact.parameterBytes.front() += 4;
    return artifact;
  }

  std::vector<CodeText> texts() const override { return {}; }
  std::string text(const LoopFunction&, CodeForm, const CompileOptions&) const override {
    return "";
  }

  std::unique_ptr<Device> openDevice(const DeviceOptions& options) const override {
    return makeHostDevice(*this, options);
  }

  std::unique_ptr<Kernel> load(const KernelArtifact& artifact) const override {
    if (artifact.entry.starts_with("load_")) haveAccident(artifact.entry.substr(5));
    return std::make_unique<FaultyKernel>(artifact);
  }

 private:
  static KernelArtifact compileNaive(KernelArtifact artifact, const std::string& fault) {
    note("naive", fault);
    if (fault == "naive_build_once") haveAccident("sleep_once");
    if (fault == "naive_stale") failInFirstProcess();
    artifact.entry = fault == "naive_sleep"      ? "run_sleep"
                     : fault == "naive_segfault" ? "run_segfault"
                     : fault == "naive_second"   ? "run_second"
                     : fault == "naive_wrong"    ? "run_wrong"
                     : fault == "naive_run_once" ? "run_sleep_once"
                                                 : "naive";
    return artifact;
  }

  /// Returns once two compilations are under way at the same time.
  static void rendezvous(const std::string& name) {
    note("compiling", name);
    note(name, "here");
    const std::string other = name == "rendezvous_a" ? "rendezvous_b" : "rendezvous_a";
    while (!fs::exists(folder() / other))
      std::this_thread::sleep_for(1ms);
    std::error_code ignored;
    std::this_thread::sleep_for(20ms); // the other one sees this file before it goes
    fs::remove(folder() / "compiling", ignored);
  }
};

/// Notes what a test asks about.
class FaultyGpu : public test::MadeUpGpu {
 public:
  using Device::time;
  using MadeUpGpu::MadeUpGpu;
  double time(std::span<const KernelCall> calls, int runs) override {
    if (calls.size() > 1) note("rotated", std::to_string(calls.size()));
    return MadeUpGpu::time(calls, runs);
  }
  void setDeadline(double seconds) override { deadline = seconds; }
  double timeCold(const KernelCall& call) override {
    note("flushed", "here");
    return time(call, 1);
  }
  DeviceState state() override {
    DeviceState state;
    state.clockHertz = 1.5e9;
    state.celsius = 60;
    state.watts = 310;
    state.slowedBy = {ClockLimit::PowerCap, ClockLimit::SyncBoost};
    return state;
  }
};

/// Builds for the GPU that it is told of, and runs on one.
class FaultyGpuBackend : public FaultyBackend {
 public:
  TargetFacts target(int, const std::string&) const override {
    throw SystemError("a builder asked for a device, which its machine need not have");
  }
  KernelArtifact compile(const LoopFunction& function,
                         const CompileOptions& options) const override {
    if (!options.gpu || options.gpu->name != "made-up")
      throw InputError("the builder was not told which GPU it builds for");
    KernelArtifact artifact = FaultyBackend::compile(function, options);
    KernelLaunch& launch = artifact.launches.emplace_back();
    launch.entry = artifact.entry;
    if (function.parameters.back()->name == "compile_spills") launch.resources.spillStoreBytes = 64;
    artifact.architecture = options.gpu->architecture.name();
    return artifact;
  }
  std::unique_ptr<Device> openDevice(const DeviceOptions& options) const override {
    static const FaultyBackend host;
    if (options.device == "none") throw DeviceError(DeviceFault::Absent, "", "there is no device");
    if (options.device == "full")
      throw DeviceError(DeviceFault::OutOfMemory, "", "others have all of its memory");
    if (options.device == "unknown") throw UsageError("there is no device of this name");
    deadline = options.seconds;
    GpuFacts gpu = gpuPreset({9, 0});
    gpu.name = "made-up";
    return std::make_unique<FaultyGpu>(
        cudaTarget(gpu), makeHostDevice(host, {}),
        [](const KernelArtifact& artifact) { return host.load(artifact); });
  }
};

/// Measures one endless kernel, so that the test can kill this process meanwhile.
int beMaster(const char* self) {
  MeasureOptions options;
  options.runTimeoutSeconds = 1000;
  Measurer measurer(options, {{self}});
  MeasureRequest request;
  request.dag = "A = PLACEHOLDER [16]\nrun_spin(i) = (A[i]*2f)\n";
  measurer.measure({request}, [](const MeasureResult&) {});
  return 0;
}

} // namespace

/// With the address sanitizer, faults must still end the process by their signals.
extern "C" const char* __asan_default_options() { // NOLINT: the sanitizer's name
  return "handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:detect_leaks=0";
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "master") == 0) return beMaster(argv[0]);
  if (argc > 2 && std::strcmp(argv[1], "--target") == 0) {
    static const FaultyGpuBackend gpu;
    return runWorker([]() -> const Backend& { return gpu; });
  }
  static const FaultyBackend backend;
  return runWorker([]() -> const Backend& { return backend; });
}
