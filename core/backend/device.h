#pragma once
/// \file Where kernels run: memory, copies, starts and timing, on the host or on a GPU.

#include "core/backend/device_error.h"
#include "core/backend/kernel.h"
#include "core/backend/kernel_artifact.h"
#include "core/backend/launch_sequence.h"
#include "core/target/device_state.h"
#include "core/target/target.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

struct DeviceOptions {
  /// Which one: a number or a part of its name; empty takes the only one, or the first of several
  /// of one kind.
  std::string device;
  std::int64_t memoryBytes = 0; // that may be allocated; 0: what is free
  double seconds = 0;           // that one wait for a kernel may take; 0: any time
};

/// One device as one process uses it. Thread-compatible. Whatever is allocated or loaded must be
/// gone before it. Throws DeviceError where a GPU or its driver refuses something.
class Device {
 public:
  virtual ~Device() = default;
  virtual const TargetFacts& facts() const = 0;

  /// Memory with guards around it; not readable by the host unless it is the host's. Contents are
  /// not set. Throws std::bad_alloc on the host.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void copyIn(void* to, std::span<const std::uint8_t> from) = 0;
  virtual void copyOut(std::span<std::uint8_t> to, const void* from) = 0;
  virtual void fill(void* memory, std::uint8_t value, std::size_t bytes) = 0;
  /// Whether the host may read and write what allocate() gives.
  virtual bool isHostMemory() const { return false; }
  /// A kernel that writes there ends the process, where the device can see to that; elsewhere
  /// nothing happens.
  virtual void protect(void*) {}

  /// What one wait for a kernel may take that is loaded from now on, seconds, as DeviceOptions has
  /// it. The host's kernels are waited for in any case.
  virtual void setDeadline(double) {}
  virtual std::unique_ptr<Kernel> load(const KernelArtifact& artifact) = 0;
  /// Runs once and waits for the end.
  virtual void run(const KernelCall& call) = 0;
  /// Seconds of `runs` runs together, by the device's own clock: each takes the next of these calls
  /// of one kernel, and after the last one the first.
  virtual double time(std::span<const KernelCall> calls, int runs) = 0;
  double time(const KernelCall& call, int runs) { return time(std::span(&call, 1), runs); }
  /// The same of one run, which finds nothing in the caches that kernels have read or written.
  virtual double timeCold(const KernelCall& call) = 0;
  /// The calls as one piece of work, which is run many times; what it costs to begin each of them
  /// is paid once where the device can do so.
  virtual std::unique_ptr<LaunchSequence> sequence(std::vector<KernelCall> calls) = 0;
  /// Throws OutOfBounds when something has written next to memory that is allocated.
  virtual void checkGuards() = 0;
  virtual DeviceState state() = 0;
};

/// Buffers that share a piece of the device's memory begin at multiples of this many bytes.
inline std::int64_t bufferAlignment(const TargetFacts& device) {
  return device.gpu ? 256 : 64;
}

} // namespace nestwright
