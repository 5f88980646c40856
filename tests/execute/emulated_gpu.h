#pragma once
/// \file A backend whose GPU is made up: it takes lowered GPU programs as they are, and its device
/// emulates them, which is slow and forgives nothing.

#include "core/backend/backend.h"
#include "tests/support/made_up_gpu.h"

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace nestwright::test {

/// What an emulated GPU does beside its work.
struct EmulatedFaults {
  bool refusesSampled = false;             // no sampled program compiles
  std::int64_t memoryBytes = 0;            // that can be allocated; 0: any
  std::optional<DeviceFault> whileRunning; // of every kernel but the first `faultyRun` that run
  int faultyRun = 0;
};

class EmulatedGpuBackend : public Backend {
 public:
  explicit EmulatedGpuBackend(EmulatedFaults faults = {})
      : faults_(std::move(faults)), log_(std::make_shared<MadeUpGpuLog>()) {}

  std::string name() const override { return "cuda"; }
  TargetFacts target(int, const std::string&) const override { return madeUpGpuTarget(); }
  /// Throws InputError for what is no GPU program, or where it was not told for which GPU.
  KernelArtifact compile(const LoopFunction& function,
                         const CompileOptions& options) const override;
  std::vector<CodeText> texts() const override { return {}; }
  std::string text(const LoopFunction&, CodeForm, const CompileOptions&) const override {
    return "";
  }
  /// DeviceOptions::device "none" is absent.
  std::unique_ptr<Device> openDevice(const DeviceOptions& options) const override;

  const MadeUpGpuLog& log() const { return *log_; }
  /// As text, in no order.
  std::multiset<std::string> compiled() const;

 private:
  EmulatedFaults faults_;
  std::shared_ptr<MadeUpGpuLog> log_;
  mutable std::mutex mutex_; // networks are compiled on many threads
  mutable std::multiset<std::string> compiled_;
};

} // namespace nestwright::test
