#include "plugins/example_template/dense_rows.h"

#include "core/template/product_task.h"
#include "core/template/split_knob.h"

namespace nestwright::example_template {

namespace {

using Stage = ScheduleBuilder::Stage;
using Loop = ScheduleBuilder::Loop;

constexpr std::int64_t kMostRows = 8, kMostColumns = 64, kMostSums = 4;

/// The knobs, in their order: the first one's values change fastest. A split into two has one size,
/// that of the inner part. `arguments` are those of AutoTVM's dense: data [M, K], weights [N, K].
ConfigSpace space(const TemplateArguments& arguments, TemplateVersion) {
  const std::vector<std::int64_t> data = arguments.shape(0, 2), weights = arguments.shape(1, 2);
  return ConfigSpace({splitKnob("tile_y", {.extent = data[0], .maxFactor = kMostRows}),
                      splitKnob("tile_x", {.extent = weights[0], .maxFactor = kMostColumns}),
                      splitKnob("tile_k", {.extent = data[1], .maxFactor = kMostSums})});
}

/// How the result and the operands lie, outermost part first; all other tensors follow from these.
std::map<int, PackedLayout> layouts(const TemplateSubject& subject, const KnobValues&) {
  const TaskOperator& what = *subject.what;
  return {{what.op, denseResult(subject)},
          {what.data, denseData(subject)},
          {what.weights, LayoutMaker(subject.shape(what.weights))
                             .whole(what.weightRoles.in, "k")
                             .whole(what.weightRoles.out, "x")
                             .layout()}};
}

/// The tiles of a stage [M, N], one after another in parallel.
struct Tiles {
  Loop outer, rows, columns;
};
Tiles tiled(ScheduleBuilder& s, Stage stage, const KnobValues& knobs) {
  const auto y = s.split(stage, s.axis(stage, 0), knobs.innerSizes("tile_y"));
  const auto x = s.split(stage, s.axis(stage, 1), knobs.innerSizes("tile_x"));
  s.reorder(stage, {y[0], x[0], y[1], x[1]});
  return {s.fuse(stage, {y[0], x[0]}), y[1], x[1]};
}

/// The steps of a configuration. `stages.result` is what is fused behind the product, or the
/// product itself; other elementwise operators are inlined already.
void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator&,
              const KnobValues& knobs) {
  const Stage sums = s.cacheWrite(stages.main); // computes; the product copies it
  if (stages.fused) s.computeInline(stages.main);
  const Tiles tiles = tiled(s, stages.result, knobs);
  s.annotate(stages.result, tiles.outer, Annotation::Parallel);
  s.annotate(stages.result, tiles.columns, Annotation::Vectorize);
  s.computeAt(sums, stages.result, tiles.outer);
  const auto k = s.split(sums, s.reduceAxis(sums, 0), knobs.innerSizes("tile_k"));
  const Loop rows = s.axis(sums, 0), columns = s.axis(sums, 1);
  s.reorder(sums, {k[0], k[1], rows, columns});
  s.annotate(sums, k[1], Annotation::Unroll);
  s.annotate(sums, rows, Annotation::Unroll);
  s.annotate(sums, columns, Annotation::Vectorize);
}

} // namespace

PluginTemplate denseRows() {
  PluginTemplate result;
  result.kind = {"dense_rows.example_template", "product, weights as networks have them",
                 TemplateMachine::Cpu, space};
  result.computes = OperatorKind::Dense;
  result.programs.arguments = denseArguments;
  result.programs.layouts = layouts;
  result.programs.reduceNames = productReduceNames;
  result.programs.schedule = schedule;
  // Operands that are computed, above all padded ones: rows in parallel, the last dimension in
  // vectors.
  result.programs.operandParallel = 1;
  result.programs.operandVectorised = true;
  result.programs.task = denseTask;
  return result;
}

} // namespace nestwright::example_template
