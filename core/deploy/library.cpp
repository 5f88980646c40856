#include "core/deploy/library.h"

#include "core/backend/device.h"
#include "core/support/error.h"

#include <algorithm>
#include <functional>

namespace nestwright {

namespace {

/// What the interface's functions have beside tensors, and what their code and the example speak
/// of.
const std::vector<std::string> kTaken = {
    "instance",    "workspace",   "threads", "pool",      "options", "buffers",      "checked",
    "i",           "from",        "to",      "run",       "before",  "current_pool", "threads_of",
    "failed",      "kernel",      "size_t",  "uintptr_t", "NULL",    "EOF",          "argc",
    "argv",        "e",           "exit",    "fill",      "fprintf", "free",         "froms",
    "memory",      "now",         "printf",  "qsort",     "r",       "runs",         "save",
    "seconds",     "start",       "stderr",  "stdin",     "stdout",  "tos",          "stream",
    "driver_must", "device",      "variant", "need",      "kernels", "variant_here", "workspace_of",
    "given",       "packed",      "code",    "error",     "popped",  "driver",       "refused",
    "enqueue",     "check_arrays"};

std::vector<KernelSymbols> symbolsOf(const Deployment& deployment, const DeployedVariant& variant) {
  const std::string& name = deployment.options.name;
  std::vector<KernelSymbols> symbols;
  for (std::size_t task = 0; task < variant.plans.size(); ++task)
    symbols.push_back(
        {fmt::format("{}_{}_kernel{}", name, identifierFrom(variant.processor()), task),
         deployment.options.threading == Threading::OpenMp ? "" : fmt::format("{}_", name)});
  return symbols;
}

void nameTensors(Library& library) {
  const Network& network = library.deployment.partition.network;
  std::vector<std::string> texts;
  for (const TensorId id : network.inputs)
    texts.push_back(network.tensor(id).name);
  for (const TensorId id : network.outputs)
    texts.push_back(network.tensor(id).name);
  std::vector<std::string> taken = kTaken;
  taken.push_back(library.name());
  const std::vector<std::string> names = parameterNames(texts, std::move(taken));
  std::size_t next = 0;
  const auto fill = [&](const std::vector<TensorId>& ids, std::vector<LibraryTensor>& tensors) {
    for (const TensorId id : ids) {
      const Tensor& tensor = network.tensor(id);
      tensors.push_back({names[next++], tensor.name, tensor.shape, tensor.type});
    }
  };
  fill(network.inputs, library.inputs);
  fill(network.outputs, library.outputs);
}

/// The code of a variant, and how its kernels want their inputs.
struct CompiledVariant {
  LibraryVariant code;
  std::vector<InputLayouts> layouts; // by task
};

CompiledVariant compileVariant(const Deployment& deployment, DeployedVariant& variant,
                               const NetworkPlace& place, const KernelWatch& watch) {
  CompiledVariant result;
  LibraryVariant& code = result.code;
  if (!variant.target.gpu) code.features = neededCpuFeatures(variant.target);
  const NetworkPlace compilePlace{place.backend, variant.target, place.device};
  std::vector<CompiledKernel> compiled = compileKernels(
      deployment.partition, variant.plans, compilePlace, symbolsOf(deployment, variant), watch);
  for (std::size_t task = 0; task < compiled.size(); ++task) {
    KernelArtifact& artifact = compiled[task].artifact;
    result.layouts.push_back(artifact.layouts);
    code.workspaceBytes = std::max(code.workspaceBytes, artifact.workspaceBytes);
    code.threadWorkspaceBytes = std::max(code.threadWorkspaceBytes, artifact.threadWorkspaceBytes);
    const std::string image = fmt::format("{}_cubin{}", deployment.options.name, task);
    code.kernels.push_back({variant.target.gpu ? image : artifact.entry, std::move(artifact.code),
                            std::move(artifact.launches)});
    variant.tasks[task].program = compiled[task].program;
  }
  code.plan = planExecution(deployment.partition, result.layouts, bufferAlignment(variant.target));
  return result;
}

/// How the variants of an operator want an input; empty when none wants it packed.
std::vector<std::optional<PackedLayout>> layoutsOf(const std::vector<CompiledVariant>& variants,
                                                   std::size_t input) {
  std::vector<std::optional<PackedLayout>> layouts;
  for (const CompiledVariant& variant : variants) {
    const InputLayouts& all = variant.layouts.front();
    layouts.push_back(input < all.size() ? all[input] : std::nullopt);
  }
  const bool packed = std::ranges::any_of(layouts, [](const auto& one) { return one.has_value(); });
  return packed ? layouts : std::vector<std::optional<PackedLayout>>();
}

template <class Value>
std::int64_t most(const std::vector<LibraryVariant>& variants, const Value& value) {
  std::int64_t result = 0;
  for (const LibraryVariant& variant : variants)
    result = std::max(result, std::invoke(value, variant));
  return result;
}

} // namespace

std::int64_t LibraryTensor::elements() const {
  std::int64_t result = elementCount(shape);
  for (const std::optional<PackedLayout>& layout : layouts)
    if (layout) result = std::max(result, layout->packedElements());
  return result;
}

bool Library::hasWeights() const {
  return hasInstances() &&
         most(variants, [](const LibraryVariant& one) { return one.plan.constantBytes; }) > 0;
}

std::int64_t Library::workspaceBytes() const {
  return most(variants, &LibraryVariant::workspaceBytes);
}

std::int64_t Library::threadWorkspaceBytes() const {
  return most(variants, &LibraryVariant::threadWorkspaceBytes);
}

std::int64_t Library::arenaBytes() const {
  return most(variants, [](const LibraryVariant& one) { return one.plan.arenaBytes; });
}

Library compileLibrary(Deployment deployment, const NetworkPlace& place, const DeployWatch& watch) {
  std::size_t all = 0, before = 0;
  for (const DeployedVariant& variant : deployment.variants)
    all += variant.plans.size();
  std::vector<CompiledVariant> compiled;
  for (DeployedVariant& variant : deployment.variants) {
    compiled.push_back(compileVariant(deployment, variant, place, [&](std::size_t begun) {
      tell(watch, {DeployStage::Compile, before + begun, all});
    }));
    before += variant.plans.size();
  }
  Library library;
  library.deployment = std::move(deployment);
  nameTensors(library);
  if (!library.hasInstances())
    for (std::size_t i = 0; i < library.inputs.size(); ++i)
      library.inputs[i].layouts = layoutsOf(compiled, i);
  for (CompiledVariant& variant : compiled)
    library.variants.push_back(std::move(variant.code));
  return library;
}

} // namespace nestwright
