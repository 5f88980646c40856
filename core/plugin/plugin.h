#pragma once
/// \file Finding and loading plugins. A plugin is a shared object that exports one C function,
/// `nestwright_plugin`, returning its `PluginDescription`. Plugins are never unloaded.

#include "core/backend/backend.h"
#include "core/model/cost_model.h"
#include "core/search/search_policy.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/space/sketch.h"
#include "core/template/plugin_template.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace nestwright {

/// Raised by one whenever a type that plugins see changes its layout or meaning.
inline constexpr int kPluginAbi = 19;

struct PluginDescription {
  int abi = kPluginAbi;
  const char* name = "";
  const char* version = "";
  const char* purpose = "";                            // one sentence for `doctor`
  std::unique_ptr<Backend> (*makeBackend)() = nullptr; // null when it brings no backend
  /// Cost models, each of a name of its own; null when it brings none.
  std::vector<CostModelKind> (*costModels)() = nullptr;
  /// User-defined sketch rules, in their order; null when it brings none.
  SketchRules (*makeRules)() = nullptr;
  /// A search policy or a task scheduler, which people choose by the plugin's name (it need not say
  /// its name again); null when it brings none.
  SearchPolicyKind (*searchPolicy)() = nullptr;
  TaskSchedulerKind (*taskScheduler)() = nullptr;
  /// Templates, whose names end with the plugin's; null when it brings none.
  std::vector<PluginTemplate> (*templates)() = nullptr;
};

/// What was found where, for `doctor` and the About dialog.
struct PluginStatus {
  std::string name;
  std::string path; // empty when no file was found
  bool loaded = false;
  std::string reason; // why not, in one sentence
  std::string version, purpose;
  bool hasBackend = false; // backend() has one of this name
};

/// Searched in order: $NESTWRIGHT_PLUGIN_PATH, <binary folder>/../lib/nestwright/plugins,
/// <binary folder>/../plugins.
std::vector<std::string> pluginFolders();
/// What was found, and of our own plugins also those that were not, by name.
std::vector<PluginStatus> pluginStatus();

/// The backend of this name; made once per process. Throws SystemError that says which plugin is
/// missing, where it was looked for and how to get it.
const Backend& backend(const std::string& name);

/// A new, untrained cost model of this name: one of ours, of the plugin that is named so, or else
/// of the first other plugin that has it, by the plugins' names. `options` is an object that the
/// plugin documents, or null for its defaults. Throws SystemError as backend() does, UsageError for
/// wrong options.
std::unique_ptr<CostModel> costModel(const std::string& name, const nlohmann::json& options);
/// What kind of model has this name; throws as costModel() does.
CostModelKind costModelKind(const std::string& name);
/// The models that can be asked for: ours, then those of other plugins that are installed.
std::vector<std::string> costModelNames();
std::unique_ptr<CostModel> costModel(const std::string& name = "xgboost");

/// The rules that sketches for the target are made by, from a list such as "nestwright,paper":
/// "paper" stands for paperRules(), "nestwright" for nestwrightRules(), "limited" for
/// limitedRules(), another name for the rules of the plugin of this name. Earlier rules come first
/// and may skip the rest. Throws UsageError when the list is empty or names something twice,
/// SystemError as backend() does.
SketchRules sketchRules(const std::string& list, const TargetFacts& target = {});
/// The draws that such a list wants: limited ones where it names "limited", our own where it names
/// "nestwright".
Draws drawsOf(const std::string& list);

/// Search policies and task schedulers that can be chosen: our own, then those of the plugins that
/// are installed, by name.
std::vector<SearchPolicyKind> searchPolicies();
std::vector<TaskSchedulerKind> taskSchedulers();
/// The one of this name. Throws UsageError naming those that exist.
SearchPolicyKind searchPolicy(const std::string& name);
TaskSchedulerKind taskScheduler(const std::string& name);
/// Whether the policy trains a cost model, and the scheduler serves every objective; false for one
/// that is not installed here.
bool learnsModel(const std::string& policy);
bool followsObjective(const std::string& scheduler);

/// Lets templates of plugins be found beside ours (core/template/plugin_template.h). Each program
/// calls it when it begins; plugins are opened when a template is first looked up.
void useTemplatesOfPlugins();

} // namespace nestwright
