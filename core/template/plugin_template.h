#pragma once
/// \file Templates that plugins bring, beside our own (handbook/cost-models.md 3.9).

#include "core/template/executable_template.h"
#include "core/template/template.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// A template with programs. Its name ends with that of its plugin, "dense_rows.example_template",
/// so that a record says what it needs; its space may ignore the version.
struct PluginTemplate {
  TemplateKind kind;
  /// The tasks that it is asked for. Where `programs.arguments` or the space throw InputError it
  /// does not fit.
  OperatorKind computes = OperatorKind::Dense;
  ExecutableTemplate programs; // need not say the name again
};

/// Why a plugin may not bring these: a name that is not of the form or there twice, something that
/// is missing. Empty where it may.
std::string problemOf(const std::vector<PluginTemplate>& templates, std::string_view plugin);

/// Where templates of plugins come from, from now on: asked once, when the first one is looked up.
/// The programs say so when they begin (useTemplatesOfPlugins() in core/plugin/plugin.h). A
/// template that was looked up before stays valid.
void setTemplateSource(std::function<std::vector<PluginTemplate>()> source);

/// Those of the source; pointers to them stay valid.
std::vector<const PluginTemplate*> pluginTemplates();

/// Why there is no template of this name: those that there are or, where the name is of a plugin,
/// which one is missing.
std::string unknownTemplate(std::string_view name);

} // namespace nestwright
