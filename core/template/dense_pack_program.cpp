/// \file Programs of dense_pack.x86: tiles of the result beside panels of weights.

#include "core/template/product_task.h"

namespace nestwright {

namespace dense_pack {
namespace {

/// Weights [N / bn][K][bn], where bn is the innermost part of the columns.
std::map<int, PackedLayout> layouts(const TemplateSubject& subject, const KnobValues& knobs) {
  const TaskOperator& what = *subject.what;
  const std::int64_t panel = knobs.innermost("tile_x");
  const DimensionRoles& roles = what.weightRoles;
  return {{what.op, denseResult(subject)},
          {what.data, denseData(subject)},
          {what.weights, LayoutMaker(subject.shape(what.weights))
                             .chunk(roles.out, panel, "x")
                             .whole(roles.in, "k")
                             .block(roles.out, panel)
                             .layout()}};
}

struct Tiles {
  ScheduleBuilder::Loop outer, yo, xo, yi, xi; // outer: of tiles, in parallel
};

Tiles tiled(ScheduleBuilder& s, ScheduleBuilder::Stage stage, const KnobValues& knobs) {
  const auto y = s.split(stage, s.axis(stage, 0), knobs.innerSizes("tile_y"));
  const auto x = s.split(stage, s.axis(stage, 1), knobs.innerSizes("tile_x"));
  s.reorder(stage, {x[0], y[0], y[1], x[1], y[2], x[2]});
  return {s.fuse(stage, {x[0], y[0]}), y[1], x[1], y[2], x[2]};
}

void scheduleSums(ScheduleBuilder& s, ScheduleBuilder::Stage sums, const KnobValues& knobs) {
  const auto y = s.axis(sums, 0), x = s.axis(sums, 1);
  const auto k = s.split(sums, s.reduceAxis(sums, 0), knobs.innerSizes("tile_k"));
  s.reorder(sums, {k[0], k[1], y, x});
  s.annotate(sums, x, Annotation::Vectorize);
  // Versions before v0.11 have no such knob.
  const std::int64_t rows = knobs.has("tile_inner") ? knobs.innermost("tile_inner") : 1;
  if (rows == 1) {
    s.annotate(sums, k[1], Annotation::Unroll);
    s.annotate(sums, y, Annotation::Unroll);
    return;
  }
  const auto inner = s.split(sums, y, {rows});
  s.reorder(sums, {k[0], inner[0], k[1], inner[1], x});
  s.annotate(sums, inner[0], Annotation::Unroll);
  s.annotate(sums, k[1], Annotation::Unroll);
  s.annotate(sums, inner[1], Annotation::Unroll);
}

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator&,
              const KnobValues& knobs) {
  const ScheduleBuilder::Stage sums = s.cacheWrite(stages.main);
  const Tiles tiles = tiled(s, stages.main, knobs);
  if (!stages.fused) s.annotate(stages.main, tiles.outer, Annotation::Parallel);
  const auto at = s.fuse(stages.main, {tiles.yo, tiles.xo});
  s.annotate(stages.main, tiles.yi, Annotation::Unroll);
  s.annotate(stages.main, tiles.xi, Annotation::Vectorize);
  s.computeAt(sums, stages.main, at);
  scheduleSums(s, sums, knobs);
  if (!stages.fused) return;
  const Tiles behind = tiled(s, stages.result, knobs);
  s.computeAt(stages.main, stages.result, behind.outer);
  s.annotate(stages.result, behind.xi, Annotation::Vectorize);
  s.annotate(stages.result, behind.outer, Annotation::Parallel);
}

} // namespace
} // namespace dense_pack

const ExecutableTemplate kDensePack{
    .name = "dense_pack.x86",
    .arguments = denseArguments,
    .layouts = dense_pack::layouts,
    .reduceNames = productReduceNames,
    .schedule = dense_pack::schedule,
    .operandParallel = 1,
    .operandVectorised = true,
    .task = denseTask,
};

} // namespace nestwright
