#pragma once
/// \file Whole networks built and timed in a process of their own, so that a kernel that crashes
/// costs one sample.

#include "core/backend/backend.h"
#include "core/execute/network_runner.h"
#include "core/measure/measure.h"
#include "core/worker/frame.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

/// The program of one task of a network.
struct NetworkProgram {
  int position = -1;   // of the task in the partition
  std::string program; // programId: under it the compiled kernel is kept for further networks
  Steps steps;
};
/// Programs of some tasks; the others run as fallbackPlan() says.
using NetworkPrograms = std::vector<NetworkProgram>;

/// Networks to build, check and time.
struct NetworkRequest {
  std::vector<NetworkPrograms> networks;
  int rounds = 1;            // times that they are timed, in turns
  bool freshProcess = false; // in a process that has run nothing else
};

struct NetworkResult {
  Verdict verdict = Verdict::Ok;
  std::string error;                                     // full text; empty when ok
  std::vector<std::vector<std::vector<double>>> seconds; // [network][round][repeat], end to end
};

/// The relative L2 deviation of outputs that is accepted: of the second where a program rounds its
/// factors, to TF32 as to bfloat16, for those that sum in another order round some the other way.
inline constexpr double kNetworkTolerance = 1e-3, kNarrowNetworkTolerance = 1e-2;

/// How networks are measured: as NetworkMeasurer does, unless a test tells otherwise. Once `stop`
/// is true the result is Cancelled.
using NetworkMeasure =
    std::function<NetworkResult(const NetworkRequest& request, const std::atomic<bool>* stop)>;

/// What outputs are compared with.
enum class NetworkReference : std::uint8_t {
  Naive, // those of the naive programs, run once
  First, // those of the first network that is measured; for networks too slow for the naive ones
};
const char* name(NetworkReference reference); // "naive", "first"
NetworkReference networkReferenceFromName(std::string_view name);

struct NetworkMeasureOptions {
  std::string network;            // complete text
  std::string target = "llvm";    // where it runs, as backendToRunOn() takes it
  std::string device{};           // which GPU: a number or a part of its name; empty: the first
  int threads = 0;                // of the kernels; 0: all cores
  std::vector<int> definitions{}; // by which each task runs; see fastestDefinitions()
  std::uint64_t inputSeed = 1;
  LatencyOptions latency{1, 10, 2.0};
  NetworkReference reference = NetworkReference::Naive;
  double tolerance = kNetworkTolerance; // of the outputs' relative L2 deviation
  double buildTimeoutSeconds = 600; // of all kernels that a network needs and that are not there
  double runTimeoutSeconds = 60;    // of a network in one round, the check included
  double referenceTimeoutSeconds = 3600;
  std::vector<std::string> workerCommand{}; // default: this program's folder/nestwright
};

/// Owns the process. Not thread-safe: one caller at a time; only `stop` may be set from elsewhere.
class NetworkMeasurer {
 public:
  /// `onPhase` hears what takes long, in words; it may be empty.
  NetworkMeasurer(NetworkMeasureOptions options,
                  std::function<void(const std::string&)> onPhase = {});
  ~NetworkMeasurer();
  NetworkMeasurer(const NetworkMeasurer&) = delete;
  NetworkMeasurer& operator=(const NetworkMeasurer&) = delete;

  /// Throws SystemError when no process can be started, or the reference cannot be made, and
  /// DeviceError (Absent) when there is no device to run on.
  NetworkResult measure(const NetworkRequest& request, const std::atomic<bool>* stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The other side: `nestwright network-worker --target TARGET`. Returns the process exit code.
int runNetworkWorker(const std::string& target);
int runNetworkWorker(const std::function<const Backend&()>& backend,
                     InstructionSet set = InstructionSet::Native);

/// Requests between the two, as frames.
struct NetworkWork {
  enum class Kind : std::uint8_t { Build, Outputs, Measure } kind = Kind::Build;
  std::string network;
  std::string device; // which GPU
  int threads = 0;
  std::vector<int> definitions; // by which each task runs; empty: by their own
  /// That one wait for a GPU may take: beyond, nothing but the end of the process stops a kernel.
  double seconds = 0;
  std::uint64_t inputSeed = 1;
  bool naive = false; // Outputs of the processor's naive programs; `networks` is not looked at
  std::vector<NetworkPrograms> networks;
  int rounds = 1;
  LatencyOptions latency;
  double tolerance = kNetworkTolerance;
  std::vector<Array> reference; // Measure: the outputs to agree with
};
Frame toFrame(const NetworkWork& work);
/// Throws InputError or a JSON exception when the frame is something else.
NetworkWork networkWork(const Frame& frame);
/// Arrays as the payload of a frame and a description in its header, and back, which throws
/// BadFrame when they do not make the payload.
void attach(Frame& frame, const std::vector<Array>& arrays);
std::vector<Array> attachedArrays(const Frame& frame);

// The answers, as strictly read as those of protocol.h.

/// An answer that says only that it is done.
Frame networkDoneFrame();
void requireNetworkDone(const Frame& frame);
/// Outputs like these of the network, which are not looked at but for their kind.
struct OutputKind {
  Shape shape;
  bool isFloat = true;
};
FrameLimits outputsLimits(const std::vector<OutputKind>& expected);
std::vector<Array> networkOutputs(const Frame& frame, const std::vector<OutputKind>& expected);
/// [network][round][repeat], as many of each as were asked for; repeats may be fewer, at least one.
using NetworkTimes = std::vector<std::vector<std::vector<double>>>;
FrameLimits networkTimesLimits(const NetworkWork& asked);
Frame networkTimesFrame(const NetworkTimes& seconds);
NetworkTimes networkTimes(const Frame& frame, const NetworkWork& asked);

} // namespace nestwright
