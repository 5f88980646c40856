#include "core/template/template.h"

#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/template/conv2d_templates.h"
#include "core/template/conv3d_templates.h"
#include "core/template/dense_templates.h"
#include "core/template/plugin_template.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

namespace {

constexpr NameTable<TemplateVersion, 3> kVersions = {{"tophub-v0.04", "v0.8.dev", "v0.11"}};

/// Those that come with the program, by name.
const std::vector<TemplateKind>& ownTemplates() {
  using enum TemplateMachine;
  static const std::vector<TemplateKind> templates{
      {"batch_matmul.cuda", "products of matrices of a batch, on a GPU", Gpu, batchMatmulCudaSpace},
      {"batch_matmul.x86", "products of matrices of a batch", Cpu, batchMatmulSpace},
      {"conv2d_NCHWc.x86", "convolution, channels packed", Cpu, conv2dPackedSpace},
      {"conv2d_nchw.cuda", "convolution, on a GPU", Gpu, conv2dCudaSpace},
      {"conv3d_ncdhw.x86", "convolution over three axes, channels packed", Cpu, conv3dNcdhwSpace},
      {"conv3d_ndhwc.x86", "convolution over three axes, channels packed", Cpu, conv3dNdhwcSpace},
      {"dense_large_batch.gpu", "product of many rows, on a GPU", Gpu, denseLargeBatchGpuSpace},
      {"dense_nopack.x86", "product, weights as they are", Cpu, denseNopackSpace},
      {"dense_pack.x86", "product, weights packed", Cpu, densePackSpace},
      {"dense_small_batch.gpu", "product of few rows, on a GPU", Gpu, denseSmallBatchGpuSpace},
      {"depthwise_conv2d_NCHWc.x86", "depthwise convolution, channels packed", Cpu,
       depthwisePackedSpace},
      {"depthwise_conv2d_nchw.cuda", "depthwise convolution, on a GPU", Gpu, depthwiseCudaSpace}};
  return templates;
}

} // namespace

const char* name(TemplateVersion version) {
  return kVersions.of(version);
}

std::vector<TemplateKind> knownTemplates() {
  std::vector<TemplateKind> known = ownTemplates();
  for (const PluginTemplate* each : pluginTemplates())
    known.push_back(each->kind);
  return known;
}

TemplateVersion templateVersion(std::string_view name) {
  if (const auto version = kVersions.find(name)) return *version;
  throw InputError(fmt::format("\"{}\" is no version of the templates; there are {}", name,
                               fmt::join(kVersions.names, ", ")));
}

const TemplateKind* findTemplate(std::string_view name) {
  const std::vector<TemplateKind>& own = ownTemplates();
  const auto found =
      std::ranges::find_if(own, [&](const TemplateKind& kind) { return kind.name == name; });
  if (found != own.end()) return &*found;
  for (const PluginTemplate* each : pluginTemplates())
    if (each->kind.name == name) return &each->kind;
  return nullptr;
}

const TemplateKind& knownTemplate(std::string_view name) {
  if (const TemplateKind* known = findTemplate(name)) return *known;
  throw InputError(unknownTemplate(name));
}

std::optional<LoggedTask> loggedTask(std::string_view key) {
  const nlohmann::json task = nlohmann::json::parse(key, nullptr, false);
  if (!task.is_array() || task.size() < 2 || !task[0].is_string()) return std::nullopt;
  const TemplateKind* kind = findTemplate(task[0].get<std::string>());
  if (kind == nullptr) return std::nullopt;
  return LoggedTask{kind, TemplateArguments(task[1])};
}

LoggedConfig loggedConfig(const nlohmann::json& config) {
  try {
    LoggedConfig logged;
    logged.index = config.at("index").get<std::int64_t>();
    for (const nlohmann::json& entity : config.at("entity"))
      logged.entities.push_back(namedEntityFromJson(entity));
    return logged;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(
        fmt::format("{} is no configuration of a template: {}", config.dump(), error.what()));
  }
}

} // namespace nestwright
