#include "plugins/cuda/driver/cuda_kernel.h"

#include <algorithm>

namespace nestwright::cuda {
namespace {

// Attributes of a function, as the driver counts them.
constexpr int kSharedBytes = 1, kRegisters = 4, kDynamicSharedBytes = 8;
constexpr std::int64_t kPlainSharedBytes = 48 << 10;
// Launching one by one takes some microseconds each, which shorter kernels would be timed by.
constexpr double kShortSeconds = 10e-6; // of a launch
constexpr double kBriefSeconds = 1e-3;  // of a run

/// Of one graph: as many times all calls as there is room for, so that the next graph's first run
/// is as far behind this one's as any other.
int runsOfGraph(std::size_t calls) {
  constexpr int kRoom = 128;
  const auto once = static_cast<int>(calls);
  return std::max(1, kRoom / once) * once;
}

/// Buffers, then the workspace, of each call.
std::vector<void*> argumentsOf(std::span<const KernelCall> calls) {
  std::vector<void*> all;
  for (const KernelCall& call : calls) {
    all.insert(all.end(), call.buffers.begin(), call.buffers.end());
    all.push_back(call.workspace);
  }
  return all;
}

} // namespace

CudaKernel::CudaKernel(Context& context, const KernelArtifact& artifact, const GpuFacts& gpu,
                       double mostSeconds)
    : context_(context), mostSeconds_(mostSeconds), launches_(artifact.launches),
      parameters_(artifact.parameterBytes.size()) {
  require(artifact, gpu);
  try {
    load(artifact, gpu);
  } catch (...) {
    if (module_) (void)context_.driver().api().unloadModule(module_);
    throw;
  }
}

CudaKernel::~CudaKernel() {
  graphRuns_.graph.reset();
  if (module_ && context_.mayBeCleaned()) (void)context_.driver().api().unloadModule(module_);
}

void CudaKernel::require(const KernelArtifact& artifact, const GpuFacts& gpu) const {
  const auto refused = [](DeviceFault fault, const std::string& why) {
    return DeviceError(fault, "", fmt::format("the kernel cannot be loaded: {}", why));
  };
  const auto compiled = architectureFromName(artifact.architecture);
  if (!compiled || artifact.launches.empty())
    throw refused(DeviceFault::CannotLoad, "it is none of a GPU");
  // Machine code runs where the major number is the same and the minor one no smaller.
  const GpuArchitecture here = gpu.architecture;
  if (compiled->major != here.major || compiled->minor > here.minor)
    throw refused(
        DeviceFault::CannotLoad,
        fmt::format("it was compiled for {}, and {} is of {}; compile it again for this device",
                    artifact.architecture, gpu.name, here.name()));
  for (const KernelLaunch& launch : artifact.launches) {
    if (launch.threadsPerBlock() > gpu.threadsPerBlock)
      throw refused(DeviceFault::TooManyResources,
                    fmt::format("{} has {} threads in a block, the device {} at most", launch.entry,
                                launch.threadsPerBlock(), gpu.threadsPerBlock));
    if (launch.dynamicSharedBytes > gpu.sharedBytesPerBlockOptIn)
      throw refused(DeviceFault::TooManyResources,
                    fmt::format("{} takes {} bytes of shared memory, a block of the device has {} "
                                "at most",
                                launch.entry, launch.dynamicSharedBytes,
                                gpu.sharedBytesPerBlockOptIn));
    for (const LaunchArgument& argument : launch.arguments)
      if (argument.parameter >= static_cast<int>(artifact.parameterBytes.size()))
        throw refused(DeviceFault::CannotLoad,
                      fmt::format("{} takes a parameter that there is none of", launch.entry));
  }
}

void CudaKernel::load(const KernelArtifact& artifact, const GpuFacts& gpu) {
  const DriverApi& api = context_.api();
  const std::string what = fmt::format(
      "load {} (compiled by {} for {}; the driver runs what CUDA {}.{} and earlier make)", names(),
      artifact.compiler, artifact.architecture, context_.driver().status().version / 1000,
      context_.driver().status().version % 1000 / 10);
  context_.check(api.loadModule(&module_, artifact.code.data(), 0, nullptr, nullptr), what);
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    CuFunction function = nullptr;
    context_.check(api.function(&function, module_, launches_[i].entry.c_str()), what);
    functions_.push_back(function);
    compareResources(i, gpu);
    raiseSharedMemory(i);
  }
}

void CudaKernel::compareResources(std::size_t launch, const GpuFacts& gpu) const {
  const KernelResources& told = launches_[launch].resources;
  if (told.registers == 0) return; // nobody said
  const auto attribute = [&](int which, const char* what) {
    int value = 0;
    context_.check(context_.api().attribute(&value, which, functions_[launch]),
                   fmt::format("tell the {} of {}", what, launches_[launch].entry));
    return value;
  };
  const auto compare = [&](const char* what, std::int64_t driver, std::int64_t compiler) {
    if (driver != compiler)
      context_.warnOnce(fmt::format("{} has {} {} by the driver and {} by the compiler, whose "
                                    "figures are shown; of other kernels nothing more is said",
                                    launches_[launch].entry, driver, what, compiler));
  };
  compare("registers", attribute(kRegisters, "registers"), told.registers);
  // The driver may count the bytes that the system keeps of each block.
  const int shared = attribute(kSharedBytes, "shared memory");
  if (shared != told.staticSharedBytes + gpu.sharedBytesReserved)
    compare("bytes of shared memory", shared, told.staticSharedBytes);
}

