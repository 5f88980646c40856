#include "plugins/cuda/cuda_backend.h"

#include "core/lower/ir_lines.h"
#include "core/support/error.h"
#include "core/target/kernel_limits.h"
#include "plugins/cuda/compile/cubin_cache.h"
#include "plugins/cuda/compile/disassembler.h"
#include "plugins/cuda/compile/kernel_resources.h"
#include "plugins/cuda/driver/cuda_device.h"
#include "plugins/cuda/driver/device_report.h"
#include "plugins/cuda/survey.h"
#include "plugins/cuda/text/cuda_text.h"

#include <mutex>
#include <optional>

namespace nestwright::cuda {
namespace {

/// When a look that found no device is repeated.
enum class Look : std::uint8_t { Again, Once };

/// What the machine has. Cards do not come and go, so they are asked for once a process; a driver
/// that was installed, woken or given back meanwhile is found by looking again.
DeviceReport devicesHere(Look look = Look::Again) {
  static std::mutex mutex;
  static std::optional<DeviceReport> report;
  const std::scoped_lock lock(mutex);
  if (!report || (look == Look::Again && !report->problem.empty())) report = askForDevices();
  return *report;
}

/// The compiler whose code the GPU's driver loads, where that is known.
const Nvrtc& compilerFor(const GpuFacts& gpu) {
  return Nvrtc::instance(gpu.driverVersion);
}

/// What to compile for. A public record need not say which architecture it was measured on: its
/// code is shown for the oldest one that can be compiled for, which the artifact names.
GpuFacts gpuFor(const CompileOptions& options, const CudaBackend& backend) {
  GpuFacts gpu = options.gpu ? *options.gpu : *backend.target(0, {}).gpu;
  const NvrtcStatus& nvrtc = compilerFor(gpu).status();
  if (gpu.architecture == GpuArchitecture() && !nvrtc.architectures.empty())
    gpu.architecture = nvrtc.architectures.front();
  return gpu;
}

CubinCache& cache() {
  static auto* const instance = new CubinCache(std::size_t{64} << 20, CubinFolder::ofPerson());
  return *instance;
}

void requireFit(const KernelLaunch& launch, const GpuFacts& gpu) {
  const auto refuse = [&](const std::string& what, std::int64_t has, std::int64_t most) {
    throw IllegalSchedule(
        fmt::format("the kernel {} has {} {}; {} at most", launch.entry, has, what, most));
  };
  if (launch.threadsPerBlock() > gpu.threadsPerBlock)
    refuse("threads in a block", launch.threadsPerBlock(), gpu.threadsPerBlock);
  for (std::size_t i = 0; i < launch.grid.size(); ++i)
    if (launch.grid[i] > kMostBlocks[i])
      refuse(fmt::format("blocks along {}", "xyz"[i]), launch.grid[i], kMostBlocks[i]);
  if (launch.dynamicSharedBytes > gpu.sharedBytesPerBlockOptIn)
    refuse("bytes of shared memory in a block", launch.dynamicSharedBytes,
           gpu.sharedBytesPerBlockOptIn);
}

/// What a compilation has of a function: its text, and what NVRTC made of it.
struct Compilation {
  CudaText text;
  std::shared_ptr<const Compiled> compiled;
};

Compilation compilation(const LoopFunction& function, const GpuFacts& gpu, bool lines) {
  Compilation made{cudaText(function, lines), nullptr};
  for (const KernelLaunch& launch : made.text.launches)
    requireFit(launch, gpu);
  made.compiled = cache().get(compilerFor(gpu), made.text.source, {gpu.architecture, lines});
  return made;
}

void addResources(KernelArtifact& artifact, const Compiled& compiled, const GpuFacts& gpu) {
  const auto kernels = kernelResources(compiled);
  for (KernelLaunch& launch : artifact.launches) {
    const auto found = kernels.find(launch.entry);
    if (found == kernels.end())
      throw Error(fmt::format("NVRTC says nothing of the kernel {}", launch.entry));
    launch.resources = found->second;
    launch.resources.occupancy =
        occupancyOf(gpu, {launch.threadsPerBlock(), launch.resources.registers,
                          launch.resources.staticSharedBytes + launch.dynamicSharedBytes});
  }
}

} // namespace

TargetFacts CudaBackend::target(int, const std::string& device) const {
  const DeviceReport report = devicesHere();
  if (!report.problem.empty()) throw noDevice(report.problem);
  GpuFacts gpu = chooseDevice(report, device).facts;
  gpu.nvrtcVersion = compilerFor(gpu).status().version;
  return cudaTarget(gpu);
}

KernelArtifact CudaBackend::compile(const LoopFunction& function,
                                    const CompileOptions& options) const {
  const GpuFacts gpu = gpuFor(options, *this);
  // With marks it is what text() compiles, so that NVRTC does it once.
  const Compilation made =
      compilation(options.marks ? withOwnStatements(function) : function, gpu, options.marks);
  KernelArtifact artifact;
  artifact.launches = made.text.launches;
  artifact.code = made.compiled->cubin;
  artifact.architecture = gpu.architecture.name();
  artifact.compiler = "NVRTC " + versionText(compilerFor(gpu).status().version);
  artifact.workspaceBytes = made.text.workspaceBytes;
  for (const Buffer& parameter : function.parameters)
    artifact.parameterBytes.push_back(parameter->bytes());
  artifact.inputCount = function.inputCount;
  artifact.layouts = function.layouts;
  addResources(artifact, *made.compiled, gpu);
  return artifact;
}

std::vector<CodeText> CudaBackend::texts() const {
  // Asked for with every program that is shown.
  const NvrtcStatus& nvrtc = Nvrtc::instance(devicesHere(Look::Once).driverVersion).status();
  std::string why = nvrtc.reason;
  if (nvrtc.found) (void)findDisassembler(nvrtc.path, why);
  return {{CodeForm::CudaC, "CUDA C", ""},
          {CodeForm::Ptx, "PTX", nvrtc.reason},
          {CodeForm::Sass, "SASS", why}};
}

std::string CudaBackend::text(const LoopFunction& function, CodeForm form,
                              const CompileOptions& options) const {
  const LoopFunction shown = options.marks ? withOwnStatements(function) : function;
  if (form == CodeForm::CudaC) return cudaText(shown, options.marks).source;
  if (form != CodeForm::Ptx && form != CodeForm::Sass)
    throw UsageError("the code of a GPU is shown as CUDA C, as PTX or as SASS");
  const GpuFacts gpu = gpuFor(options, *this);
  const Compilation made = compilation(shown, gpu, options.marks);
  if (form == CodeForm::Ptx) return made.compiled->ptx;
  std::string why;
  const std::string program = findDisassembler(compilerFor(gpu).status().path, why);
  if (program.empty()) throw SystemError(fmt::format("SASS cannot be shown: {}", why));
  return disassemble(program, made.compiled->cubin);
}

std::unique_ptr<Device> CudaBackend::openDevice(const DeviceOptions& options) const {
  return openCudaDevice(Driver::instance(), options);
}

std::vector<EnvironmentFinding> CudaBackend::environment(const std::string& device) const {
  const DeviceReport report = askForDevices(); // anew: it is about now
  if (report.devices.empty()) return {};
  return environmentOf(chooseDevice(report, device));
}

BackendSurvey CudaBackend::survey() const {
  const DeviceReport report = devicesHere();
  return cuda::survey(Nvrtc::instance(report.driverVersion).status(), report);
}

} // namespace nestwright::cuda
