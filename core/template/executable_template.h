#pragma once
/// \file What a template needs besides its space to give programs: which operators it computes, in
/// which layouts, and how. For templates of this room, one file each, and of plugins.

#include "core/template/relaid_dag.h"
#include "core/template/schedule_builder.h"
#include "core/template/task_operator.h"
#include "core/template/template.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// A configuration by the names of its knobs.
class KnobValues {
 public:
  explicit KnobValues(const std::vector<NamedEntity>& entities) : entities_(&entities) {}

  /// Of the parts of a split but the outermost.
  std::vector<std::int64_t> innerSizes(std::string_view knob) const;
  /// Of its innermost part.
  std::int64_t innermost(std::string_view knob) const { return innerSizes(knob).back(); }
  bool flag(std::string_view knob) const;
  std::int64_t number(std::string_view knob) const;
  bool has(std::string_view knob) const { return find(knob) != nullptr; }

 private:
  const Entity* find(std::string_view knob) const;
  const Entity& at(std::string_view knob) const;
  const std::vector<NamedEntity>* entities_;
};

/// A task that a template is asked for.
struct TemplateSubject {
  const ComputeDag* task = nullptr;
  const TaskOperator* what = nullptr;

  const OpNode& op(int place) const { return *(*task)[static_cast<std::size_t>(place)]; }
  const std::vector<std::int64_t>& shape(int place) const { return op(place).output->shape; }
};

/// The stages of a program that templates schedule; the others are inlined.
struct ProgramStages {
  ScheduleBuilder::Stage main;   // the reduction
  ScheduleBuilder::Stage result; // what is fused behind it, or itself
  bool fused = false;
};

struct ExecutableTemplate {
  const char* name = "";
  /// The arguments under which the public code's template computes the operator.
  TemplateArguments (*arguments)(const TemplateSubject& subject, TemplateVersion version) = nullptr;
  /// How the result and the operands lie, by place, and what reduction axes are called.
  std::map<int, PackedLayout> (*layouts)(const TemplateSubject& subject,
                                         const KnobValues& knobs) = nullptr;
  std::vector<std::string> (*reduceNames)(const TaskOperator& what) = nullptr;
  void (*schedule)(ScheduleBuilder& builder, const ProgramStages& stages, const TaskOperator& what,
                   const KnobValues& knobs) = nullptr;
  /// How an operand is computed where it is, padded data above all: its outer dimensions that run
  /// in parallel, and whether the last one is vectorised.
  int operandParallel = 0;
  bool operandVectorised = false;
  /// Or it is computed where it is read: a GPU's threads do that as they fetch it.
  bool inlinesOperands = false;
  /// The task of arguments, in the layouts of the public code.
  ComputeDag (*task)(const TemplateArguments& arguments) = nullptr;
};

// One a file.
extern const ExecutableTemplate kDensePack, kDenseNopack, kBatchMatmul, kConv2dPacked,
    kDepthwisePacked, kConv3dNcdhw, kConv3dNdhwc;
// For GPUs.
extern const ExecutableTemplate kDenseLargeBatchGpu, kDenseSmallBatchGpu, kBatchMatmulCuda,
    kConv2dCuda, kDepthwiseCuda;

/// Null where the template has a space alone.
const ExecutableTemplate* findExecutable(std::string_view name);

} // namespace nestwright
