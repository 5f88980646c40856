#pragma once
/// \file Random recombination (TenSet 5.6): the fastest programs of a network's tasks alone need
/// not be the fastest together, so random combinations of each task's top candidates are measured
/// end to end. It runs on its own thread, takes commands and tells events; the file is its memory,
/// so that it can be killed at any moment and gone on with.

#include "core/execute/network_measurer.h"
#include "core/session/recombination/recombination_summary.h"
#include "core/session/run/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace nestwright {

/// All choices of a recombination, saved with it (C43).
struct RecombinationConfig {
  std::string network; // as on the command line; complete once it is saved
  /// Where the network runs, "llvm" or "cuda", and which GPU that is: its number or a part of its
  /// name. Empty: on what the network was tuned last; they are complete once they are saved.
  std::string target, device;
  int k = 3;              // candidates of each task
  int samples = 80;       // combinations to measure; the per-task bests come on top
  std::uint64_t seed = 1; // of the combinations
  int threads = 0;        // of the kernels; 0: all cores
  int repeats = 10;       // timed runs of each combination
  double maxSeconds = 2;  // of all repeats of one: a slow network gets fewer, at least one
  int baselineEvery = 10; // samples after which the per-task bests are measured again
  NetworkReference reference = NetworkReference::Naive; // what answers are compared with
  /// Whether programs that round to TF32 are candidates; answers then may deviate more.
  bool tf32 = false;
  /// By which definition each task of the network runs (fastestDefinitions), known once it is
  /// saved; empty: all by their own.
  std::vector<int> definitions = {};
};
nlohmann::json toJson(const RecombinationConfig& config);
RecombinationConfig recombinationConfigFromJson(const nlohmann::json& json);
/// The settings that the row keeps. Throws InputError.
RecombinationConfig configOf(const RecombinationRow& row);

/// Fixes the candidates from the file's records and stores the recombination without starting it.
/// Throws UsageError for impossible numbers, InputError when the network has no records of this
/// machine or no task with two candidates, SystemError when the target's device is not here. A GPU
/// may be that of the worker which `launch` starts.
RowId createRecombination(RecordStore& store, const RecombinationConfig& config,
                          const WorkerLaunch& launch = {});

/// The newest recombination of the network on this machine, or on the worker's.
std::optional<RowId> newestRecombination(const RecordStore& store,
                                         const RecombinationConfig& config,
                                         const WorkerLaunch& launch = {});
/// The same, if it has not finished.
std::optional<RowId> resumableRecombination(const RecordStore& store,
                                            const RecombinationConfig& config,
                                            const WorkerLaunch& launch = {});

/// Makes the combination of a sample the network's choice for `run`. Throws InputError when the
/// sample failed or is not there. The gain stored is the confirmed one, or 1 when the sample was
/// not confirmed.
void keepSample(RecordStore& store, RowId recombination, int sample);

/// "session 3 (resnet18) is being tuned by process 123 on host: ...": who owns the machine now, as
/// far as the file knows; or nothing.
std::optional<std::string> runningSession(const RecordStore& store);

// What a recombination tells. Everything but the phase is durable when it is told.
struct RecombinationStatusChanged {
  SessionStatus status = SessionStatus::Ready;
  std::string reason;
  PauseCause cause = PauseCause::None;
};
struct RecombinationPhase { // what is being done, when it takes long
  std::string text;
};
struct SampleMeasured {
  SampleRow row;
};
struct ClaimJudged { // after every stage of measuring in turns
  WinnerClaim claim;
};
using RecombinationEvent =
    std::variant<RecombinationStatusChanged, RecombinationPhase, SampleMeasured, ClaimJudged>;

/// As for a session: Start also goes on after a pause; Pause drops the sample in flight; Stop does
/// the same, and ends it with what has been measured.
using RecombinationCommand = std::variant<Start, Pause, Stop>;

class Recombination {
 public:
  /// Called on the recombination's thread; must not block.
  using Observer = std::function<void(const RecombinationEvent&)>;

  /// Opens its own connection to the file; nothing runs until it is told to start. From the first
  /// command on the recombination belongs to this object. Networks are measured as
  /// launchForNetworks() says of `launch`; with a `measure` function (a test's) no process is
  /// started.
  Recombination(std::string databasePath, RowId recombination, Observer observer,
                NetworkMeasure measure = nullptr, WorkerLaunch launch = {});
  /// Pauses, stores, and joins the thread.
  ~Recombination();
  Recombination(const Recombination&) = delete;
  Recombination& operator=(const Recombination&) = delete;

  /// Has it obey the command, after those posted before. Thread-safe, returns at once; the outcome
  /// comes as events.
  void post(const RecombinationCommand& command);
  SessionStatus status() const;
  RowId id() const;
  /// Blocks until it is neither running nor about to.
  SessionStatus wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace nestwright
