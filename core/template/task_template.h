#pragma once
/// \file Templates that fit a task, and the programs that their configurations mean
/// (handbook/cost-models.md 3.3).

#include "core/schedule/step.h"
#include "core/template/template.h"
#include "core/tensor/compute_dag.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// A template with the arguments under which it computes a task, elementwise operators behind it
/// aside, and its space.
struct TaskTemplate {
  const TemplateKind* kind = nullptr;
  TemplateArguments arguments;
  TemplateVersion version = TemplateVersion::V0_11;
  ConfigSpace space;
};

struct TaskTemplates {
  std::vector<TaskTemplate> fitting; // the one that a search takes first
  std::string whyNone;               // a sentence where none fits; else empty
};
/// Those for processors.
TaskTemplates templatesFor(const ComputeDag& task,
                           TemplateVersion version = TemplateVersion::V0_11);

/// What a record keeps of its program: the program is made from it again.
struct TemplateConfig {
  std::string kind; // "dense_pack.x86"
  TemplateVersion version = TemplateVersion::V0_11;
  std::vector<NamedEntity> entities;
  friend bool operator==(const TemplateConfig&, const TemplateConfig&) = default;
};
/// {"template": "dense_pack.x86", "version": "v0.11", "entity": [["tile_y", "sp", [-1, 4]], ...]}
nlohmann::json toJson(const TemplateConfig& config);
/// The inverse. Throws InputError.
TemplateConfig templateConfigFromJson(const nlohmann::json& json);

/// A program of a template: the task in the layouts that the knobs ask for, and the steps that
/// replay on it. Re-laying inputs and results is no part of the program.
struct TemplateProgram {
  ComputeDag dag;
  Steps steps;
};
/// Throws InputError where `config` is no configuration of the template, and IllegalSchedule.
TemplateProgram templateProgram(const ComputeDag& task, const TaskTemplate& of,
                                const std::vector<NamedEntity>& config);
/// The same from what a record keeps. Throws InputError for a template that is not known or does
/// not fit the task.
TemplateProgram templateProgram(const ComputeDag& task, const TemplateConfig& config);

/// What a template computes without anything fused behind it, in the layouts of the public code's
/// unpacked operators: the DAG of a log's task. Throws InputError where the arguments are none of
/// the template, or it cannot be built (templates for GPUs).
ComputeDag templateTask(const TemplateKind& kind, const TemplateArguments& arguments);

} // namespace nestwright
