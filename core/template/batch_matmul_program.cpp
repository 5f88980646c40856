/// \file Programs of batch_matmul.x86: tiles of each product, whose sums are cut into vectors.

#include "core/template/product_task.h"

namespace nestwright {

namespace batch_matmul {
namespace {

constexpr std::int64_t kMostUnrolled = 16;

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  using Loop = ScheduleBuilder::Loop;
  const ScheduleBuilder::Stage sums = s.cacheWrite(stages.main);
  if (stages.fused) s.computeInline(stages.main);
  const int batches = static_cast<int>(what.resultRoles.batch.size());
  const auto y = s.split(stages.result, s.axis(stages.result, batches), knobs.innerSizes("tile_y"));
  const auto x =
      s.split(stages.result, s.axis(stages.result, batches + 1), knobs.innerSizes("tile_x"));
  s.reorder(stages.result, {y[0], x[0], y[1], x[1]});
  std::vector<Loop> outer;
  for (int b = 0; b < batches; ++b)
    outer.push_back(s.axis(stages.result, b));
  outer.push_back(y[0]);
  outer.push_back(x[0]);
  const Loop tile = s.fuse(stages.result, outer);
  if (stages.fused) s.annotate(stages.result, x[1], Annotation::Vectorize);
  s.annotate(stages.result, tile, Annotation::Parallel);
  s.computeAt(sums, stages.result, tile);
  const auto k = s.split(sums, s.reduceAxis(sums, 0), knobs.innerSizes("tile_k"));
  const ScheduleBuilder::Stage partial = s.rfactor(sums, k[1], 0);
  s.computeAt(partial, sums, s.axis(sums, batches - 1));
  const Loop lanes = s.axis(partial, 0);
  s.fuse(partial, {s.axis(partial, batches + 1), s.axis(partial, batches + 2)});
  s.annotate(partial, lanes, Annotation::Vectorize);
  s.pragma(stages.result, tile, Pragma::AutoUnroll, kMostUnrolled);
}

} // namespace
} // namespace batch_matmul

const ExecutableTemplate kBatchMatmul{
    .name = "batch_matmul.x86",
    .arguments = batchMatmulArguments,
    .layouts = batchMatmulLayouts,
    .reduceNames = productReduceNames,
    .schedule = batch_matmul::schedule,
    .operandParallel = 2,
    .operandVectorised = true,
    .task = batchMatmulTask,
};

} // namespace nestwright
