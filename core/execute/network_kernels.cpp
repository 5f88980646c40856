#include "core/execute/network_kernels.h"

#include "core/lower/lower.h"
#include "core/network/execution/aligned_memory.h"
#include "core/plugin/plugin.h"
#include "core/schedule/state.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/support/parallel.h"
#include "core/support/random.h"

#include <algorithm>
#include <new>

namespace nestwright {

namespace {

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
  const SpaceOptions space = spaceOptionsFor(target);
  const std::vector<Sketch> sketches = generateSketches(task.dag, space);
  for (std::uint64_t i = 0; !sketches.empty() && i < kAttempts; ++i) {
    Random random = Random::stream(kSeed, task.key, i);
    if (const SampledProgram program = sampleProgram(sketches, space, random); program.state)
      return program.state->steps();
  }
  return std::nullopt;
}

AlignedMemory workspaceOf(std::int64_t bytes) {
  try {
    return allocateAligned(bytes);
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("no memory for {} bytes of workspace", bytes));
  }
}

KernelArtifact compileKernel(const Backend& backend, const Partition& partition,
                             const KernelPlan& plan) {
  const Task& task = partition.tasks[static_cast<std::size_t>(plan.task)];
  try {
    LowerOptions options = lowerOptionsFor(backend.target(1));
    options.packConstants = plan.steps && hasConstantWeights(partition, plan.task);
    CompileOptions compile;
    compile.vectorise = plan.vectorised;
    const LoopFunction function =
        plan.steps ? lower(State::replay(task.dag, *plan.steps), options) : lowerNaive(task.dag);
    return backend.compile(function, compile);
  } catch (const Error& e) {
    throw SystemError(fmt::format("task \"{}\" cannot be built: {}", task.description, e.what()));
  }
}

} // namespace

KernelPlan fallbackPlan(const Partition& partition, int task, const TargetFacts& target) {
  const Task& what = partition.tasks[static_cast<std::size_t>(task)];
  return {task, what.tunable ? std::nullopt : unsearchedProgram(what, target)};
}

std::vector<TaskKernel> buildKernels(const Partition& partition,
                                     const std::vector<KernelPlan>& plans) {
  const Backend& llvm = backend("llvm");
  std::vector<KernelArtifact> artifacts(plans.size());
  parallelFor(plans.size(), 0,
              [&](std::size_t i) { artifacts[i] = compileKernel(llvm, partition, plans[i]); });
  std::vector<TaskKernel> kernels;
  for (const KernelArtifact& artifact : artifacts)
    kernels.push_back({llvm.load(artifact), artifact.layouts, artifact.workspaceBytes,
                       artifact.threadWorkspaceBytes});
  return kernels;
}

Executor assemble(const Partition& partition, const std::vector<TaskKernel>& kernels, int threads) {
  std::int64_t workspaceBytes = 0;
  for (const TaskKernel& kernel : kernels)
    workspaceBytes =
        std::max(workspaceBytes, kernel.workspaceBytes + threads * kernel.threadWorkspaceBytes);
  const std::shared_ptr<void> workspace = workspaceOf(workspaceBytes); // kernels run one at a time
  std::vector<KernelFunction> functions;
  std::vector<InputLayouts> layouts;
  for (const TaskKernel& kernel : kernels) {
    layouts.push_back(kernel.layouts);
    functions.push_back([code = kernel.kernel, workspace, threads](std::span<void* const> buffers) {
      code->run(buffers, workspace.get(), threads);
    });
  }
  return Executor(partition, std::move(functions), layouts);
}

} // namespace nestwright
