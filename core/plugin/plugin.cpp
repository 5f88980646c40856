#include "core/plugin/plugin.h"

#include "core/exec_policy/exec_policy.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/support/error.h"
#include "core/support/openmp.h"

#include <dlfcn.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

namespace nestwright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "nestwright_";
constexpr const char* kSuffix = ".so";
constexpr const char* kEntry = "nestwright_plugin";

using EntryFunction = PluginDescription (*)();

struct LoadedPlugin {
  PluginStatus status;
  PluginDescription description;
};

struct KnownPlugin {
  const char* name;
  const char* need; // without which it does not work
};
constexpr KnownPlugin kKnownPlugins[] = {
    {"cuda", "libnvrtc (CUDA Toolkit 12 or later)"},
    {"llvm", "Debian's libllvm19 (to build it: llvm-19-dev)"},
    {"torch", "nothing of its own"},
    {"xgboost", "Debian's libxgboost0 (to build it: libxgboost-dev)"},
};

/// Our cost models, and the plugins that bring them.
struct KnownModel {
  const char* name;
  const char* plugin;
};
constexpr KnownModel kKnownModels[] = {
    {"xgboost", "xgboost"}, {"autotvm", "xgboost"}, {"forest", "xgboost"}, {"mlp", "torch"},
    {"lstm", "torch"},      {"tlp", "torch"},       {"mtl-tlp", "torch"},  {"treegru", "torch"}};

fs::path binaryFolder() {
  std::error_code failure;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
  return failure ? fs::current_path() : executable.parent_path();
}

/// "llvm" from ".../nestwright_llvm.so"; empty when the file is no plugin.
std::string pluginName(const fs::path& path) {
  const std::string file = path.filename().string();
  const std::string prefix = kPrefix, suffix = kSuffix;
  if (file.size() <= prefix.size() + suffix.size() || !file.starts_with(prefix) ||
      !file.ends_with(suffix))
    return "";
  return file.substr(prefix.size(), file.size() - prefix.size() - suffix.size());
}

/// Names come from files, too. They choose among the installed plugins, and lead nowhere else.
bool isPluginName(std::string_view name) {
  constexpr std::string_view kCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.find_first_not_of(kCharacters) == std::string_view::npos;
}

std::string dlerrorText() {
  const char* text = dlerror();
  return text ? text : "the dynamic loader gave no reason";
}

