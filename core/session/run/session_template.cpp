#include "core/session/run/session_template.h"

#include "core/plugin/target_named.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/template/plugin_template.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

namespace nestwright {

std::vector<std::string> templateNames(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream text(list);
  for (std::string name; std::getline(text, name, ',');) {
    if (findTemplate(name) == nullptr) throw UsageError(unknownTemplate(name));
    names.push_back(std::move(name));
  }
  return names;
}

TemplateMachine templateMachine(const std::string& target) {
  return namesGpu(target) ? TemplateMachine::Gpu : TemplateMachine::Cpu;
}

ChosenTemplate chosenTemplate(const ComputeDag& task, const std::vector<std::string>& names,
                              TemplateMachine machine) {
  TaskTemplates found = templatesFor(task, TemplateVersion::V0_11, machine);
  if (found.fitting.empty()) return {std::nullopt, std::move(found.whyNone)};
  for (TaskTemplate& one : found.fitting)
    if (names.empty() || std::ranges::find(names, one.kind->name) != names.end())
      return {std::move(one), {}};
  std::vector<std::string> fitting;
  for (const TaskTemplate& one : found.fitting)
    fitting.emplace_back(one.kind->name);
  return {std::nullopt, fmt::format("it has none of the templates that are to be searched ({}), "
                                    "but {}",
                                    fmt::join(names, ", "), fmt::join(fitting, ", "))};
}

SeedFit seedFit(bool onTemplates, const std::optional<TaskTemplate>& of,
                const std::optional<TemplateConfig>& seed) {
  if (!onTemplates) return seed ? SeedFit::SearchesSketches : SeedFit::Fits;
  if (of && (!seed || seed->kind != of->kind->name || !of->space.find(seed->entities)))
    return SeedFit::OtherTemplate;
  return SeedFit::Fits;
}

std::int64_t configurationsOf(const std::vector<ComputeDag>& tasks,
                              const std::vector<std::string>& names, TemplateMachine machine) {
  std::int64_t sum = 0;
  std::set<std::string> seen;
  for (const ComputeDag& task : tasks)
    if (seen.insert(workloadKey(task)).second)
      if (const ChosenTemplate chosen = chosenTemplate(task, names, machine); chosen.of)
        if (__builtin_add_overflow(sum, chosen.of->space.size(), &sum))
          return std::numeric_limits<std::int64_t>::max();
  return sum;
}

std::string templateSentence(const TaskTemplate& of) {
  return fmt::format("the template {}: {}, {}", of.kind->name,
                     quantity(std::ssize(of.space.knobs()), "knob"),
                     quantity(of.space.size(), "configuration"));
}

} // namespace nestwright
