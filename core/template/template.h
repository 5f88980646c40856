#pragma once
/// \file The templates that AutoTVM's logs speak of, and the spaces that they declare
/// (handbook/cost-models.md 3.2).

#include "core/template/config_space.h"
#include "core/template/template_arguments.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Of the public implementation. Spaces differ between versions, and with them what an index means.
enum class TemplateVersion : std::uint8_t {
  TopHub, // v0.04 of the logs that come with it, 2018
  V0_8,   // development before 0.8, 2020
  V0_11
};
/// Newest first: where what a log says is looked for.
inline constexpr std::array kTemplateVersions{TemplateVersion::V0_11, TemplateVersion::V0_8,
                                              TemplateVersion::TopHub};
/// "tophub-v0.04", "v0.8.dev", "v0.11".
const char* name(TemplateVersion version);
/// The inverse. Throws InputError.
TemplateVersion templateVersion(std::string_view name);

/// What a template's programs run on.
enum class TemplateMachine : std::uint8_t { Cpu, Gpu };

struct TemplateKind {
  const char* name = "";    // as logs have it: "dense_nopack.x86"
  const char* purpose = ""; // in a few words, for lists
  TemplateMachine machine = TemplateMachine::Cpu;
  /// Throws InputError for arguments that are none of this template.
  ConfigSpace (*space)(const TemplateArguments& arguments, TemplateVersion version) = nullptr;
};

/// All that are known: ours, by name, then those of plugins.
std::vector<TemplateKind> knownTemplates();
/// Null for one that is not known.
const TemplateKind* findTemplate(std::string_view name);
/// Throws InputError that names those that are, or the plugin that is missing.
const TemplateKind& knownTemplate(std::string_view name);

/// A task of a log.
struct LoggedTask {
  const TemplateKind* kind = nullptr;
  TemplateArguments arguments;
};
/// What an imported task's key says, [template, arguments, named arguments] as JSON; nothing where
/// it is another key, or the template is not known.
std::optional<LoggedTask> loggedTask(std::string_view key);

/// A configuration as a log has it. The entities are what counts: an index is a number within the
/// space of one version.
struct LoggedConfig {
  std::int64_t index = -1;
  std::vector<NamedEntity> entities;
};
/// What a log's line says of a configuration, an object with "index" and "entity". Throws
/// InputError.
LoggedConfig loggedConfig(const nlohmann::json& config);

} // namespace nestwright
