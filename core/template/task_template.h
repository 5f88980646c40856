#pragma once
/// \file Templates that fit a task, and the programs that their configurations mean
/// (handbook/cost-models.md 3.3).

#include "core/schedule/step.h"
#include "core/template/task_operator.h"
#include "core/template/template.h"
#include "core/tensor/compute_dag.h"
#include "core/tensor/packed_layout.h"

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
  TaskOperator what; // what it computes of the task
};

struct TaskTemplates {
  std::vector<TaskTemplate> fitting; // the one that a search takes first
  std::string whyNone;               // a sentence where none fits; else empty
};
TaskTemplates templatesFor(const ComputeDag& task, TemplateVersion version = TemplateVersion::V0_11,
                           TemplateMachine machine = TemplateMachine::Cpu);

/// Whether programs can be made from its configurations; of others the space is known alone, so
/// that their logs are understood.
bool isExecutable(const TemplateKind& kind);

/// A program of a template: the task in the layouts that the knobs ask for, and the steps that
/// replay on it. Re-laying inputs and results is no part of the program.
struct TemplateProgram {
  ComputeDag dag;
  Steps steps;
  /// How the tensor of each operator lies in `dag`, which has the task's operators in their order.
  std::vector<PackedLayout> layouts;
};
/// `of` is one of templatesFor(task). Throws InputError where `config` is no configuration of the
/// template, and IllegalSchedule.
TemplateProgram templateProgram(const ComputeDag& task, const TaskTemplate& of,
                                const std::vector<NamedEntity>& config);

/// What AutoTVM's logs call the task: ["dense_pack.x86",[["TENSOR",[16,64],"float32"],...],{}].
std::string logKey(const TaskTemplate& of);

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

/// The template of this name, as it fits the task. Throws InputError where it is not known, or does
/// not fit.
TaskTemplate templateNamed(const ComputeDag& task, const std::string& kind,
                           TemplateVersion version = TemplateVersion::V0_11);
/// The program. Throws InputError where the template is not known, does not fit the task, or has no
/// such configuration, and IllegalSchedule.
TemplateProgram templateProgram(const ComputeDag& task, const TemplateConfig& config);

/// What a template computes without anything fused behind it, in the layouts of the public code's
/// unpacked operators: the DAG of a log's task. Throws InputError where the arguments are none of
/// the template, or it cannot be built.
ComputeDag templateTask(const TemplateKind& kind, const TemplateArguments& arguments);

} // namespace nestwright
