#include "core/deploy/library.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

namespace {

/// What the interface's functions have beside tensors, and what their code and the example speak
/// of.
const std::vector<std::string> kTaken = {
    "instance", "workspace", "threads", "pool",      "options", "buffers",      "checked",
    "i",        "from",      "to",      "run",       "before",  "current_pool", "threads_of",
    "failed",   "kernel",    "size_t",  "uintptr_t", "NULL",    "EOF",          "argc",
    "argv",     "e",         "exit",    "fill",      "fprintf", "free",         "froms",
    "memory",   "now",       "printf",  "qsort",     "r",       "runs",         "save",
    "seconds",  "start",     "stderr",  "stdin",     "stdout",  "tos"};

std::vector<KernelSymbols> symbolsOf(const Deployment& deployment) {
  const std::string& name = deployment.options.name;
  std::vector<KernelSymbols> symbols;
  for (std::size_t task = 0; task < deployment.plans.size(); ++task)
    symbols.push_back(
        {fmt::format("{}_kernel{}", name, task),
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
  const auto fill = [&](const std::vector<TensorId>& ids, const std::vector<int>& buffers,
                        std::vector<LibraryTensor>& tensors) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Tensor& tensor = network.tensor(ids[i]);
      tensors.push_back({names[next++], tensor.name, tensor.shape, tensor.type, buffers[i]});
    }
  };
  fill(network.inputs, library.plan.inputs, library.inputs);
  fill(network.outputs, library.plan.outputs, library.outputs);
}

} // namespace

Library compileLibrary(Deployment deployment, const NetworkPlace& place, const DeployWatch& watch) {
  Library library;
  library.features = neededCpuFeatures(deployment.target);
  const NetworkPlace compilePlace{place.backend, deployment.target, place.device};
  std::vector<CompiledKernel> compiled =
      compileKernels(deployment.partition, deployment.plans, compilePlace, symbolsOf(deployment),
                     [&](std::size_t begun) {
                       tell(watch, {DeployStage::Compile, begun, deployment.plans.size()});
                     });
  std::vector<InputLayouts> layouts;
  for (std::size_t task = 0; task < compiled.size(); ++task) {
    KernelArtifact& artifact = compiled[task].artifact;
    layouts.push_back(artifact.layouts);
    library.workspaceBytes = std::max(library.workspaceBytes, artifact.workspaceBytes);
    library.threadWorkspaceBytes =
        std::max(library.threadWorkspaceBytes, artifact.threadWorkspaceBytes);
    library.kernels.push_back({artifact.entry, std::move(artifact.code)});
    deployment.tasks[task].program = compiled[task].program;
  }
  library.plan = planExecution(deployment.partition, layouts);
  library.deployment = std::move(deployment);
  nameTensors(library);
  if (!library.isNetwork())
    for (std::size_t i = 0; i < layouts.front().size(); ++i)
      library.inputs[i].layout = layouts.front()[i];
  return library;
}

} // namespace nestwright
