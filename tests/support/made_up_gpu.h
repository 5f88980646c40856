#pragma once
/// \file A GPU as far as anybody can see: kernels run on the host, in memory that nobody finds at
/// the addresses that are given out for it. Without Qt, for workers of tests.

#include "core/backend/device.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nestwright::test {

/// Of an architecture, with a name of its own.
inline TargetFacts madeUpGpuTarget() {
  GpuFacts gpu = gpuPreset({9, 0});
  gpu.name = "made-up";
  return cudaTarget(gpu);
}

/// What a device was asked for. Shared by the devices of a backend, which come and go.
struct MadeUpGpuLog {
  std::vector<std::size_t> allocations; // bytes of each
  std::size_t allocated = 0;            // bytes now
  int copiesIn = 0, copiesOut = 0, runs = 0, flushes = 0;
};

class MadeUpGpu : public Device {
 public:
  using Loader = std::function<std::unique_ptr<Kernel>(const KernelArtifact&)>;

  /// `memory` is the host, whose limits and guards count; kernels that `load` gives run on what it
  /// has allocated.
  MadeUpGpu(TargetFacts facts, std::unique_ptr<Device> memory, Loader load,
            std::shared_ptr<MadeUpGpuLog> log = std::make_shared<MadeUpGpuLog>())
      : facts_(std::move(facts)), memory_(std::move(memory)), load_(std::move(load)),
        log_(std::move(log)) {}

  const TargetFacts& facts() const override { return facts_; }
  void* allocate(std::size_t bytes) override {
    void* const memory = memory_->allocate(bytes);
    log_->allocations.push_back(bytes);
    log_->allocated += bytes;
    bytes_[memory] = bytes;
    return other(memory);
  }
  void release(void* memory) noexcept override {
    log_->allocated -= bytes_[other(memory)];
    bytes_.erase(other(memory));
    memory_->release(other(memory));
  }
  void copyIn(void* to, std::span<const std::uint8_t> from) override {
    ++log_->copiesIn;
    memory_->copyIn(other(to), from);
  }
  void copyOut(std::span<std::uint8_t> to, const void* from) override {
    ++log_->copiesOut;
    memory_->copyOut(to, other(const_cast<void*>(from)));
  }
  void fill(void* memory, std::uint8_t value, std::size_t bytes) override {
    memory_->fill(other(memory), value, bytes);
  }
  std::unique_ptr<Kernel> load(const KernelArtifact& artifact) override { return load_(artifact); }
  void run(const KernelCall& call) override {
    ++log_->runs;
    const std::vector<void*> buffers = hostBuffers(call);
    call.kernel.run(buffers, other(call.workspace), call.threads);
  }
  using Device::time;
  double time(std::span<const KernelCall> calls, int runs) override {
    std::vector<std::vector<void*>> buffers;
    std::vector<KernelCall> hostCalls;
    for (const KernelCall& call : calls)
      buffers.push_back(hostBuffers(call));
    for (std::size_t i = 0; i < calls.size(); ++i)
      hostCalls.push_back(
          {calls[i].kernel, buffers[i], other(calls[i].workspace), calls[i].threads});
    return memory_->time(hostCalls, runs);
  }
  std::unique_ptr<LaunchSequence> sequence(std::vector<KernelCall> calls) override {
    return callsInTurn(*this, std::move(calls));
  }
  double timeCold(const KernelCall& call) override {
    ++log_->flushes;
    return time(call, 1);
  }
  void checkGuards() override {}
  DeviceState state() override {
    DeviceState state;
    state.clockHertz = 1.5e9;
    state.celsius = 60;
    return state;
  }

 private:
  /// An address of the device as one of the host, and back: no processor has both of them.
  static void* other(void* memory) {
    constexpr std::uintptr_t kDisguise = std::uintptr_t{1} << 62;
    return memory ? reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory) ^ kDisguise)
                  : nullptr;
  }
  static std::vector<void*> hostBuffers(const KernelCall& call) {
    std::vector<void*> buffers;
    for (void* const buffer : call.buffers)
      buffers.push_back(other(buffer));
    return buffers;
  }

  TargetFacts facts_;
  std::unique_ptr<Device> memory_;
  Loader load_;
  std::shared_ptr<MadeUpGpuLog> log_;
  std::map<void*, std::size_t> bytes_; // of each piece
};

} // namespace nestwright::test
