#include "core/template/template_programs.h"

#include "core/support/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace nestwright {

const TaskTemplates& TemplatePrograms::templates(TemplateVersion version, TemplateMachine machine) {
  const auto [place, isNew] = templates_.try_emplace({version, machine});
  if (isNew) place->second = templatesFor(task_, version, machine);
  return place->second;
}

const TaskTemplate& TemplatePrograms::named(const std::string& kind, TemplateVersion version) {
  const TemplateKind& known = knownTemplate(kind);
  if (!isExecutable(known))
    throw InputError(fmt::format("{} has no programs: it is declared, so that its logs are "
                                 "understood",
                                 kind));
  const TaskTemplates& those = templates(version, known.machine);
  const auto found = std::ranges::find(those.fitting, &known, &TaskTemplate::kind);
  if (found != those.fitting.end()) return *found;
  std::vector<std::string> names;
  for (const TaskTemplate& fitting : those.fitting)
    names.emplace_back(fitting.kind->name);
  throw InputError(names.empty() ? those.whyNone
                                 : fmt::format("{} does not compute this task; {} does", kind,
                                               fmt::join(names, " or ")));
}

TemplateProgram TemplatePrograms::program(const TemplateConfig& config) {
  return templateProgram(task_, named(config.kind, config.version), config.entities);
}

TemplateConfig TemplatePrograms::configOf(const LoggedConfig& logged) {
  std::optional<TemplateConfig> newest;
  std::string why;
  for (const TemplateVersion version : kTemplateVersions)
    for (const TemplateMachine machine : {TemplateMachine::Cpu, TemplateMachine::Gpu}) {
      const TaskTemplates& those = templates(version, machine);
      if (those.fitting.empty() && machine == TemplateMachine::Cpu) why = those.whyNone;
      for (const TaskTemplate& of : those.fitting) {
        const std::optional<std::int64_t> index = of.space.find(logged.entities);
        if (!index) continue;
        if (index == logged.index) return {of.kind->name, version, logged.entities};
        if (!newest) newest = {of.kind->name, version, logged.entities};
      }
    }
  if (newest) return *newest;
  throw InputError(why.empty() ? "no template of the task has the configuration" : why);
}

TaskTemplate templateNamed(const ComputeDag& task, const std::string& kind,
                           TemplateVersion version) {
  return TemplatePrograms(task).named(kind, version);
}

TemplateProgram templateProgram(const ComputeDag& task, const TemplateConfig& config) {
  return TemplatePrograms(task).program(config);
}

} // namespace nestwright
