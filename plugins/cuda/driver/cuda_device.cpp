#include "plugins/cuda/driver/cuda_device.h"

#include "core/backend/device_buffer.h"
#include "core/support/quantity.h"
#include "plugins/cuda/driver/cuda_kernel.h"
#include "plugins/cuda/driver/cuda_sequence.h"
#include "plugins/cuda/driver/device_memory.h"
#include "plugins/cuda/driver/nvml.h"

#include <algorithm>

namespace nestwright::cuda {
namespace {

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int ordinal, const GpuFacts& gpu, const DeviceOptions& options)
      : pciBusId_(driver.pciBusId(ordinal)), facts_(cudaTarget(gpu)), context_(driver, ordinal),
        memory_(context_, options.memoryBytes), seconds_(options.seconds) {}

  const TargetFacts& facts() const override { return facts_; }

  void* allocate(std::size_t bytes) override {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of a device come as numbers
    return reinterpret_cast<void*>(memory_.allocate(bytes));
  }
  void release(void* memory) noexcept override { memory_.release(addressOf(memory)); }

  void copyIn(void* to, std::span<const std::uint8_t> from) override {
    if (from.empty()) return;
    context_.check(context_.api().copyIn(addressOf(to), from.data(), from.size()),
                   "copy " + quantity(std::ssize(from), "byte") + " to the device");
  }
  void copyOut(std::span<std::uint8_t> to, const void* from) override {
    if (to.empty()) return;
    context_.check(context_.api().copyOut(to.data(), addressOf(from), to.size()),
                   "copy " + quantity(std::ssize(to), "byte") + " from the device");
  }
  void fill(void* memory, std::uint8_t value, std::size_t bytes) override {
    if (bytes == 0) return;
    context_.check(context_.api().fill(addressOf(memory), value, bytes),
                   "fill " + quantity(std::int64_t(bytes), "byte"));
  }

  void setDeadline(double seconds) override { seconds_ = seconds; }
  std::unique_ptr<Kernel> load(const KernelArtifact& artifact) override {
    return std::make_unique<CudaKernel>(context_, artifact, *facts_.gpu, seconds_);
  }
  void run(const KernelCall& call) override {
    call.kernel.run(call.buffers, call.workspace, call.threads);
  }
  double time(std::span<const KernelCall> calls, int runs) override {
    NW_ASSERT(!calls.empty(), "there is nothing to time");
    return kernelOf(calls.front()).time(calls, runs);
  }
  double timeCold(const KernelCall& call) override {
    constexpr std::int64_t kLeast = 32ll << 20; // where the size of L2 is not told
    if (!overwritten_.data())
      overwritten_ =
          DeviceBuffer(*this, static_cast<std::size_t>(std::max(kLeast, 2 * facts_.l2Bytes)));
    return kernelOf(call).timeCold(call, addressOf(overwritten_.data()), overwritten_.bytes());
  }
  std::unique_ptr<LaunchSequence> sequence(std::vector<KernelCall> calls) override {
    return std::make_unique<CudaSequence>(context_, std::move(calls), seconds_);
  }
  void checkGuards() override { memory_.checkGuards(); }
  DeviceState state() override { return nvml_.state(pciBusId_); }

 private:
  static const CudaKernel& kernelOf(const KernelCall& call) {
    const auto* kernel = dynamic_cast<const CudaKernel*>(&call.kernel);
    NW_ASSERT(kernel, "the kernel was not loaded by this device");
    return *kernel;
  }

  std::string pciBusId_;
  TargetFacts facts_;
  Nvml nvml_;
  Context context_;
  DeviceMemory memory_;
  double seconds_ = 0;
  DeviceBuffer overwritten_; // so that nothing else is left in the caches
};

} // namespace

std::unique_ptr<Device> openCudaDevice(const Driver& driver, const DeviceOptions& options) {
  const ChosenDevice chosen = chooseDevice(driver, options.device);
  return std::make_unique<CudaDevice>(driver, chosen.ordinal, chosen.facts, options);
}

} // namespace nestwright::cuda
