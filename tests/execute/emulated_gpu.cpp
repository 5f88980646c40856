#include "tests/execute/emulated_gpu.h"

#include "core/backend/host_device.h"
#include "core/emulate/emulate.h"
#include "core/support/error.h"

#include <cstring>
#include <map>
#include <mutex>

namespace nestwright::test {
namespace {

/// Compiled programs by their names: an artifact of this process is little more than such a name.
class Programs {
 public:
  std::string add(const LoopFunction& function) {
    const std::lock_guard lock(mutex_);
    const std::string name = fmt::format("program {}", programs_.size());
    programs_.emplace(name, function);
    return name;
  }
  LoopFunction get(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return programs_.at(name);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, LoopFunction> programs_;
};

Programs& programs() {
  static Programs all;
  return all;
}

template <class T>
std::vector<double> valuesOf(const void* memory, std::int64_t count) {
  const T* const first = static_cast<const T*>(memory);
  return {first, first + count};
}

std::vector<double> read(const Buffer& buffer, const void* memory) {
  const DataType type = buffer->type;
  if (type == kFloat32) return valuesOf<float>(memory, buffer->elements());
  if (type == kInt64) return valuesOf<std::int64_t>(memory, buffer->elements());
  NW_ASSERT(type.isBool(), "a network holds no {}", toString(type));
  return valuesOf<std::uint8_t>(memory, buffer->elements());
}

template <class T>
void put(const std::vector<double>& values, void* memory) {
  T* const first = static_cast<T*>(memory);
  for (std::size_t i = 0; i < values.size(); ++i)
    first[i] = static_cast<T>(values[i]);
}

void write(const Buffer& buffer, const std::vector<double>& values, void* memory) {
  if (buffer->type == kFloat32)
    put<float>(values, memory);
  else if (buffer->type == kInt64)
    put<std::int64_t>(values, memory);
  else
    put<std::uint8_t>(values, memory);
}

class EmulatedKernel final : public Kernel {
 public:
  EmulatedKernel(LoopFunction function, const EmulatedFaults& faults, const MadeUpGpuLog& log)
      : function_(std::move(function)), faults_(faults), log_(log) {}

  void run(std::span<void* const> buffers, void*, int) const override {
    if (faults_.whileRunning && log_.runs > faults_.faultyRun)
      throw DeviceError(*faults_.whileRunning, "CUDA_ERROR_MADE_UP",
                        fmt::format("the device did not finish kernel {}", faults_.faultyRun));
    std::map<std::string, std::vector<double>> inputs;
    const auto inputCount = static_cast<std::size_t>(function_.inputCount);
    for (std::size_t i = 0; i < inputCount; ++i)
      inputs[function_.parameters[i]->name] = read(function_.parameters[i], buffers[i]);
    const Emulation emulation = emulate(function_, inputs);
    if (emulation.error)
      throw DeviceError(DeviceFault::ContextLost, nestwright::name(emulation.error->fault),
                        emulation.error->what);
    for (std::size_t i = inputCount; i < function_.parameters.size(); ++i)
      write(function_.parameters[i], emulation.outputs.at(function_.parameters[i]->name),
            buffers[i]);
  }

 private:
  LoopFunction function_;
  const EmulatedFaults& faults_;
  const MadeUpGpuLog& log_;
};

} // namespace

KernelArtifact EmulatedGpuBackend::compile(const LoopFunction& function,
                                           const CompileOptions& options) const {
  if (!options.gpu || options.gpu->name != "made-up")
    throw InputError("the compiler was not told which GPU it compiles for");
  if (faults_.refusesSampled && function.name != "naive")
    throw IllegalSchedule("no other program than the naive one compiles");
  {
    const std::lock_guard lock(mutex_);
    compiled_.insert(print(function));
  }
  KernelArtifact artifact;
  artifact.entry = programs().add(function);
  visit(function.body, [&](const Stmt& statement) {
    if (statement->kind == StmtKind::Launch)
      artifact.launches.emplace_back().entry = statement->launch->kernel;
  });
  if (artifact.launches.empty()) throw InputError("it launches nothing on a GPU");
  artifact.architecture = options.gpu->architecture.name();
  for (const Buffer& parameter : function.parameters)
    artifact.parameterBytes.push_back(parameter->bytes());
  artifact.inputCount = function.inputCount;
  artifact.layouts = function.layouts;
  return artifact;
}

std::multiset<std::string> EmulatedGpuBackend::compiled() const {
  const std::lock_guard lock(mutex_);
  return compiled_;
}

std::unique_ptr<Device> EmulatedGpuBackend::openDevice(const DeviceOptions& options) const {
  if (options.device == "none") throw DeviceError(DeviceFault::Absent, "", "there is no device");
  return std::make_unique<MadeUpGpu>(
      madeUpGpuTarget(), makeHostDevice(*this, {"", faults_.memoryBytes, 0}),
      [this](const KernelArtifact& artifact) {
        return std::make_unique<EmulatedKernel>(programs().get(artifact.entry), faults_, *log_);
      },
      log_);
}

} // namespace nestwright::test
