#include "core/session/network_runner.h"

#include "core/backend/backend.h"
#include "core/lower/lower.h"
#include "core/plugin/plugin.h"
#include "core/schedule/state.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/support/parallel.h"
#include "core/support/random.h"
#include "core/tensor/text.h"

#include <chrono>

namespace nestwright {

namespace {

/// What a task's kernel is compiled from.
struct KernelPlan {
  const Task* task = nullptr;
  std::optional<Steps> steps; // empty: the naive program
  CompileOptions options;
  bool packConstants = false;
};

/// True when every input that the task's DAG calls layout-free is a constant wherever the task
/// occurs, so that it can be packed once.
bool hasConstantWeights(const Partition& partition, int task) {
  const ComputeDag& dag = partition.tasks[static_cast<std::size_t>(task)].dag;
  const std::vector<TensorId> storage = storageTensors(partition.network);
  const std::vector<Op> inputs = dag.inputs();
  const auto isFree = [&](const Op& input) {
    return std::any_of(dag.ops().begin(), dag.ops().end(), [&](const Op& op) {
      const std::vector<std::string>& free = op->attributes.layoutFreeInputs;
      return std::find(free.begin(), free.end(), input->name()) != free.end();
    });
  };
  for (const TaskGroup& group : partition.groups) {
    if (group.task != task) continue;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (isFree(inputs[i]) &&
          !partition.network.isConstant(storage[static_cast<std::size_t>(group.inputs[i])]))
        return false;
  }
  return true;
}

/// The program of a task that is not searched: threads share the outer loops, the inner ones are
/// vectors. It is the first valid one of a fixed sequence, so that it is always the same; nothing
/// when none is valid.
std::optional<Steps> unsearchedProgram(const Task& task, const TargetFacts& target) {
  constexpr std::uint64_t kSeed = 1, kAttempts = 20;
  SpaceOptions space;
  space.target = target;
  const std::vector<Sketch> sketches = generateSketches(task.dag, space);
  for (std::uint64_t i = 0; !sketches.empty() && i < kAttempts; ++i) {
    Random random = Random::stream(kSeed, task.key, i);
    if (const SampledProgram program = sampleProgram(sketches, space, random); program.state)
      return program.state->steps();
  }
  return std::nullopt;
}

struct AlignedFree {
  void operator()(void* memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<void, AlignedFree>;

AlignedMemory allocate(std::int64_t bytes) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t size = (static_cast<std::size_t>(bytes) + kAlignment - 1) & ~(kAlignment - 1);
  AlignedMemory memory(std::aligned_alloc(kAlignment, std::max(size, kAlignment)));
  if (!memory) throw SystemError(fmt::format("no memory for {} bytes of workspace", bytes));
  return memory;
}

KernelArtifact compileKernel(const Backend& backend, const KernelPlan& plan) {
  try {
    LowerOptions options = lowerOptionsFor(backend.target(1));
    options.packConstants = plan.packConstants;
    const LoopFunction function = plan.steps
                                      ? lower(State::replay(plan.task->dag, *plan.steps), options)
                                      : lowerNaive(plan.task->dag);
    return backend.compile(function, plan.options);
  } catch (const Error& e) {
    throw SystemError(
        fmt::format("task \"{}\" cannot be built: {}", plan.task->description, e.what()));
  }
}

/// Compiles all plans on all cores; the first failure is thrown.
std::vector<KernelArtifact> compileAll(const Backend& backend,
                                       const std::vector<KernelPlan>& plans) {
  std::vector<KernelArtifact> artifacts(plans.size());
  parallelFor(plans.size(), 0,
              [&](std::size_t i) { artifacts[i] = compileKernel(backend, plans[i]); });
  return artifacts;
}

Executor makeExecutor(const Partition& partition, const std::vector<KernelPlan>& plans,
                      int threads) {
  const Backend& llvm = backend("llvm");
  const std::vector<KernelArtifact> artifacts = compileAll(llvm, plans);
  std::int64_t workspaceBytes = 0;
  for (const KernelArtifact& artifact : artifacts)
    workspaceBytes =
        std::max(workspaceBytes, artifact.workspaceBytes + threads * artifact.threadWorkspaceBytes);
  const std::shared_ptr<void> workspace = allocate(workspaceBytes); // kernels run one at a time
  std::vector<KernelFunction> kernels;
  std::vector<InputLayouts> layouts;
  for (const KernelArtifact& artifact : artifacts) {
    layouts.push_back(artifact.layouts);
    std::shared_ptr<Kernel> kernel = llvm.load(artifact);
    kernels.push_back([kernel, workspace, threads](std::span<void* const> buffers) {
      kernel->run(buffers, workspace.get(), threads);
    });
  }
  return Executor(partition, std::move(kernels), layouts);
}

/// The id under which the file knows this machine, or 0.
RowId targetRow(const RecordStore& store, const TargetFacts& facts) {
  for (const TargetRow& row : store.targets())
    if (row.key == facts.id()) return row.id;
  return 0;
}

} // namespace

const char* name(KernelOrigin origin) {
  constexpr const char* kNames[] = {"tuned", "fallback", "naive"};
  return kNames[static_cast<int>(origin)];
}

BuiltNetwork buildTuned(const Partition& partition, const RecordStore& store, int threads) {
  const TargetFacts facts = backend("llvm").target(threads);
  const RowId target = targetRow(store, facts);
  std::vector<BuiltTask> tasks;
  std::vector<KernelPlan> plans;
  bool anyTuned = false;
  for (const Task& task : partition.tasks) {
    BuiltTask built{task.description, static_cast<double>(task.weight), KernelOrigin::Fallback, 0,
                    task.tunable};
    KernelPlan plan{&task, std::nullopt, {}, false};
    const std::optional<TaskRow> row = target ? store.findTask(task.key, target) : std::nullopt;
    if (const std::optional<Record> best = row ? store.best(row->id) : std::nullopt) {
      built.origin = KernelOrigin::Tuned;
      built.record = best->id;
      plan.steps = best->steps;
      plan.packConstants = hasConstantWeights(partition, static_cast<int>(tasks.size()));
      anyTuned = true;
    } else if (!task.tunable) {
      plan.steps = unsearchedProgram(task, facts);
    }
    tasks.push_back(std::move(built));
    plans.push_back(std::move(plan));
  }
  if (!anyTuned)
    throw InputError(
        fmt::format("{} has no verified record of this network's tasks for {}; tune it "
                    "first: nestwright tune {} --db {}",
                    store.path(), facts.text(), partition.network.name, store.path()));
  return {std::move(tasks), makeExecutor(partition, plans, facts.cores)};
}

BuiltNetwork buildNaive(const Partition& partition) {
  std::vector<BuiltTask> tasks;
  std::vector<KernelPlan> plans;
  CompileOptions asWritten;
  asWritten.vectorise = false;
  for (const Task& task : partition.tasks) {
    tasks.push_back(
        {task.description, static_cast<double>(task.weight), KernelOrigin::Naive, 0, task.tunable});
    plans.push_back({&task, std::nullopt, asWritten, false});
  }
  return {std::move(tasks), makeExecutor(partition, plans, 1)};
}

std::vector<double> measureLatency(const Executor& executor, const LatencyOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  for (int i = 0; i < options.warmups; ++i)
    executor.run();
  std::vector<double> repeats;
  const Clock::time_point start = Clock::now();
  do {
    const Clock::time_point run = Clock::now();
    executor.run();
    repeats.push_back(seconds(run));
  } while (static_cast<int>(repeats.size()) < options.repeats &&
           seconds(start) < options.maxSeconds);
  return repeats;
}

LatencyProfile profileRun(const Executor& executor, const LatencyOptions& options) {
  using Clock = std::chrono::steady_clock;
  std::vector<LatencyProfile> runs;
  double spent = 0;
  do {
    const Clock::time_point start = Clock::now();
    std::vector<double> groups = executor.runTimed();
    const double total = std::chrono::duration<double>(Clock::now() - start).count();
    spent += total;
    runs.push_back({std::move(groups), total});
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