/// Why the plugin cannot be used with the templates that it brings; empty when it can.
std::string problemOfTemplates(const PluginDescription& description, const std::string& name) {
  if (!description.templates) return {};
  try {
    return problemOf(description.templates(), name);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Opens one file. RTLD_NODELETE: a plugin whose OpenMP threads still wait must never be unmapped
/// (handbook/stack.md 1).
LoadedPlugin open(const fs::path& path) {
  LoadedPlugin plugin;
  plugin.status.name = pluginName(path);
  plugin.status.path = path.string();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    plugin.status.reason = dlerrorText();
    return plugin;
  }
  const auto entry = reinterpret_cast<EntryFunction>(dlsym(handle, kEntry));
  if (!entry) {
    plugin.status.reason = fmt::format("it exports no function {}, so it is no plugin", kEntry);
    return plugin;
  }
  PluginDescription description;
  try { // a plugin may say why it cannot work here, such as with a library of another version
    description = entry();
  } catch (const std::exception& error) {
    plugin.status.reason = error.what();
    return plugin;
  }
  if (description.abi != kPluginAbi) {
    plugin.status.reason =
        fmt::format("it was built for plugin ABI {}, this program has {}; build both from one "
                    "source tree",
                    description.abi, kPluginAbi);
    return plugin;
  }
  plugin.status.reason = problemOfTemplates(description, plugin.status.name);
  if (!plugin.status.reason.empty()) return plugin;
  plugin.description = description;
  plugin.status.loaded = true;
  plugin.status.version = description.version;
  plugin.status.purpose = description.purpose;
  plugin.status.hasBackend = description.makeBackend != nullptr;
  return plugin;
}

/// What this process has opened so far; each file is opened once.
struct Registry {
  std::mutex mutex;
  std::map<std::string, LoadedPlugin> byPath;
  std::map<std::string, std::unique_ptr<Backend>> backends;

  const LoadedPlugin& get(const fs::path& path) {
    const auto found = byPath.find(path.string());
    if (found != byPath.end()) return found->second;
    return byPath.emplace(path.string(), open(path)).first->second;
  }
};

Registry& registry() {
  // Never destroyed: a backend's code may still be on some thread's stack when main returns.
  static auto* const instance = new Registry;
  return *instance;
}

std::string missingPlugin(const std::string& name, const std::string& reasons) {
  std::string folders;
  for (const std::string& folder : pluginFolders())
    folders += fmt::format("\n  {}", folder);
  std::string need;
  for (const KnownPlugin& known : kKnownPlugins)
    if (name == known.name) need = known.need;
  return fmt::format("the {0} plugin cannot be used: {1}\nnestwright_{0}.so was looked for in:{2}\n"
                     "{3}Build it with `packaging/dev build`, or point NESTWRIGHT_PLUGIN_PATH at "
                     "the folder that holds it.",
                     name, reasons.empty() ? "no such file" : reasons, folders,
                     need.empty() ? "" : fmt::format("It needs {}. ", need));
}

/// The plugin of this name that brings what `offered` looks for, in the first folder that has one.
/// The registry's mutex is held. Throws SystemError with all reasons when there is none.
const PluginDescription& find(Registry& plugins, const std::string& name, const char* what,
                              const std::function<bool(const PluginDescription&)>& offered) {
  // Called so that libgomp stays a dependency of every executable that loads plugins
  // (handbook/stack.md 1): the linker drops libraries of which nothing is used.
  (void)omp_get_max_threads();
  if (!isPluginName(name))
    throw InputError(
        fmt::format("\"{}\" is no name of a plugin, which has letters, digits, _ and - "
                    "only; documents may hold such names, and a path is none",
                    name));
  std::string reasons;
  for (const std::string& folder : pluginFolders()) {
    const fs::path path = fs::path(folder) / fmt::format("{}{}{}", kPrefix, name, kSuffix);
    std::error_code failure;
    if (!fs::exists(path, failure)) continue;
    const LoadedPlugin& plugin = plugins.get(path);
    if (plugin.status.loaded && offered(plugin.description)) return plugin.description;
    const std::string reason =
        plugin.status.loaded ? fmt::format("it brings no {}", what) : plugin.status.reason;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", path.string(), reason);
  }
  throw SystemError(missingPlugin(name, reasons));
}

} // namespace

std::vector<std::string> pluginFolders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("NESTWRIGHT_PLUGIN_PATH")) {
    std::string rest = path;
    while (!rest.empty()) {
      const auto colon = rest.find(':');
      if (colon != 0) folders.push_back(rest.substr(0, colon));
      rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    }
  }
  const fs::path binaries = binaryFolder();
  folders.push_back((binaries / "../lib/nestwright/plugins").lexically_normal().string());
  folders.push_back((binaries / "../plugins").lexically_normal().string());
  return folders;
}

std::vector<PluginStatus> pluginStatus() {
  std::map<std::string, PluginStatus> byName; // the first folder that has a name wins
  Registry& plugins = registry();
  const std::lock_guard lock(plugins.mutex);
  for (const std::string& folder : pluginFolders()) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      const std::string name = pluginName(entry.path());
      if (name.empty() || byName.contains(name)) continue;
      byName[name] = plugins.get(entry.path()).status;
    }
  }
  for (const KnownPlugin& known : kKnownPlugins) {
    if (byName.contains(known.name)) continue;
    PluginStatus& status = byName[known.name];
    status.name = known.name;
    status.reason = fmt::format("not found in any plugin folder; it needs {}", known.need);
  }
  std::vector<PluginStatus> all;
  for (auto& [name, status] : byName)
    all.push_back(std::move(status));
  return all;
}

const Backend& backend(const std::string& name) {
  Registry& plugins = registry();
  const std::lock_guard lock(plugins.mutex);
  if (const auto made = plugins.backends.find(name); made != plugins.backends.end())
    return *made->second;
  const PluginDescription& plugin =
      find(plugins, name, "backend",
           [](const PluginDescription& description) { return description.makeBackend != nullptr; });
  return *(plugins.backends[name] = plugin.makeBackend());
}

