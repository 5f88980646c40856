#include "core/deploy/fit_library.h"

#include "core/deploy/manifest.h"
#include "core/support/error.h"
#include "core/target/instruction_set.h"
#include "core/target/target_json.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace nestwright {

namespace {

using nlohmann::json;

/// What the code needs and the machine does not have.
std::vector<std::string> lacking(const json& variant, const TargetFacts& machine) {
  std::vector<std::string> names;
  for (const json& feature : listOf(variant, "cpu_features"))
    if (std::ranges::find(machine.features, feature.get<std::string>()) == machine.features.end())
      names.push_back(feature);
  return names;
}

/// A GPU's only variant, whose machine code runs where the major number is the same and the minor
/// one no smaller.
const json& variantOnGpu(const json& manifest, const GpuFacts& gpu) {
  const json& variant = listOf(manifest, "variants").at(0);
  const TargetFacts tuned = targetFactsFromJson(variant.at("target"));
  const GpuArchitecture here = gpu.architecture,
                        needed = tuned.gpu.value_or(GpuFacts()).architecture;
  if (here.major != needed.major || here.minor < needed.minor)
    throw InputError(fmt::format("this GPU is of {}, and the code of {} is for {}", here.name(),
                                 manifest.at("name").get<std::string>(), needed.name()));
  return variant;
}

/// The variant that the library takes here: the first that the machine can run.
const json& variantHere(const json& manifest, const TargetFacts& machine) {
  if (machine.gpu) return variantOnGpu(manifest, *machine.gpu);
  std::vector<std::string> missing = {"all"}; // of a library without any code
  for (const json& variant : listOf(manifest, "variants")) {
    missing = lacking(variant, machine);
    if (missing.empty()) return variant;
  }
  throw InputError(fmt::format("this processor lacks {}, which the code of {} needs",
                               fmt::join(missing, ", "), manifest.at("name").get<std::string>()));
}

FitReport reportOf(const json& manifest, const json& variant, TargetFacts machine) {
  const TargetFacts tuned = targetFactsFromJson(variant.at("target"));
  if (!machine.gpu) {
    machine.cores = std::min(machine.cores, tuned.cores); // a library for fewer leaves some alone
    machine = alike(std::move(machine), tuned);
  }
  FitReport report{manifest.at("subject"), machine.text(), {}};
  for (const json& task : listOf(variant, "tasks")) {
    if (!task.at("searched").get<bool>()) continue;
    FittingTask& fitting = report.tasks.emplace_back();
    fitting.name = task.at("name");
    fitting.weight = task.at("weight");
    if (task.at("record").is_null()) continue; // nobody tuned what runs it
    fitting.fit = tuned.id() == machine.id() ? TaskFit::Here : TaskFit::Compatible;
    fitting.target = tuned.text();
    fitting.record = task.at("record"); // of the file that it was deployed from
    if (!task.at("seconds").is_null()) fitting.seconds = task.at("seconds");
  }
  return report;
}

} // namespace

std::string targetNameOf(const std::string& folder) {
  const json manifest = readManifest(folder);
  const auto device = manifest.find("device");
  return device != manifest.end() && *device == "cuda" ? "cuda" : "llvm";
}

LibraryFit fitOfLibrary(const std::string& folder, const TargetFacts& machine) {
  const json manifest = readManifest(folder);
  LibraryFit fit;
  try {
    fit.missingFiles = checkFiles(manifest, folder);
    if (manifest.at("device") != (machine.gpu ? "cuda" : "cpu"))
      throw InputError(fmt::format("{}: the library is for {}, not for {}", folder,
                                   manifest.at("device").dump(), machine.text()));
    const json& variant = variantHere(manifest, machine);
    fit.processor = variant.at("processor");
    fit.report = reportOf(manifest, variant, machine);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: {} is not as this version of Nestwright writes it: {}",
                                 folder, kManifestFile, error.what()));
  } catch (const std::filesystem::filesystem_error& error) {
    throw InputError(fmt::format("{}: {}", folder, error.code().message()));
  }
  return fit;
}

json toJson(const LibraryFit& fit) {
  json document = toJson(fit.report);
  document["processor"] = fit.processor;
  document["missing_files"] = fit.missingFiles;
  return document;
}

} // namespace nestwright
