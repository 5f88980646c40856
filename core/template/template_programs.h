#pragma once
/// \file Many programs of one task: what templates it has is found out once.

#include "core/template/task_template.h"

#include <map>
#include <string>
#include <utility>

namespace nestwright {

/// Thread-compatible.
class TemplatePrograms {
 public:
  explicit TemplatePrograms(ComputeDag task) : task_(std::move(task)) {}

  const ComputeDag& task() const { return task_; }

  /// As templateNamed().
  const TaskTemplate& named(const std::string& kind, TemplateVersion version);
  /// As templateProgram().
  TemplateProgram program(const TemplateConfig& config);
  /// What a line of a log means: the entities count, in the version whose index agrees or else the
  /// newest one that has them. Throws InputError where no template of the task has.
  TemplateConfig configOf(const LoggedConfig& logged);

 private:
  const TaskTemplates& templates(TemplateVersion version, TemplateMachine machine);

  ComputeDag task_;
  std::map<std::pair<TemplateVersion, TemplateMachine>, TaskTemplates> templates_;
};

} // namespace nestwright
