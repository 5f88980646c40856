#pragma once
/// \file What master and worker say to each other, as JSON headers of frames.
///
/// The worker opens with `hello`. Then every request has one answer: build, load, run and check are
/// answered by built, loaded, ran and checked, or by failed. A request holds all that it needs, so
/// that a worker can be on another machine.

#include "core/backend/backend.h"
#include "core/measure/frame.h"
#include "core/measure/kernel_runner.h"
#include "core/measure/measure.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

inline constexpr int kProtocolVersion = 2; // 2: packed inputs

struct WorkLimits {
  double seconds = 10;          // the master's time-out; here the base of the processor-time limit
  std::int64_t memoryBytes = 0; // address space that the job may add; 0: no limit
  int threads = 0;              // of kernels; 0: all cores of the worker's machine
};

struct BuildWork {
  WorkLimits limits;
  std::string dag;
  Steps steps;
  bool naive = false;
};
struct LoadWork {
  WorkLimits limits;
  std::string dag;
  std::uint64_t inputSeed = 1;
  KernelArtifact artifact; // its code is the frame's payload
};
struct RunWork {
  WorkLimits limits;
  TimingOptions timing;
  bool naive = false; // the outputs become the reference of the task
};
struct CheckWork {
  WorkLimits limits;
  Tolerance tolerance;
};

Frame toFrame(const BuildWork& work);
Frame toFrame(const LoadWork& work);
Frame toFrame(const RunWork& work);
Frame toFrame(const CheckWork& work);
// The inverses throw InputError or a JSON exception when the frame is something else.
BuildWork buildWork(const Frame& frame);
LoadWork loadWork(Frame&& frame);
RunWork runWork(const Frame& frame);
CheckWork checkWork(const Frame& frame);

Frame builtFrame(KernelArtifact artifact, double seconds);
KernelArtifact builtArtifact(Frame&& frame);
Frame ranFrame(const Timing& timing);
Timing ranTiming(const Frame& frame);
Frame checkedFrame(const CheckOutcome& outcome);
CheckOutcome checkedOutcome(const Frame& frame);
Frame failedFrame(Verdict verdict, const std::string& error, int failingStep, double seconds);

/// {"shape": [...], "axes": [...], "parts": [[dimension, extent, size], ...]}
nlohmann::json toJson(const PackedLayout& layout);
/// Throws InputError or a JSON exception when it is no layout.
PackedLayout packedLayout(const nlohmann::json& json);

/// "build", "ran", ...
std::string typeOf(const Frame& frame);

} // namespace nestwright
