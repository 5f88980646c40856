#pragma once
/// \file Measuring programs in worker processes: options, requests, and the measurer that builds in
/// parallel and times alone.

#include "core/measure/worker_launch.h"
#include "core/result/measure_result.h"
#include "core/schedule/step.h"
#include "core/target/target.h"
#include "core/tensor/compute_dag.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

struct MeasureOptions {
  int threads = 0;  // of the measured kernel; 0: all cores
  int builders = 0; // processes that compile; 0: all cores
  int warmups = 1;  // runs before the first repeat
  int repeats = 3;
  double minRepeatSeconds = 0.02; // short kernels run several times within a repeat (C32)
  double maxTotalSeconds = 0.5;   // of all repeats: a slow kernel gets fewer of them, at least one
  Evaluator evaluator;     // micro-batches in place of the repeats (handbook/cost-models.md 4.2)
  bool flushCache = false; // between repeats
  std::string device;      // which GPU: a number or a part of its name; empty: the first
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
  friend bool operator==(const MeasureOptions&, const MeasureOptions&) = default;
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
  /// Of the task's best, seconds; 0 while there is none: what Evaluator::hopeless compares with.
  double bestSeconds = 0;
  /// Of a program that is timed in turns with others: so many repeats, whatever the options say, and
  /// one build for all its turns in a call. 0: a candidate, as the options say.
  int repeats = 0;
  bool onlyCheck = false; // one run, for the check: the time says nothing
};

/// What whoever measures does meanwhile, on the thread that called.
struct BesideMeasuring {
  /// Called once, when the first programs are built and none is timed: from its end on nobody but
  /// the runner has the processor. Not of a GPU, whose times do not mind.
  std::function<void()> beforeTiming;
  /// Of a GPU: programs that a later call measures, told once they are known, in one list. They are
  /// built when nobody waits for a builder; those that are not ready at the end of this call go on.
  std::function<std::vector<MeasureRequest>()> nextBuilds;
};

/// Owns the worker processes. Not thread-safe: one caller at a time; only `stop` may be set from
/// elsewhere.
class Measurer {
 public:
  /// Programs are for `target`: a GPU as its facts say, or else the worker's own machine. `launch`
  /// is no option: it says which program runs, and options may come from a file.
  Measurer(MeasureOptions options, WorkerLaunch launch, TargetFacts target = {});
  ~Measurer();
  Measurer(const Measurer&) = delete;
  Measurer& operator=(const Measurer&) = delete;

  /// Measures all requests. `onResult` is called on the calling thread for each result as soon as
  /// it is there; when `stop` becomes true the rest come back as Cancelled, within a second. Throws
  /// SystemError when no worker can be started at all, and DeviceError (Absent) when the worker has
  /// no device to measure on; results that were announced stay good.
  void measure(const std::vector<MeasureRequest>& requests,
               const std::function<void(const MeasureResult&)>& onResult,
               const std::atomic<bool>* stop = nullptr, const BesideMeasuring& beside = {});

  const MeasureOptions& options() const;
  /// Seconds of the last measure() in which programs were built and none was timed; 0 for a GPU,
  /// which times some while others are built.
  double buildPhaseSeconds() const;
  /// Ids of the worker processes, for tests and for the process view.
  std::vector<int> workerPids() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whoever measures, in Measurer's place: what it is given and what it has to do is as of
/// Measurer::measure.
using MeasureFunction = std::function<void(
    const std::vector<MeasureRequest>& requests,
    const std::function<void(const MeasureResult&)>& onResult, const std::atomic<bool>* stop)>;

/// The worker's main loop with the backend of this name: frames on standard input, answers on
/// standard output, until the end of input. Returns the process exit code.
int runWorker(const std::string& backend);

} // namespace nestwright
