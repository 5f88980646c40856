#include "core/template/plugin_template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <set>
#include <utility>

namespace nestwright {

namespace {

struct Source {
  std::mutex mutex;
  std::function<std::vector<PluginTemplate>()> ask; // empty once it was asked
  std::list<PluginTemplate> all;                    // of earlier sources, too
  std::vector<const PluginTemplate*> current;
};

Source& source() {
  // Never destroyed: threads of a session may still look templates up when main returns.
  static auto* const instance = new Source;
  return *instance;
}

/// What stands behind the last point of a name: a kind of machine, or a plugin.
std::string_view suffixOf(std::string_view name) {
  const std::size_t point = name.rfind('.');
  return point == std::string_view::npos ? std::string_view() : name.substr(point + 1);
}

bool isOurs(std::string_view suffix) {
  return suffix.empty() || suffix == "x86" || suffix == "cuda" || suffix == "gpu";
}

} // namespace

std::string problemOf(const std::vector<PluginTemplate>& templates, std::string_view plugin) {
  std::set<std::string_view> seen;
  for (const PluginTemplate& each : templates) {
    const std::string_view name = each.kind.name;
    if (suffixOf(name) != plugin || isOurs(plugin) || name.size() == plugin.size() + 1)
      return fmt::format("it brings a template \"{}\", whose name has to end with \".{}\", so that "
                         "records say which plugin they need",
                         name, plugin);
    if (!seen.insert(name).second) return fmt::format("it brings two templates \"{}\"", name);
    const ExecutableTemplate& programs = each.programs;
    if (!each.kind.space || !programs.arguments || !programs.layouts || !programs.reduceNames ||
        !programs.schedule || !programs.task)
      return fmt::format("its template \"{}\" lacks its space, its arguments, its layouts, the "
                         "names of its sums, its schedule or its task",
                         name);
  }
  return {};
}

void setTemplateSource(std::function<std::vector<PluginTemplate>()> ask) {
  Source& plugins = source();
  const std::lock_guard lock(plugins.mutex);
  plugins.ask = std::move(ask);
  plugins.current.clear();
}

std::vector<const PluginTemplate*> pluginTemplates() {
  Source& plugins = source();
  const std::lock_guard lock(plugins.mutex);
  if (plugins.ask)
    for (PluginTemplate& each : std::exchange(plugins.ask, nullptr)()) {
      each.programs.name = each.kind.name;
      plugins.current.push_back(&plugins.all.emplace_back(each));
    }
  return plugins.current;
}

std::string unknownTemplate(std::string_view name) {
  std::vector<std::string> names;
  for (const TemplateKind& other : knownTemplates())
    names.emplace_back(other.name);
  const std::string_view plugin = suffixOf(name);
  return fmt::format("there is no template \"{}\"{}; there are {}", name,
                     isOurs(plugin)
                         ? std::string()
                         : fmt::format(" here: the plugin {} brings it, which is not "
                                       "installed or cannot be used (`nestwright doctor` "
                                       "shows the plugins and where they belong)",
                                       plugin),
                     fmt::join(names, ", "));
}

} // namespace nestwright