namespace {

/// Calls `visit` with every loaded plugin that is not one of ours: opening those takes longer than
/// anybody waits for a list. The first folder that has a name wins. The registry's mutex is held.
template <class Visit>
void forEachForeignPlugin(Registry& plugins, const Visit& visit) {
  std::set<std::string> seen;
  for (const std::string& folder : pluginFolders()) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      const std::string name = pluginName(entry.path());
      const auto isOurs = [&](const KnownPlugin& known) { return name == known.name; };
      if (!isPluginName(name) || seen.contains(name) ||
          std::any_of(std::begin(kKnownPlugins), std::end(kKnownPlugins), isOurs))
        continue;
      const LoadedPlugin& plugin = plugins.get(entry.path());
      if (plugin.status.loaded && visit(plugin)) seen.insert(name);
    }
  }
}

std::optional<CostModelKind> modelOf(const PluginDescription& plugin, const std::string& name) {
  if (!plugin.costModels) return std::nullopt;
  const std::vector<CostModelKind> kinds = plugin.costModels();
  const auto found = std::ranges::find(kinds, name, &CostModelKind::name);
  return found == kinds.end() ? std::nullopt : std::optional(*found);
}

/// The plugin that brings one of our models, or that is to be opened for another one.
std::string pluginOfModel(const std::string& name) {
  for (const KnownModel& known : kKnownModels)
    if (name == known.name) return known.plugin;
  return name;
}

/// The registry's mutex is held.
CostModelKind costModelKind(Registry& plugins, const std::string& name) {
  const std::string home = pluginOfModel(name);
  if (home == name) {
    std::map<std::string, CostModelKind> kinds; // by plugin: not in the order of a folder's files
    forEachForeignPlugin(plugins, [&](const LoadedPlugin& plugin) {
      const std::optional<CostModelKind> kind = modelOf(plugin.description, name);
      if (kind) kinds.try_emplace(plugin.status.name, *kind);
      return kind.has_value();
    });
    if (const auto named = kinds.find(name); named != kinds.end()) return named->second;
    if (!kinds.empty()) return kinds.begin()->second;
  }
  return *modelOf(find(plugins, home, "cost model of this name",
                       [&](const PluginDescription& description) {
                         return modelOf(description, name).has_value();
                       }),
                  name);
}

} // namespace

std::vector<std::string> costModelNames() {
  std::vector<std::string> names;
  for (const KnownModel& known : kKnownModels)
    names.emplace_back(known.name);
  Registry& plugins = registry();
  const std::lock_guard lock(plugins.mutex);
  forEachForeignPlugin(plugins, [&](const LoadedPlugin& plugin) {
    if (!plugin.description.costModels) return false;
    for (const CostModelKind& kind : plugin.description.costModels())
      if (std::ranges::find(names, kind.name) == names.end()) names.push_back(kind.name);
    return true;
  });
  return names;
}

CostModelKind costModelKind(const std::string& name) {
  Registry& plugins = registry();
  const std::lock_guard lock(plugins.mutex);
  return costModelKind(plugins, name);
}

std::unique_ptr<CostModel> costModel(const std::string& name, const nlohmann::json& options) {
  Registry& plugins = registry();
  const std::lock_guard lock(plugins.mutex);
  return costModelKind(plugins, name).make(options);
}

std::unique_ptr<CostModel> costModel(const std::string& name) {
  return costModel(name, {});
}

namespace {

SketchRules pluginRules(const std::string& name) {
  Registry& plugins = registry();
  const std::lock_guard lock(plugins.mutex);
  return find(plugins, name, "sketch rules",
              [](const PluginDescription& description) { return description.makeRules != nullptr; })
      .makeRules();
}

std::vector<std::string> namesIn(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream text(list);
  for (std::string name; std::getline(text, name, ',');)
    names.push_back(name);
  return names;
}

} // namespace

SketchRules sketchRules(const std::string& list, const TargetFacts& target) {
  SketchRules rules;
  std::set<std::string> seen;
  for (const std::string& name : namesIn(list)) {
    if (name.empty() || !seen.insert(name).second)
      throw UsageError(fmt::format("the list of rules \"{}\" names {}; give names parted by "
                                   "commas, e.g. example_rule,paper",
                                   list, name.empty() ? "nothing at one place" : name + " twice"));
    const SketchRules more = name == "paper"        ? paperRules(target)
                             : name == "nestwright" ? nestwrightRules(target)
                             : name == "limited"    ? limitedRules(target)
                                                    : pluginRules(name);
    rules.insert(rules.end(), more.begin(), more.end());
  }
  if (seen.empty())
    throw UsageError("no sketch rules are named; \"paper\" stands for those of the Ansor paper, "
                     "\"nestwright\" for our own, \"limited\" for a space as small as that of "
                     "templates");
  return rules;
}

