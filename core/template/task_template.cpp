#include "core/template/task_template.h"

#include "core/support/error.h"
#include "core/template/executable_template.h"
#include "core/template/plugin_template.h"
#include "core/tensor/check_bounds.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

namespace {

/// From so many rows on, packed weights pay: the public code's choice.
constexpr std::int64_t kRowsWorthPacking = 16;

/// From so many rows on, a GPU computes tiles: the public code's choice, too.
constexpr std::int64_t kRowsWorthTiling = 32;

std::vector<const ExecutableTemplate*> gpuTemplatesOf(const TemplateSubject& subject) {
  const TaskOperator& what = *subject.what;
  switch (what.kind) {
  case OperatorKind::Dense:
    if (extentOf(*subject.task, what.op, what.resultRoles.spatial[0]) < kRowsWorthTiling)
      return {&kDenseSmallBatchGpu, &kDenseLargeBatchGpu};
    return {&kDenseLargeBatchGpu, &kDenseSmallBatchGpu};
  case OperatorKind::BatchMatmul:
    return {&kBatchMatmulCuda};
  case OperatorKind::Conv2d:
    return {&kConv2dCuda};
  case OperatorKind::DepthwiseConv2d:
    return {&kDepthwiseCuda};
  case OperatorKind::Conv3d:
    return {};
  }
  return {};
}

std::vector<const ExecutableTemplate*> ownTemplatesOf(const TemplateSubject& subject,
                                                      TemplateMachine machine) {
  if (machine == TemplateMachine::Gpu) return gpuTemplatesOf(subject);
  const TaskOperator& what = *subject.what;
  switch (what.kind) {
  case OperatorKind::Dense:
    if (extentOf(*subject.task, what.op, what.resultRoles.spatial[0]) < kRowsWorthPacking)
      return {&kDenseNopack, &kDensePack};
    return {&kDensePack, &kDenseNopack};
  case OperatorKind::BatchMatmul:
    return {&kBatchMatmul};
  case OperatorKind::Conv2d:
    return {&kConv2dPacked};
  case OperatorKind::DepthwiseConv2d:
    return {&kDepthwisePacked};
  case OperatorKind::Conv3d:
    return {what.dataRoles.in + 1 == std::ssize(subject.shape(what.data)) ? &kConv3dNdhwc
                                                                          : &kConv3dNcdhw};
  }
  return {};
}

/// Ours first: a search takes the first that fits unless another one is named.
std::vector<const ExecutableTemplate*> templatesOf(const TemplateSubject& subject,
                                                   TemplateMachine machine) {
  std::vector<const ExecutableTemplate*> all = ownTemplatesOf(subject, machine);
  for (const PluginTemplate* each : pluginTemplates())
    if (each->computes == subject.what->kind && each->kind.machine == machine)
      all.push_back(&each->programs);
  return all;
}

DagLayouts layoutsOf(const ExecutableTemplate& executable, const TemplateSubject& subject,
                     const std::vector<NamedEntity>& config) {
  return layoutsAround(*subject.task, subject.what->op,
                       executable.layouts(subject, KnobValues(config)));
}

/// The stage of an operand that is computed: its outer dimensions in parallel.
void scheduleOperand(ScheduleBuilder& builder, ScheduleBuilder::Stage stage, int parallel,
                     bool vectorised) {
  const int axes = builder.axisCount(stage);
  if (vectorised) builder.annotate(stage, builder.axis(stage, axes - 1), Annotation::Vectorize);
  std::vector<ScheduleBuilder::Loop> outer;
  for (int axis = 0; axis < std::min(parallel, axes - 1); ++axis)
    outer.push_back(builder.axis(stage, axis));
  if (!outer.empty()) builder.annotate(stage, builder.fuse(stage, outer), Annotation::Parallel);
}

Steps stepsOf(const ComputeDag& dag, const ExecutableTemplate& executable, const TaskOperator& what,
              const KnobValues& knobs) {
  ScheduleBuilder builder(dag);
  // As the public code does it, all elementwise operators but the last are computed where they are
  // read.
  for (int place = 0; place < static_cast<int>(dag.size()); ++place) {
    const bool isOperand = place == what.data || place == what.weights;
    const bool keeps =
        place == what.op || place == what.result || (isOperand && !executable.inlinesOperands);
    if (!keeps && dag[static_cast<std::size_t>(place)]->isCompute())
      builder.computeInline(builder.stage(place));
  }
  for (const int operand : {what.data, what.weights})
    if (dag[static_cast<std::size_t>(operand)]->isCompute() && !executable.inlinesOperands)
      scheduleOperand(builder, builder.stage(operand), executable.operandParallel,
                      executable.operandVectorised);
  executable.schedule(builder,
                      {builder.stage(what.op), builder.stage(what.result), what.op != what.result},
                      what, knobs);
  return builder.steps();
}

} // namespace

