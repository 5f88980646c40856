#include "core/execute/network_runner.h"

#include "core/execute/tuning_origin.h"
#include "core/network/zoo/zoo.h"
#include "core/plugin/plugin.h"
#include "core/record/format/record_program.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/worker/quiet.h"

#include <algorithm>
#include <chrono>

namespace nestwright {

namespace {

/// The record that was kept for the task; nothing when there is none, or it is there no more.
std::optional<Record> chosenRecord(const RecordStore& store, const NetworkChoice& choice,
                                   RowId task) {
  const auto program = std::ranges::find(choice.programs, task, &NetworkChoice::Program::task);
  return program == choice.programs.end() ? std::nullopt : store.records().one(program->record);
}

BuiltNetwork builtNetwork(const Partition& partition, ProgramChoice chosen, int threads,
                          const NetworkPlace& place) {
  const std::vector<BuiltKernel> kernels = buildKernels(partition, chosen.plans, place);
  for (std::size_t i = 0; i < chosen.tasks.size(); ++i)
    chosen.tasks[i].program = kernels[i].program;
  return {std::move(chosen.tasks), assemble(partition, kernels, threads, place),
          std::move(chosen.choice)};
}

/// Runs until the clock of an idle device has risen, and `warmups` times at least.
void warmUp(const Executor& executor, int warmups) {
  constexpr double kGpuSeconds = 0.05;
  constexpr int kMostRuns = 10'000;
  const double least = executor.device().facts().gpu ? kGpuSeconds : 0;
  double seconds = 0;
  for (int i = 0; i < warmups || (seconds < least && i < kMostRuns); ++i)
    seconds += executor.time();
}

} // namespace

RowId targetRow(const RecordStore& store, const TargetFacts& facts) {
  for (const TargetRow& row : store.targets().all())
    if (row.key == facts.id()) return row.id;
  return 0;
}

RowId networkRow(const RecordStore& store, const std::string& spec) {
  for (const NetworkRow& row : store.networks().all())
    if (row.spec == spec) return row.id;
  return 0;
}

std::optional<NetworkChoice> keptChoice(const RecordStore& store, const Network& network,
                                        RowId target, bool tf32) {
  const RowId row = networkRow(store, specText(network));
  std::optional<NetworkChoice> choice =
      row && target ? store.choices().of(row, target) : std::nullopt;
  const auto isRefused = [&](const NetworkChoice::Program& program) {
    const std::optional<Record> record = store.records().one(program.record);
    return record && networkRefusal(*record, tf32) != NetworkRefusal::None;
  };
  if (choice && std::ranges::any_of(choice->programs, isRefused)) choice.reset();
  return choice;
}

const char* name(KernelOrigin origin) {
  constexpr NameTable<KernelOrigin, 3> kNames = {{"tuned", "fallback", "naive"}};
  return kNames.of(origin);
}

std::size_t ProgramChoice::tunedCount() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(tasks, [](const BuiltTask& task) { return task.record != 0; }));
}

ProgramChoice fallbackPrograms(const Partition& partition, const TargetFacts& facts) {
  ProgramChoice chosen;
  for (const Task& task : partition.tasks) {
    chosen.plans.push_back(fallbackPlan(partition, static_cast<int>(chosen.plans.size()), facts));
    chosen.tasks.push_back({task.description, static_cast<double>(task.weight),
                            KernelOrigin::Fallback, 0, task.tunable});
  }
  return chosen;
}

