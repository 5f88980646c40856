#pragma once
/// \file Which template a session searches for a task.

#include "core/template/task_template.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Templates by their names, separated by commas. Throws UsageError that lists them for one that is
/// not known.
std::vector<std::string> templateNames(const std::string& list);

struct ChosenTemplate {
  std::optional<TaskTemplate> of;
  std::string whyNone; // a sentence where there is none
};
/// What templates have to be for, of a session's target (targetNamed()).
TemplateMachine templateMachine(const std::string& target);

/// The first of those that fit the task, among these; no names: among all for such machines.
ChosenTemplate chosenTemplate(const ComputeDag& task, const std::vector<std::string>& names,
                              TemplateMachine machine);

enum class SeedFit : std::uint8_t {
  Fits,
  SearchesSketches, // which know no program of a template
  OtherTemplate     // than the one that is searched, or none
};
/// Whether a search can start from a program: of sketches, or over the configurations of `of`.
SeedFit seedFit(bool onTemplates, const std::optional<TaskTemplate>& of,
                const std::optional<TemplateConfig>& seed);

/// All configurations of the templates that are chosen for tasks, each task once.
std::int64_t configurationsOf(const std::vector<ComputeDag>& tasks,
                              const std::vector<std::string>& names, TemplateMachine machine);

/// "the template dense_pack.x86: 4 knobs, 1620 configurations".
std::string templateSentence(const TaskTemplate& of);

} // namespace nestwright
