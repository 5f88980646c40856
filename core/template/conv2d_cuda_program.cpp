/// \file Programs of conv2d_nchw.cuda: tiles of the result in the registers of threads, tiles of
/// the data and the weights in the memory of a block.

#include "core/template/convolution_task.h"
#include "core/template/gpu_schedule.h"

namespace nestwright {

namespace conv2d_cuda {
namespace {

using Stage = ScheduleBuilder::Stage;
using Loop = ScheduleBuilder::Loop;

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  const auto [result, sums] = inThreads(s, stages);
  const Stage data = fetch(s, what.data, sums), weights = fetch(s, what.weights, sums);
  const ImageTiles tiles = tileImages(s, result, knobs);
  s.computeAt(sums, result, tiles.thread);

  const WindowLoops sum = windowLoops(s, sums, what);
  const auto rc = s.split(sums, sum.in, knobs.innerSizes("tile_rc"));
  const auto ry = s.split(sums, sum.window[0], knobs.innerSizes("tile_ry"));
  const auto rx = s.split(sums, sum.window[1], knobs.innerSizes("tile_rx"));
  std::vector<Loop> order{rc[0], ry[0], rx[0], rc[1], ry[1], rx[1]};
  for (int axis = 0; axis < s.axisCount(sums); ++axis)
    order.push_back(s.axis(sums, axis));
  s.reorder(sums, order);

  // Neighbours in memory go to one thread, as in the public code.
  for (const Stage operand : {data, weights}) {
    s.computeAt(operand, sums, rx[0]);
    const auto fetched = s.splitIntoParts(operand, s.fuseAll(operand), tiles.threads);
    using enum Annotation;
    bind(s, operand, {fetched[0], fetched[1], fetched[2]}, {ThreadZ, ThreadY, ThreadX});
  }
  unrollByKnobs(s, result, tiles.block, knobs);
}

ComputeDag task(const TemplateArguments& arguments) {
  return convolutionTask(convolutionArguments(arguments, 2, false, 5), false, false);
}

} // namespace
} // namespace conv2d_cuda

const ExecutableTemplate kConv2dCuda{
    .name = "conv2d_nchw.cuda",
    .arguments = conv2dCudaArguments,
    .layouts = channelsFirstConv2d,
    .reduceNames = convolutionReduceNames,
    .schedule = conv2d_cuda::schedule,
    .inlinesOperands = true,
    .task = conv2d_cuda::task,
};

} // namespace nestwright
