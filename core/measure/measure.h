#pragma once
/// \file Measuring programs in worker processes: verdicts, options, results, and the measurer that
/// builds in parallel and times alone.

#include "core/measure/machine_state.h"
#include "core/measure/worker_launch.h"
#include "core/schedule/step.h"
#include "core/tensor/compute_dag.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Every candidate ends in exactly one (C1).
enum class Verdict : std::uint8_t {
  Ok,
  Illegal,
  CompileError,
  LoadError,
  RunError,
  WrongAnswer,
  BuildTimeout,
  RunTimeout,
  WorkerLost,
  Cancelled
};
/// "ok", "illegal", "compile error", ... as shown and stored.
const char* name(Verdict verdict);
/// The inverse. Throws InputError when the text names no verdict.
Verdict verdictFromName(std::string_view name);
/// The public record's error number (handbook/ansor.md 5.3).
int recordErrorNumber(Verdict verdict);

struct MeasureOptions {
  int threads = 0;  // of the measured kernel; 0: all cores
  int builders = 0; // processes that compile; 0: all cores
  int warmups = 1;  // runs before the first repeat
  int repeats = 3;
  double minRepeatSeconds = 0.02; // short kernels run several times within a repeat (C32)
  double maxTotalSeconds = 0.5;   // of all repeats: a slow kernel gets fewer of them, at least one
  bool flushCache = false;        // between repeats
  double buildTimeoutSeconds = 15;
  double runTimeoutSeconds = 10; // of one measurement, all repeats included
  /// Of the naive program, which is no candidate: as reference of a check, or measured itself.
  double referenceTimeoutSeconds = 300;
  std::int64_t memoryLimitBytes = 4ll << 30; // address space that a kernel may add to its worker
  int jobsPerWorker = 500;                   // a worker is replaced after this many (C18)
  std::int64_t bytesPerWorker = 4ll << 30;   // or when it holds this much memory after a job
  std::uint64_t inputSeed = 1;               // random inputs of the check
  /// Of the check, element by element: |x - reference| <= relative * |reference| + absolute * s,
  /// where s is the root mean square of the reference output, but at least 1 (the rounding error of
  /// a long sum grows with the sum's size, also where the result is near zero).
  double relativeTolerance = 1e-3, absoluteTolerance = 1e-4;
};
/// All options by name, to be shown and stored with a session (C43).
nlohmann::json toJson(const MeasureOptions& options);
/// The inverse; options that are missing keep their default. Throws InputError on a wrong type.
MeasureOptions measureOptionsFromJson(const nlohmann::json& json);

struct MeasureRequest {
  std::uint64_t id = 0;
  std::string dag; // exact text form of the compute DAG
  Steps steps;
  bool naive = false; // measure the naive program (one thread, not vectorised) instead of `steps`
  /// Compare the outputs with the naive program on random inputs; a difference is WrongAnswer.
  bool check = false;
  /// When set (seconds), the check is made only if the measured median is below it.
  double checkBelowSeconds = 0;
  bool onlyCheck = false; // one run, for the check: the time says nothing
};

struct MeasureResult {
  std::uint64_t id = 0;
  Verdict verdict = Verdict::Ok;
  std::string error;           // full text, up to 64 KiB; empty when ok (C2)
  std::string uncheckedReason; // why a check that was asked for could not be made
  int failingStep = -1;        // index of the step that broke it, if one did
  std::vector<double> seconds; // every repeat, per kernel run (C30)
  int runsPerRepeat = 1, warmups = 0;
  bool cacheFlushed = false;
  MachineState machine; // when the last repeat had ended, where the system tells
  bool checked = false; // agreed with the naive program
  /// Of the check: largest |x - reference| / (|reference| + s * absolute / relative tolerance), so
  /// that it is to be compared with the relative tolerance. Infinity for a NaN.
  double maxRelativeError = 0;
  double buildSeconds = 0;    // replay, lowering, compilation
  double runSeconds = 0;      // spent in kernels, warm-up and check included
  std::int64_t startedAt = 0; // microseconds since the epoch, UTC
  /// Median of the repeats, seconds; infinity when the verdict is not Ok.
  double median() const;
  /// (largest - smallest repeat) / median; 0 with fewer than two repeats.
  double spread() const;
};

/// All fields by name; the inverse throws InputError when a field is missing or of a wrong type.
nlohmann::json toJson(const MeasureResult& result);
MeasureResult measureResultFromJson(const nlohmann::json& json);

/// One sentence for a list: the first line of the error and the failing step.
std::string oneSentence(const MeasureResult& result);

/// Owns the worker processes. Not thread-safe: one caller at a time; only `stop` may be set from
/// elsewhere.
class Measurer {
 public:
  /// `launch` is no option: it says which program runs, and options may come from a file.
  Measurer(MeasureOptions options, WorkerLaunch launch);
  ~Measurer();
  Measurer(const Measurer&) = delete;
  Measurer& operator=(const Measurer&) = delete;

  /// Measures all requests. `onResult` is called on the calling thread for each result as soon as
  /// it is there; when `stop` becomes true the rest come back as Cancelled, within a second. Throws
  /// SystemError when no worker can be started at all; results that were announced stay good.
  void measure(const std::vector<MeasureRequest>& requests,
               const std::function<void(const MeasureResult&)>& onResult,
               const std::atomic<bool>* stop = nullptr);

  const MeasureOptions& options() const;
  /// Seconds of the last measure() in which programs were built and none was timed.
  double buildPhaseSeconds() const;
  /// Ids of the worker processes, for tests and for the process view.
  std::vector<int> workerPids() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The worker's main loop with the LLVM backend: frames on standard input, answers on standard
/// output, until the end of input. Returns the process exit code.
int runWorker();

} // namespace nestwright
