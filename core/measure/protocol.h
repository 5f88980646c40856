#pragma once
/// \file What master and worker say to each other, as JSON headers of frames.
///
/// The worker opens with `hello`. Then every request has one answer: build, load, run, check and
/// count are answered by built, loaded, ran, checked and counted, or by failed, with the request's
/// number; target asks what the worker's machine is. A request holds all that it needs, so that a
/// worker can be on another machine.
///
/// A worker runs foreign code and may say anything. Whoever reads its answers gets values that can
/// be, or BadFrame, which the pool turns into the end of that worker (worker_pool.h).

#include "core/backend/backend.h"
#include "core/measure/kernel_runner.h"
#include "core/measure/measure.h"
#include "core/result/program_counts.h"
#include "core/worker/frame.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

// 2: packed inputs; 3: numbered requests; 4: targets; 5: the worker's own target, a GPU's state;
// 6: evaluators; 7: counters
inline constexpr int kProtocolVersion = 7;

struct WorkLimits {
  double seconds = 10;          // the master's time-out; here the base of the processor-time limit
  std::int64_t memoryBytes = 0; // address space that the job may add; 0: no limit
  int threads = 0;              // of kernels; 0: all cores of the worker's machine
};

struct BuildWork {
  WorkLimits limits;
  /// What to build for: a GPU as it is described here, which the builder's machine need not have;
  /// else the worker's own machine.
  TargetFacts target;
  std::string dag;
  Steps steps;
  bool naive = false;
};
struct LoadWork {
  WorkLimits limits;
  std::string device; // as DeviceOptions has it
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
/// Runs the loaded kernel over and over while the processor counts.
struct CountWork {
  WorkLimits limits;
  double seconds = 0.3; // that the counted runs take together, about
};

Frame toFrame(const BuildWork& work);
Frame toFrame(const LoadWork& work);
Frame toFrame(const RunWork& work);
Frame toFrame(const CheckWork& work);
Frame toFrame(const CountWork& work);
// The inverses throw InputError or a JSON exception when the frame is something else.
BuildWork buildWork(const Frame& frame);
LoadWork loadWork(Frame&& frame);
RunWork runWork(const Frame& frame);
CheckWork checkWork(const Frame& frame);
CountWork countWork(const Frame& frame);

/// What a request of any kind may take.
inline constexpr FrameLimits kRequestLimits{256ull << 20, 4ull << 30};
/// An answer without numbers or code: mostly the text of an error, escaped.
inline constexpr FrameLimits kPlainAnswer{1 << 20, 0};
inline constexpr FrameLimits kBuiltAnswer{1 << 20, 64 << 20};
/// An answer with at most so many numbers.
FrameLimits answerWithNumbers(std::int64_t numbers);

/// Numbers a request; the answer must repeat it.
void setRequestNumber(Frame& frame, std::int64_t number);
/// Throws BadFrame when there is none.
std::int64_t requestNumber(const Frame& frame);
/// Throws BadFrame unless it is the answer to the request of this number, and otherwise gives the
/// memory that the worker says to hold, in bytes.
std::int64_t requireAnswerTo(std::int64_t number, const Frame& frame);

/// A worker that has started: nothing, or why it cannot work. Throws BadFrame when it says
/// something else than hello.
struct Hello {
  int protocol = 0;
  std::string error;
};
Frame helloFrame(const std::string& error = {});
Hello helloIn(const Frame& frame);

/// Asks for the worker's target, that of this device of it (as DeviceOptions has it), and the
/// answer.
Frame targetFrame(const std::string& device);
std::string deviceIn(const Frame& frame);
Frame targetFrame(const TargetFacts& target);
/// Throws BadFrame for what is no target.
TargetFacts targetIn(const Frame& frame);

struct BuiltAnswer {
  KernelArtifact artifact;
  double seconds = 0;
};
Frame builtFrame(KernelArtifact artifact, double seconds);
BuiltAnswer builtAnswer(Frame&& frame);
Frame loadedFrame();
void requireLoaded(const Frame& frame);
Frame ranFrame(const Timing& timing);
/// The times of a run that was asked for so many repeats or micro-batches: one to that many.
Timing ranTiming(const Frame& frame, int repeats);
Frame checkedFrame(const CheckOutcome& outcome);
CheckOutcome checkedOutcome(const Frame& frame);
Frame countedFrame(const ProgramCounts& counts);
/// All but what the task tells: flops and leastBytes.
ProgramCounts countedIn(const Frame& frame);

/// What a worker could not do.
struct WorkFailure {
  Verdict verdict = Verdict::RunError;
  std::string error;
  int failingStep = -1;
  bool deviceAbsent = false; // nothing can be measured there, whatever the program
};
Frame failedFrame(Verdict verdict, const std::string& error, int failingStep, double seconds);
void setDeviceAbsent(Frame& failed);
bool isFailed(const Frame& frame);
WorkFailure failureIn(const Frame& frame);

/// "build", "ran", ... Throws BadFrame when there is none.
std::string typeOf(const Frame& frame);

} // namespace nestwright