bool isExecutable(const TemplateKind& kind) {
  return findExecutable(kind.name) != nullptr;
}

TaskTemplates templatesFor(const ComputeDag& task, TemplateVersion version,
                           TemplateMachine machine) {
  const RecognisedTask recognised = recognise(task);
  if (!recognised.found) return {{}, fmt::format("no template fits: {}", recognised.why)};
  TaskTemplates templates;
  const TemplateSubject subject{&task, &*recognised.found};
  const std::vector<const ExecutableTemplate*> candidates = templatesOf(subject, machine);
  if (candidates.empty())
    return {{}, "no template fits: there is none for convolutions over 3 axes on a GPU"};
  for (const ExecutableTemplate* executable : candidates) {
    try {
      const TemplateKind* kind = findTemplate(executable->name);
      TemplateArguments arguments = executable->arguments(subject, version);
      ConfigSpace space = kind->space(arguments, version);
      // Which dimensions lie where does not depend on the sizes: one configuration tells for all.
      const DagLayouts layouts = layoutsOf(*executable, subject, space.at(space.size() - 1));
      if (layouts.problem.empty())
        templates.fitting.push_back(
            {kind, std::move(arguments), version, std::move(space), *recognised.found});
      else
        templates.whyNone = fmt::format("no template fits: {}", layouts.problem);
    } catch (const InputError& error) {
      templates.whyNone = fmt::format("no template fits: {} has no space for it: {}",
                                      executable->name, error.what());
    }
  }
  if (!templates.fitting.empty()) templates.whyNone.clear();
  return templates;
}

std::string logKey(const TaskTemplate& of) {
  return nlohmann::json{of.kind->name, of.arguments.list(), nlohmann::json::object()}.dump();
}

TemplateProgram templateProgram(const ComputeDag& task, const TaskTemplate& of,
                                const std::vector<NamedEntity>& config) {
  const ExecutableTemplate* executable = findExecutable(of.kind->name);
  NW_ASSERT(executable != nullptr, "{} fits a task, but has no programs", of.kind->name);
  of.space.indexOf(config);
  const TemplateSubject subject{&task, &of.what};
  DagLayouts layouts = layoutsOf(*executable, subject, config);
  NW_ASSERT(layouts.problem.empty(), "{} fits a task, but {}", of.kind->name, layouts.problem);
  ComputeDag dag = relaid(task, layouts.of, of.what.op, executable->reduceNames(of.what));
  Steps steps = stepsOf(dag, *executable, of.what, KnobValues(config));
  return {std::move(dag), std::move(steps), std::move(layouts.of)};
}

ComputeDag templateTask(const TemplateKind& kind, const TemplateArguments& arguments) {
  const ExecutableTemplate* executable = findExecutable(kind.name);
  if (executable == nullptr)
    throw InputError(fmt::format("{} is declared, so that its logs are understood, but what it "
                                 "computes is not built",
                                 kind.name));
  ComputeDag task = executable->task(arguments);
  checkBounds(task);
  return task;
}

} // namespace nestwright