Draws drawsOf(const std::string& list) {
  const std::vector<std::string> names = namesIn(list);
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  return has("limited") ? Draws::Limited : has("nestwright") ? Draws::Own : Draws::Paper;
}

namespace {

/// What each plugin that is not ours brings of one kind, by its name.
template <class Kind>
std::vector<Kind> kindsOfPlugins(Kind (*PluginDescription::*offer)()) {
  std::map<std::string, Kind> byName;
  Registry& plugins = registry();
  const std::lock_guard lock(plugins.mutex);
  forEachForeignPlugin(plugins, [&](const LoadedPlugin& plugin) {
    if (!(plugin.description.*offer)) return false;
    Kind kind = (plugin.description.*offer)();
    kind.name = plugin.status.name;
    if (kind.purpose.empty()) kind.purpose = plugin.status.purpose;
    byName.emplace(kind.name, std::move(kind));
    return true;
  });
  std::vector<Kind> kinds;
  for (auto& [name, kind] : byName)
    kinds.push_back(std::move(kind));
  return kinds;
}

template <class Kind>
std::vector<Kind> allKinds(std::vector<Kind> builtIn, Kind (*PluginDescription::*offer)()) {
  for (Kind& kind : kindsOfPlugins(offer))
    if (std::ranges::find(builtIn, kind.name, &Kind::name) == builtIn.end())
      builtIn.push_back(std::move(kind));
  return builtIn;
}

/// Plugins are opened for what is not ours only.
template <class Kind>
std::optional<Kind> kindIfAny(const std::string& name, const std::vector<Kind>& builtIn,
                              Kind (*PluginDescription::*offer)()) {
  if (const auto own = std::ranges::find(builtIn, name, &Kind::name); own != builtIn.end())
    return *own;
  const std::vector<Kind> kinds = kindsOfPlugins(offer);
  const auto found = std::ranges::find(kinds, name, &Kind::name);
  return found == kinds.end() ? std::nullopt : std::optional(*found);
}

/// `what` for the sentence: "search policy".
template <class Kind>
Kind kindOf(const std::string& name, const char* what, const std::vector<Kind>& builtIn,
            Kind (*PluginDescription::*offer)()) {
  if (const std::optional<Kind> kind = kindIfAny(name, builtIn, offer)) return *kind;
  std::string known;
  for (const Kind& kind : allKinds(builtIn, offer))
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  throw UsageError(fmt::format("there is no {} \"{}\"; known are: {}. Another one would be a "
                               "plugin of its name (`nestwright doctor` shows the plugins)",
                               what, name, known));
}

} // namespace

std::vector<SearchPolicyKind> searchPolicies() {
  return allKinds(builtInSearchPolicies(), &PluginDescription::searchPolicy);
}

std::vector<TaskSchedulerKind> taskSchedulers() {
  return allKinds(builtInTaskSchedulers(), &PluginDescription::taskScheduler);
}

SearchPolicyKind searchPolicy(const std::string& name) {
  if (isExecPolicy(name))
    return {.name = name,
            .purpose = "A program of your own, which is asked for the programs of each round.",
            .make = [](const PolicyOptions& options) -> std::unique_ptr<SearchPolicy> {
              return std::make_unique<ExecPolicy>(options.launch, options.name);
            }};
  return kindOf(name, "search policy", builtInSearchPolicies(), &PluginDescription::searchPolicy);
}

TaskSchedulerKind taskScheduler(const std::string& name) {
  return kindOf(name, "task scheduler", builtInTaskSchedulers(), &PluginDescription::taskScheduler);
}

bool learnsModel(const std::string& policy) {
  const auto kind = kindIfAny(policy, builtInSearchPolicies(), &PluginDescription::searchPolicy);
  return kind && kind->learns;
}

bool followsObjective(const std::string& scheduler) {
  const auto kind =
      kindIfAny(scheduler, builtInTaskSchedulers(), &PluginDescription::taskScheduler);
  return kind && kind->followsObjective;
}

void useTemplatesOfPlugins() {
  setTemplateSource([] {
    std::vector<PluginTemplate> all;
    Registry& plugins = registry();
    const std::lock_guard lock(plugins.mutex);
    forEachForeignPlugin(plugins, [&](const LoadedPlugin& plugin) {
      if (!plugin.description.templates) return false;
      std::ranges::move(plugin.description.templates(), std::back_inserter(all));
      return true;
    });
    return all;
  });
}

} // namespace nestwright