void CudaKernel::raiseSharedMemory(std::size_t launch) {
  const std::int64_t bytes = launches_[launch].dynamicSharedBytes;
  if (bytes <= kPlainSharedBytes) return;
  context_.check(
      context_.api().setAttribute(functions_[launch], kDynamicSharedBytes, static_cast<int>(bytes)),
      fmt::format("give {} {} bytes of shared memory", launches_[launch].entry, bytes));
}

std::string CudaKernel::names() const {
  std::string names;
  for (const KernelLaunch& launch : launches_)
    names += (names.empty() ? "" : ", ") + launch.entry;
  return names;
}

void CudaKernel::enqueueLaunch(std::size_t index, std::span<void* const> buffers,
                               void* workspace) const {
  const KernelLaunch& launch = launches_[index];
  std::vector<CuAddress> values;
  values.reserve(launch.arguments.size());
  for (const LaunchArgument& argument : launch.arguments)
    values.push_back(argument.parameter < 0
                         ? addressOf(workspace) + static_cast<CuAddress>(argument.workspaceOffset)
                         : addressOf(buffers[static_cast<std::size_t>(argument.parameter)]));
  std::vector<void*> arguments;
  for (CuAddress& value : values)
    arguments.push_back(&value);
  const auto size = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
  context_.check(context_.api().launch(functions_[index], size(launch.grid[0]),
                                       size(launch.grid[1]), size(launch.grid[2]),
                                       size(launch.block[0]), size(launch.block[1]),
                                       size(launch.block[2]), size(launch.dynamicSharedBytes),
                                       context_.stream(), arguments.data(), nullptr),
                 fmt::format("launch {}", launch.entry));
}

void CudaKernel::require(const KernelCall& call) const {
  NW_ASSERT(&call.kernel == this && call.buffers.size() == parameters_,
            "the kernel has {} parameters, {} buffers were given", parameters_,
            call.buffers.size());
}

void CudaKernel::enqueue(std::span<void* const> buffers, void* workspace) const {
  NW_ASSERT(buffers.size() == parameters_, "the kernel has {} parameters, {} buffers were given",
            parameters_, buffers.size());
  for (std::size_t i = 0; i < launches_.size(); ++i)
    enqueueLaunch(i, buffers, workspace);
}

void CudaKernel::run(std::span<void* const> buffers, void* workspace, int) const {
  NW_ASSERT(buffers.size() == parameters_, "the kernel has {} parameters, {} buffers were given",
            parameters_, buffers.size());
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    enqueueLaunch(i, buffers, workspace);
    context_.wait(mostSeconds_, fmt::format("finish {}", launches_[i].entry));
  }
}

bool CudaKernel::isForGraph(std::size_t calls, int runs) const {
  const double perLaunch = secondsPerRun_ / static_cast<double>(launches_.size());
  return perLaunch > 0 && perLaunch < kShortSeconds && runs >= runsOfGraph(calls);
}

void CudaKernel::enqueueInTurn(std::span<const KernelCall> calls, int runs) const {
  for (int i = 0; i < runs; ++i) {
    const KernelCall& call = calls[turn_];
    enqueue(call.buffers, call.workspace);
    turn_ = (turn_ + 1) % calls.size();
  }
}

double CudaKernel::secondsBetween(const TimeMark& begin, const TimeMark& end) const {
  context_.wait(mostSeconds_, fmt::format("finish {}", names()));
  return TimeMark::between(begin, end);
}

double CudaKernel::time(std::span<const KernelCall> calls, int runs) const {
  for (const KernelCall& call : calls)
    require(call);
  turn_ %= calls.size();
  const bool inGraphs = isForGraph(calls.size(), runs);
  if (inGraphs) prepareGraph(calls);
  const int before = inGraphs ? static_cast<int>(calls.size() - turn_) : 1; // graphs begin at 0
  const bool isBrief = secondsPerRun_ > 0 && secondsPerRun_ < kBriefSeconds;
  TimeMark begin(context_), end(context_);
  // An idle device would begin before the first run that is timed has come.
  if (inGraphs || isBrief) enqueueInTurn(calls, before);
  begin.record();
  int left = runs;
  if (inGraphs)
    for (const int once = runsOfGraph(calls.size()); left >= once; left -= once)
      graphRuns_.graph->launch();
  enqueueInTurn(calls, left);
  end.record();
  const double seconds = secondsBetween(begin, end);
  secondsPerRun_ = seconds / runs;
  return seconds;
}

double CudaKernel::timeCold(const KernelCall& call, CuAddress memory, std::size_t bytes) const {
  require(call);
  TimeMark begin(context_), end(context_);
  // This takes longer than it takes the host to launch what follows, so the device never idles
  // between the begin and the kernel.
  context_.check(context_.api().fillInTurn(memory, 0, bytes, context_.stream()),
                 "overwrite the caches");
  begin.record();
  enqueue(call.buffers, call.workspace);
  end.record();
  return secondsBetween(begin, end);
}

void CudaKernel::prepareGraph(std::span<const KernelCall> calls) const {
  std::vector<void*> arguments = argumentsOf(calls);
  if (graphRuns_.graph && graphRuns_.arguments == arguments) return;
  auto graph = std::make_unique<CapturedGraph>(context_, [&] {
    for (int runs = runsOfGraph(calls.size()); runs > 0; runs -= static_cast<int>(calls.size()))
      for (const KernelCall& call : calls)
        enqueue(call.buffers, call.workspace);
  });
  graphRuns_ = {std::move(arguments), std::move(graph)};
}

} // namespace nestwright::cuda
