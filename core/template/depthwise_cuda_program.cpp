/// \file Programs of depthwise_conv2d_nchw.cuda: what a block needs of the data and the weights is
/// fetched at once, and each thread takes its part into registers.

#include "core/template/convolution_task.h"
#include "core/template/gpu_schedule.h"

namespace nestwright {

namespace depthwise_cuda {
namespace {

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  const auto [result, sums] = inThreads(s, stages);
  const Fetched data = fetchTwice(s, what.data, sums), weights = fetchTwice(s, what.weights, sums);
  const ImageTiles tiles = tileImages(s, result, knobs);
  for (const Fetched& operand : {data, weights}) {
    s.computeAt(operand.shared, result, tiles.block);
    s.computeAt(operand.own, result, tiles.thread);
    // Neighbours in memory go to neighbouring threads.
    const auto fetched = s.split(operand.shared, s.fuseAll(operand.shared), tiles.threads);
    using enum Annotation;
    bind(s, operand.shared, {fetched[1], fetched[2], fetched[3]}, {ThreadZ, ThreadY, ThreadX});
  }
  s.computeAt(sums, result, tiles.thread);
  unrollByKnobs(s, result, tiles.block, knobs);
}

ComputeDag task(const TemplateArguments& arguments) {
  return convolutionTask(convolutionArguments(arguments, 2, false, 5), true, false);
}

} // namespace
} // namespace depthwise_cuda

const ExecutableTemplate kDepthwiseCuda{
    .name = "depthwise_conv2d_nchw.cuda",
    .arguments = conv2dCudaArguments,
    .layouts = channelsFirstConv2d,
    .reduceNames = convolutionReduceNames,
    .schedule = depthwise_cuda::schedule,
    .inlinesOperands = true,
    .task = depthwise_cuda::task,
};

} // namespace nestwright
