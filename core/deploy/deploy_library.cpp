#include "core/deploy/deploy_library.h"

#include "core/network/onnx/calling_model.h"
#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/record/store/store.h"
#include "core/support/draft_folder.h"
#include "core/support/error.h"
#include "core/support/output_file.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace nestwright {

namespace {

constexpr const char *kCpuBackend = "llvm", *kGpuBackend = "cuda"; // backends

} // namespace

NetworkPlace deployPlace(const std::string& target, const RecordStore* store, int cores) {
  if (target == kCpuBackend) return openPlace(backend(kCpuBackend), cores);
  if (namesGpu(target)) return {backend(kGpuBackend), deployTarget(target, store, cores), nullptr};
  throw UsageError(fmt::format("a library cannot be made for {}; there are llvm, for which --cpu "
                               "says more, cuda, and architectures such as cuda:sm_90",
                               target));
}

DeploySurvey surveyDeploy(const DeployWish& wish) {
  const RecordStore store = RecordStore::open(wish.database, OpenMode::ReadOnly);
  DeployOptions options = wish.options;
  options.name.clear(); // the subject's own, which always can be one
  DeploySurvey survey;
  const NetworkPlace place = deployPlace(wish.target, &store, wish.cores);
  survey.deployment = draftDeployment(wish.subject, &store, place.target, options);
  survey.otherTargets = otherTargets(store, survey.deployment);
  survey.missingTools = missingTools(findCTools());
  return survey;
}

DeployedLibrary writeDeployment(Deployment deployment, const NetworkPlace& place,
                                const CTools& tools, const std::string& folder, bool force,
                                const DeployWatch& watch) {
  DraftFolder draft(folder);
  Library library = compileLibrary(std::move(deployment), place, watch);
  WrittenLibrary written = writeLibrary(library, tools, draft.path(), watch);
  draft.takePlace(force);
  return {std::move(library.deployment), std::move(written), folder};
}

DeployedLibrary deployLibrary(const DeployWish& wish, const DeployWatch& watch) {
  tell(watch, {DeployStage::Plan});
  const CTools tools = requiredCTools();
  requirePlace(wish.folder, wish.force);
  std::optional<RecordStore> store = RecordStore::open(wish.database, OpenMode::ReadOnly);
  const NetworkPlace place = deployPlace(wish.target, &*store, wish.cores);
  Deployment deployment = planDeployment(wish.subject, &*store, place.target, wish.options);
  store.reset(); // others may write while kernels are compiled
  return writeDeployment(std::move(deployment), place, tools, wish.folder, wish.force, watch);
}

std::optional<std::string> writeCommonModel(const std::vector<DeployedLibrary>& libraries,
                                            const std::string& folder) {
  std::vector<SubgraphCall> calls;
  for (const DeployedLibrary& library : libraries) {
    if (!library.written.onnxOperator) return std::nullopt;
    calls.push_back({library.deployment.partition.network.source, *library.written.onnxOperator});
    if (!areOfOneModel(calls.front().subgraph, calls.back().subgraph)) return std::nullopt;
  }
  if (calls.size() < 2) return std::nullopt;
  std::string file = (std::filesystem::path(folder) / "model.onnx").string();
  writeWhole(file, "deploy", callingModel(calls));
  return file;
}

std::string exampleCommand(const std::string& folder, const std::string& name) {
  return fmt::format("cd {} && cc -O2 main.c -L. -l{} -Wl,-rpath,'$ORIGIN' -o main && ./main",
                     shellWord(folder), name);
}

} // namespace nestwright
