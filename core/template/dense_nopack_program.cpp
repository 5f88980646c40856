/// \file Programs of dense_nopack.x86: a vector of partial sums for each element, added up at the
/// end.

#include "core/template/product_task.h"

namespace nestwright {

namespace dense_nopack {
namespace {

struct Tiles {
  ScheduleBuilder::Loop outer, yi, xi;
};

Tiles tiled(ScheduleBuilder& s, ScheduleBuilder::Stage stage, const KnobValues& knobs) {
  const auto y = s.split(stage, s.axis(stage, 0), knobs.innerSizes("tile_y"));
  const auto x = s.split(stage, s.axis(stage, 1), knobs.innerSizes("tile_x"));
  s.reorder(stage, {y[0], x[0], y[1], x[1]});
  return {s.fuse(stage, {y[0], x[0]}), y[1], x[1]};
}

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator&,
              const KnobValues& knobs) {
  const auto k = s.split(stages.main, s.reduceAxis(stages.main, 0), knobs.innerSizes("tile_k"));
  const ScheduleBuilder::Stage partial = s.rfactor(stages.main, k[1], 2);
  const Tiles tiles = tiled(s, stages.main, knobs);
  if (!stages.fused) s.annotate(stages.main, tiles.outer, Annotation::Parallel);
  s.annotate(stages.main, s.reduceAxis(stages.main, 0), Annotation::Unroll);
  s.computeAt(partial, stages.main, tiles.outer);
  const auto lanes = s.axis(partial, 2), sum = s.reduceAxis(partial, 0);
  const auto elements = s.fuse(partial, {s.axis(partial, 0), s.axis(partial, 1)});
  s.reorder(partial, {sum, elements, lanes});
  s.annotate(partial, elements, Annotation::Unroll);
  s.annotate(partial, lanes, Annotation::Vectorize);
  if (!stages.fused) return;
  const Tiles behind = tiled(s, stages.result, knobs);
  s.computeAt(stages.main, stages.result, behind.outer);
  s.annotate(stages.result, behind.xi, Annotation::Vectorize);
  s.annotate(stages.result, behind.outer, Annotation::Parallel);
}

} // namespace
} // namespace dense_nopack

const ExecutableTemplate kDenseNopack{
    .name = "dense_nopack.x86",
    .arguments = denseArguments,
    .layouts = denseLayouts,
    .reduceNames = productReduceNames,
    .schedule = dense_nopack::schedule,
    .operandParallel = 1,
    .operandVectorised = true,
    .task = denseTask,
};

} // namespace nestwright
