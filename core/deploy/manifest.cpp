#include "core/deploy/manifest.h"

#include "core/deploy/library_text.h"
#include "core/deploy/onnxruntime_op.h"
#include "core/support/error.h"
#include "core/support/file_hash.h"
#include "core/support/hash.h"
#include "core/support/json_document.h"
#include "core/support/version.h"
#include "core/target/target_json.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace nestwright {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr DocumentForm kForm{.kind = "nestwright library",
                             .words = "this manifest is",
                             .notOne = "this is no manifest of a library"};

json tensorJson(const LibraryTensor& tensor) {
  json layouts = json::array(); // by variant
  for (const std::optional<PackedLayout>& layout : tensor.layouts)
    layouts.push_back(layout ? json(toString(*layout)) : json(nullptr));
  return {{"name", tensor.name},
          {"original", tensor.original},
          {"shape", tensor.shape},
          {"type", toString(tensor.type)},
          {"packed", tensor.isPacked() ? layouts : json(nullptr)},
          {"bytes", tensor.bytes()}};
}

json tensorsJson(const std::vector<LibraryTensor>& tensors) {
  json list = json::array();
  for (const LibraryTensor& tensor : tensors)
    list.push_back(tensorJson(tensor));
  return list;
}

json weightsJson(const Library& library, const WeightsSums& sums) {
  if (!library.hasWeights()) return nullptr;
  const WeightsLayout layout = weightsLayout(library.variants);
  json parts = json::array();
  for (std::size_t p = 0; p < layout.parts.size(); ++p) {
    json processors = json::array();
    for (std::size_t v = 0; v < library.variants.size(); ++v)
      if (layout.parts[p].variants >> v & 1)
        processors.push_back(library.deployment.variants[v].processor());
    parts.push_back({{"processors", std::move(processors)},
                     {"offset", layout.parts[p].offset},
                     {"bytes", layout.parts[p].bytes},
                     {"checksum", fmt::format("{:016x}", sums.parts[p])}});
  }
  const bool embedded = library.deployment.options.embed;
  return {{"file", embedded ? json(nullptr) : json(library.name() + ".weights")},
          {"embedded", embedded},
          {"bytes", layout.bytes},
          {"checksum", fmt::format("{:016x}", sums.all)},
          {"parts", std::move(parts)}};
}

json variantJson(const Library& library, std::size_t number) {
  const DeployedVariant& deployed = library.deployment.variants[number];
  const LibraryVariant& variant = library.variants[number];
  json features = json::array();
  for (const CpuFeature& feature : variant.features)
    features.push_back(feature.name);
  return {{"processor", deployed.processor()},
          {"cpu_features", std::move(features)},
          {"target", toJson(deployed.target)},
          {"target_text", deployed.target.text()},
          {"coverage", deployed.coverage()},
          {"tasks", tasksJson(deployed)},
          {"arena_bytes", library.hasInstances() ? variant.plan.arenaBytes : 0},
          {"workspace_bytes", variant.workspaceBytes},
          {"thread_workspace_bytes", variant.threadWorkspaceBytes}};
}

} // namespace

json manifestOf(const Library& library, const std::string& compiler, const WeightsSums& sums) {
  const Deployment& deployment = library.deployment;
  json variants = json::array();
  for (std::size_t v = 0; v < library.variants.size(); ++v)
    variants.push_back(variantJson(library, v));
  return {{"name", library.name()},
          {"subject", deployment.subject},
          {"interface", library.isNetwork() ? "network" : "operator"},
          {"device", library.isGpu() ? "cuda" : "cpu"},
          {"nestwright", versionText()},
          {"c_compiler", compiler},
          {"threads", library.isGpu() ? json(nullptr) : json(name(library.threading()))},
          {"coverage", deployment.coverage()},
          {"variants", std::move(variants)},
          {"inputs", tensorsJson(library.inputs)},
          {"outputs", tensorsJson(library.outputs)},
          {"weights", weightsJson(library, sums)},
          {"onnxruntime", onnxRuntimeJson(library)},
          {"licence", outputLicence()}};
}

namespace {

std::string sumOf(const json& manifest) {
  json rest = manifest;
  rest.erase("checksum");
  return hashHex(documentText(rest));
}

std::string manifestPath(const std::string& folder) {
  return fs::path(folder) / kManifestFile;
}

/// The document, of which no more is known than that it says to be one.
json claimedManifest(const std::string& folder) {
  json manifest = readDocument(manifestPath(folder));
  requireForm(manifest, kForm);
  return manifest;
}

std::string bytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

json writeManifest(json manifest, const std::string& folder) {
  std::map<std::string, fs::directory_entry> entries; // by name
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    entries.emplace(entry.path().filename(), entry);
  json files = json::array();
  for (const auto& [name, entry] : entries)
    files.push_back(
        {{"name", name}, {"bytes", entry.file_size()}, {"checksum", hashHexOfFile(entry.path())}});
  manifest["files"] = std::move(files);
  manifest = asDocument(std::move(manifest), kForm);
  manifest["checksum"] = sumOf(manifest);
  writeDocument(manifestPath(folder), "deploy", manifest);
  return manifest;
}

json readManifest(const std::string& folder) {
  const std::string path = manifestPath(folder);
  json manifest = claimedManifest(folder);
  if (!manifest.contains("checksum"))
    throw InputError(
        fmt::format("{} has no checksum: an earlier version of Nestwright wrote it, or "
                    "somebody changed it; deploy again",
                    path));
  // What a reader of JSON does not see, as spaces, counts too: nobody has to say which changes do.
  if (manifest.value("checksum", json()) != sumOf(manifest) ||
      bytesOf(path) != documentText(manifest))
    throw InputError(fmt::format("{} was damaged or changed after deploy wrote it: its checksum is "
                                 "wrong; deploy again, or copy the folder again",
                                 path));
  return manifest;
}

const json::array_t& listOf(const json& object, const char* key) {
  return object.at(key).get_ref<const json::array_t&>();
}

std::vector<std::string> checkFiles(const json& manifest, const std::string& folder) {
  std::vector<std::string> missing;
  for (const json& file : listOf(manifest, "files")) {
    const auto name = file.at("name").get<std::string>();
    const fs::path path = fs::path(folder) / name;
    if (!fs::exists(path))
      missing.push_back(name);
    else if (!fs::is_regular_file(path) || file.at("bytes") != fs::file_size(path) ||
             file.at("checksum") != hashHexOfFile(path))
      throw InputError(
          fmt::format("{} is damaged or another library's: its checksum is not the one "
                      "of {}; deploy again, or copy the folder again",
                      path.string(), kManifestFile));
  }
  return missing;
}

bool hasManifest(const std::string& folder) {
  try {
    claimedManifest(folder);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

} // namespace nestwright
