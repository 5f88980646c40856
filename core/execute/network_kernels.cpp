#include "core/execute/network_kernels.h"

#include "core/lower/lower.h"
#include "core/schedule/state.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/parallel.h"
#include "core/support/random.h"

#include <algorithm>
#include <atomic>
#include <optional>

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

KernelArtifact compileSteps(const Partition& partition, int task, const State& state,
                            const NetworkPlace& place, const KernelSymbols& symbols) {
  LowerOptions options = lowerOptionsFor(place.target);
  // On a GPU fetching into shared memory does what packing is for.
  options.packConstants = !place.isGpu() && hasConstantWeights(partition, task);
  CompileOptions compile = compileOptionsFor(place.target);
  compile.symbols = symbols;
  return place.backend.compile(lower(state, options), compile);
}

KernelArtifact compileNaive(const Task& task, bool vectorised, const NetworkPlace& place,
                            const KernelSymbols& symbols) {
  CompileOptions options = compileOptionsFor(place.target);
  options.symbols = symbols;
  options.vectorise = vectorised;
  return place.backend.compile(lowerNaive(task.dag, place.target.gpu), options);
}

/// Whether a kernel keeps its values in registers, and at least one block of it can run.
bool suitsItsGpu(const KernelArtifact& artifact) {
  return artifact.spilledBytes() == 0 &&
         std::ranges::all_of(artifact.launches, [](const KernelLaunch& launch) {
           return launch.resources.occupancy.mostWarps == 0 || // not told
                  launch.resources.occupancy.blocks > 0;
         });
}

/// The first program of a fixed sequence of draws that is legal and compiles, so that it is always
/// the same; nothing when there is none within bounds.
std::optional<KernelArtifact> compileSampled(const Partition& partition, int task,
                                             const NetworkPlace& place,
                                             const KernelSymbols& symbols) {
  constexpr std::uint64_t kSeed = 1;
  // Most draws for a GPU exceed one of its limits; a compilation takes up to half a second there.
  const std::uint64_t attempts = place.isGpu() ? 500 : 20;
  const int mostCompiled = 8;
  const Task& what = partition.tasks[static_cast<std::size_t>(task)];
  const SpaceOptions space = spaceOptionsFor(place.target);
  const std::vector<Sketch> sketches = generateSketches(what.dag, space);
  int compiled = 0;
  for (std::uint64_t i = 0; !sketches.empty() && i < attempts && compiled < mostCompiled; ++i) {
    Random random = Random::stream(kSeed, what.key, i);
    const SampledProgram program = sampleProgram(sketches, space, random);
    if (!program.state) continue;
    ++compiled;
    try {
      KernelArtifact artifact = compileSteps(partition, task, *program.state, place, symbols);
      if (suitsItsGpu(artifact)) return artifact;
    } catch (const SystemError&) { // nothing compiles here
      throw;
    } catch (const InputError&) {
      throw;
    } catch (const Error&) { // this program does not: trying what is impossible is sampling's work
    }
  }
  return std::nullopt;
}

CompiledKernel compileKernel(const Partition& partition, const KernelPlan& plan,
                             const NetworkPlace& place, const KernelSymbols& symbols) {
  const Task& task = partition.tasks[static_cast<std::size_t>(plan.task)];
  try {
    if (plan.program == ProgramKind::Tuned)
      return {
          compileSteps(partition, plan.task, State::replay(task.dag, plan.steps), place, symbols),
          ProgramKind::Tuned};
    if (plan.program == ProgramKind::Sampled)
      if (std::optional<KernelArtifact> sampled =
              compileSampled(partition, plan.task, place, symbols))
        return {std::move(*sampled), ProgramKind::Sampled};
    return {compileNaive(task, plan.vectorised, place, symbols), ProgramKind::Naive};
  } catch (const Error& e) {
    throw SystemError(fmt::format("task \"{}\" cannot be built: {}", task.description, e.what()));
  }
}

} // namespace

const char* name(ProgramKind program) {
  constexpr NameTable<ProgramKind, 3> kNames = {{"tuned", "sampled", "naive"}};
  return kNames.of(program);
}

KernelPlan fallbackPlan(const Partition& partition, int task, const TargetFacts& target) {
  const bool tunable = partition.tasks[static_cast<std::size_t>(task)].tunable;
  return {task, tunable == target.gpu.has_value() ? ProgramKind::Sampled : ProgramKind::Naive};
}

std::vector<CompiledKernel> compileKernels(const Partition& partition,
                                           const std::vector<KernelPlan>& plans,
                                           const NetworkPlace& place,
                                           const std::vector<KernelSymbols>& symbols,
                                           const KernelWatch& watch) {
  NW_ASSERT(symbols.empty() || symbols.size() == plans.size(), "{} symbols for {} plans",
            symbols.size(), plans.size());
  std::vector<CompiledKernel> compiled(plans.size());
  std::atomic<std::size_t> begun{0};
  parallelFor(plans.size(), 0, [&](std::size_t i) {
    if (watch) watch(begun++);
    compiled[i] =
        compileKernel(partition, plans[i], place, symbols.empty() ? KernelSymbols{} : symbols[i]);
  });
  return compiled;
}

std::vector<BuiltKernel> buildKernels(const Partition& partition,
                                      const std::vector<KernelPlan>& plans,
                                      const NetworkPlace& place) {
  std::vector<BuiltKernel> kernels;
  for (const auto& [artifact, program] : compileKernels(partition, plans, place))
    kernels.push_back({{place.device->load(artifact), artifact.layouts, artifact.workspaceBytes,
                        artifact.threadWorkspaceBytes},
                       program});
  return kernels;
}

Executor assemble(const Partition& partition, const std::vector<BuiltKernel>& kernels, int threads,
                  const NetworkPlace& place) {
  std::vector<TaskKernel> tasks;
  for (const BuiltKernel& built : kernels)
    tasks.push_back(built.kernel);
  return Executor(partition, place.device, std::move(tasks), threads);
}

} // namespace nestwright
