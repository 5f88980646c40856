/// \file Programs of dense_small_batch.gpu: a block for each element of the result, whose threads
/// add up what each of them summed.

#include "core/template/gpu_schedule.h"
#include "core/template/product_task.h"

namespace nestwright {

namespace dense_small_batch {
namespace {

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator&,
              const KnobValues& knobs) {
  const auto k = s.split(stages.main, s.reduceAxis(stages.main, 0), knobs.innerSizes("tile_k"));
  const ScheduleBuilder::Stage partial = s.rfactor(stages.main, k[1], 0);
  if (stages.fused) s.computeAt(stages.main, stages.result, s.axis(stages.result, 1));
  bind(s, stages.result, {s.axis(stages.result, 0), s.axis(stages.result, 1)},
       {Annotation::BlockY, Annotation::BlockX});
  const ScheduleBuilder::Loop thread = s.reduceAxis(stages.main, 0);
  s.annotate(stages.main, thread, Annotation::ThreadX);
  s.computeAt(partial, stages.main, thread);
}

} // namespace
} // namespace dense_small_batch

const ExecutableTemplate kDenseSmallBatchGpu{
    .name = "dense_small_batch.gpu",
    .arguments = denseArguments,
    .layouts = denseLayouts,
    .reduceNames = productReduceNames,
    .schedule = dense_small_batch::schedule,
    .inlinesOperands = true,
    .task = denseTask,
};

} // namespace nestwright
