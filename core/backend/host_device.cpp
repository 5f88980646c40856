#include "core/backend/host_device.h"

#include "core/backend/flush_caches.h"
#include "core/backend/guarded_buffer.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/target/machine_state.h"

#include <chrono>
#include <cstring>
#include <map>
#include <vector>

namespace nestwright {
namespace {

class HostDevice final : public Device {
 public:
  HostDevice() : facts_(hostTarget()) {}
  HostDevice(const Backend& backend, const DeviceOptions& options)
      : backend_(&backend), facts_(backend.target(0)), limit_(options.memoryBytes) {
    if (!options.device.empty())
      throw UsageError(
          fmt::format("there is no device \"{}\": programs of {} run on this machine's "
                      "processor, which has no name to choose it by",
                      options.device, backend.name()));
  }

  const TargetFacts& facts() const override { return facts_; }

  void* allocate(std::size_t bytes) override {
    const auto wanted = static_cast<std::int64_t>(bytes);
    if (limit_ > 0 && wanted > limit_ - allocated_)
      throw DeviceError(DeviceFault::OutOfMemory, "",
                        fmt::format("{} bytes are wanted and {} of at most {} are taken", wanted,
                                    allocated_, limit_));
    GuardedBuffer memory(bytes);
    void* const data = memory.data();
    memory_.emplace(data, std::move(memory));
    allocated_ += wanted;
    return data;
  }

  void release(void* memory) noexcept override {
    const auto found = memory_.find(memory);
    if (found == memory_.end()) return;
    allocated_ -= static_cast<std::int64_t>(found->second.bytes().size());
    memory_.erase(found);
  }

  void copyIn(void* to, std::span<const std::uint8_t> from) override {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }
  void copyOut(std::span<std::uint8_t> to, const void* from) override {
    if (!to.empty()) std::memcpy(to.data(), from, to.size());
  }
  void fill(void* memory, std::uint8_t value, std::size_t bytes) override {
    if (bytes > 0) std::memset(memory, value, bytes);
  }

  bool isHostMemory() const override { return true; }
  void protect(void* memory) override { memory_.at(memory).makeReadOnly(); }

  std::unique_ptr<Kernel> load(const KernelArtifact& artifact) override {
    if (!backend_)
      throw UsageError(fmt::format("the kernel {} was compiled, and this device was opened for "
                                   "functions of the process alone",
                                   artifact.entry));
    return backend_->load(artifact);
  }
  void run(const KernelCall& call) override {
    call.kernel.run(call.buffers, call.workspace, call.threads);
  }
  double time(std::span<const KernelCall> calls, int runs) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i)
      run(calls[static_cast<std::size_t>(i) % calls.size()]);
    return secondsSince(start);
  }
  using Device::time;
  double timeCold(const KernelCall& call) override {
    flusher_.flush(call.threads);
    return time(call, 1);
  }

  std::unique_ptr<LaunchSequence> sequence(std::vector<KernelCall> calls) override {
    return callsInTurn(*this, std::move(calls));
  }

  /// An access to the pages around a buffer has ended the process.
  void checkGuards() override {}

  DeviceState state() override {
    const MachineState machine = machineStateHere();
    DeviceState state;
    state.clockHertz = machine.clockHertz;
    state.celsius = machine.celsius;
    return state;
  }

 private:
  const Backend* backend_ = nullptr; // none: for functions of the process alone
  TargetFacts facts_;
  std::int64_t limit_ = 0, allocated_ = 0;
  std::map<void*, GuardedBuffer> memory_;
  CacheFlusher flusher_{facts_};
};

} // namespace

std::unique_ptr<Device> makeHostDevice() {
  return std::make_unique<HostDevice>();
}

std::unique_ptr<Device> makeHostDevice(const Backend& backend, const DeviceOptions& options) {
  return std::make_unique<HostDevice>(backend, options);
}

} // namespace nestwright
