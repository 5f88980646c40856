#pragma once
/// \file A whole network built from the best records and executed end to end.

#include "core/execute/network_kernels.h"
#include "core/record/query/network_best.h"
#include "core/record/rows/network_choice.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// Where a task's kernel came from (C36).
enum class KernelOrigin : std::uint8_t {
  Tuned,    // the best verified record of this machine
  Fallback, // no record: as fallbackPlan() says
  Naive,    // the naive program exactly as in "times faster than naive"
};
const char* name(KernelOrigin origin);

struct BuiltTask {
  std::string name;
  double weight = 0;
  KernelOrigin origin = KernelOrigin::Naive;
  RowId record = 0;            // when tuned
  bool tunable = true;         // false: it only moves elements, and is never searched
  RowId bestRecord = 0;        // the task's best; another than `record` where a choice was kept
  bool tunedElsewhere = false; // a fallback here, though the file has another machine's best
  ProgramKind program = ProgramKind::Naive; // what code runs it
  RowId passedOver = 0; // the task's best where networkBest() passes over it; 0: it does not
  NetworkRefusal why = NetworkRefusal::None;
  bool tf32 = false; // its program rounds float32 factors to TF32
};

/// A network in memory with a kernel for every task. Kernels run in this process: callers who
/// cannot afford a crash run it in a process of its own, started with OMP_WAIT_POLICY=passive.
struct BuiltNetwork {
  std::vector<BuiltTask> tasks; // as in the partition
  Executor executor;
  std::optional<NetworkChoice> choice{}; // the kept one that it was built from
};

/// Which records a network is built from.
enum class ProgramSource : std::uint8_t {
  Kept, // those kept from a recombination, where there are such; else the best
  Best, // each task's best
};

/// What a network is to be built from.
struct ProgramChoice {
  std::vector<BuiltTask>
      tasks; // as in the partition; what code runs each is known when it is built
  std::vector<KernelPlan> plans; // likewise
  std::optional<NetworkChoice> choice{};

  /// Of tasks with a record of the target.
  std::size_t tunedCount() const;
};

/// The fallback of every task.
ProgramChoice fallbackPrograms(const Partition& partition, const TargetFacts& target);
/// From the store's records of this target; the fallback where there are none. With `tf32` they may
/// be of programs that round to TF32.
ProgramChoice choosePrograms(const Partition& partition, const RecordStore& store,
                             const TargetFacts& target, ProgramSource source = ProgramSource::Kept,
                             bool tf32 = false);

/// Builds from the store's records of the place's target, on as many threads as it has cores.
/// Throws InputError when the file has no record of any of the network's tasks on this target that
/// may run.
BuiltNetwork buildTuned(const Partition& partition, const RecordStore& store,
                        const NetworkPlace& place, ProgramSource source = ProgramSource::Kept,
                        bool tf32 = false);

/// The ids under which the file knows a machine, and a network by its complete text; or 0.
RowId targetRow(const RecordStore& store, const TargetFacts& facts);
RowId networkRow(const RecordStore& store, const std::string& spec);
/// The combination that was kept for the network on this target; nothing where there is none, or
/// one of its programs may not run: what was compared was all of it together.
std::optional<NetworkChoice> keptChoice(const RecordStore& store, const Network& network,
                                        RowId target, bool tf32);

/// Builds the network's naive programs. Those of this machine's processor are the reference for
/// answers, whatever a network runs on.
BuiltNetwork buildNaive(const Partition& partition, const NetworkPlace& place);
BuiltNetwork buildNaive(const Partition& partition);

struct LatencyOptions {
  int warmups = 2;
  int repeats = 10;
  double maxSeconds = 20; // fewer repeats when they would take longer; at least one
};

/// Seconds of each run, end to end, by the device's clock; values go there and back outside of it.
/// A GPU is warmed up for some more time, since its clock rises only with work.
std::vector<double> measureLatency(const Executor& executor, const LatencyOptions& options);
double median(std::vector<double> values);

/// The run with the median total of `repeats` timed runs (fewer when they take longer than
/// `maxSeconds`): one real run, so that its parts and its total belong together.
LatencyProfile profileRun(const Executor& executor, const LatencyOptions& options);

} // namespace nestwright