ProgramChoice choosePrograms(const Partition& partition, const RecordStore& store,
                             const TargetFacts& facts, ProgramSource source, bool tf32) {
  const RowId target = targetRow(store, facts);
  ProgramChoice chosen = fallbackPrograms(partition, facts);
  if (source == ProgramSource::Kept)
    chosen.choice = keptChoice(store, partition.network, target, tf32);
  std::vector<std::string> keys;
  for (const Task& task : partition.tasks)
    keys.push_back(task.key);
  const std::vector<TuningOrigin> origins = tuningOrigins(store, keys, facts.id());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    BuiltTask& built = chosen.tasks[i];
    built.tunedElsewhere = origins[i] == TuningOrigin::Elsewhere;
    const std::optional<TaskRow> row = target ? store.tasks().find(keys[i], target) : std::nullopt;
    const NetworkBest found = row ? networkBest(store, row->id, tf32) : NetworkBest{};
    built.passedOver = found.passedOver;
    built.why = found.why;
    if (const std::optional<Record>& best = found.record) {
      const std::optional<Record> kept =
          chosen.choice ? chosenRecord(store, *chosen.choice, row->id) : std::nullopt;
      built.origin = KernelOrigin::Tuned;
      built.record = kept ? kept->id : best->id;
      built.bestRecord = best->id;
      chosen.plans[i].program = ProgramKind::Tuned;
      chosen.plans[i].steps = kept ? kept->steps : best->steps;
      built.tf32 = isTf32(kept ? *kept : *best);
    }
  }
  return chosen;
}

BuiltNetwork buildTuned(const Partition& partition, const RecordStore& store,
                        const NetworkPlace& place, ProgramSource source, bool tf32) {
  const TargetFacts& facts = place.target;
  ProgramChoice chosen = choosePrograms(partition, store, facts, source, tf32);
  if (chosen.tunedCount() == 0 &&
      std::ranges::find(chosen.tasks, NetworkRefusal::Tf32, &BuiltTask::why) != chosen.tasks.end())
    throw InputError(fmt::format("what {} has of this network's tasks for {} rounds float32 "
                                 "factors to TF32: run it with --tf32, or tune without",
                                 store.path(), facts.text()));
  if (chosen.tunedCount() == 0)
    throw InputError(fmt::format(
        "{} has no verified record of this network's tasks for {}; tune it "
        "first: nestwright tune {} --target {} --db {}",
        store.path(), facts.text(), partition.network.name, facts.backend, store.path()));
  return builtNetwork(partition, std::move(chosen), facts.cores, place);
}

BuiltNetwork buildNaive(const Partition& partition) {
  return buildNaive(partition, openPlace(backend("llvm"), 1));
}

BuiltNetwork buildNaive(const Partition& partition, const NetworkPlace& place) {
  ProgramChoice chosen;
  for (const Task& task : partition.tasks) {
    chosen.plans.push_back({static_cast<int>(chosen.plans.size()), ProgramKind::Naive, {}, false});
    chosen.tasks.push_back(
        {task.description, static_cast<double>(task.weight), KernelOrigin::Naive, 0, task.tunable});
  }
  return builtNetwork(partition, std::move(chosen), 1, place);
}

std::vector<double> measureLatency(const Executor& executor, const LatencyOptions& options) {
  // What trains on this machine's processors leaves them to it.
  const QuietHold hold = executor.device().facts().gpu ? QuietHold() : holdForTiming();
  warmUp(executor, options.warmups);
  std::vector<double> repeats;
  const auto start = std::chrono::steady_clock::now();
  do
    repeats.push_back(executor.time());
  while (static_cast<int>(repeats.size()) < options.repeats &&
         secondsSince(start) < options.maxSeconds);
  return repeats;
}

LatencyProfile profileRun(const Executor& executor, const LatencyOptions& options) {
  std::vector<LatencyProfile> runs;
  double spent = 0;
  do {
    runs.push_back(executor.profile());
    spent += runs.back().total;
  } while (static_cast<int>(runs.size()) < options.repeats && spent < options.maxSeconds);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(
      runs.begin(), middle, runs.end(),
      [](const LatencyProfile& a, const LatencyProfile& b) { return a.total < b.total; });
  return std::move(*middle);
}

double median(std::vector<double> values) {
  NW_ASSERT(!values.empty(), "the median of nothing");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

} // namespace nestwright
