/// \file Programs of batch_matmul.cuda: tiles in registers, those of the operands in the memory of
/// a block, where each thread takes the elements for one step of the sum from.

#include "core/template/gpu_schedule.h"
#include "core/template/product_task.h"

namespace nestwright {

namespace batch_matmul_cuda {
namespace {

using Stage = ScheduleBuilder::Stage;
using Loop = ScheduleBuilder::Loop;

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  constexpr std::size_t kThreads = 0; // of the inner sizes of a tile
  const auto [result, sums] = inThreads(s, stages);
  const Fetched data = fetchTwice(s, what.data, sums), weights = fetchTwice(s, what.weights, sums);
  const int batches = static_cast<int>(what.resultRoles.batch.size());
  const int rows = batches, columns = batches + 1; // axes of all tensors
  const auto y = s.split(result, s.axis(result, rows), knobs.innerSizes("tile_y"));
  const auto x = s.split(result, s.axis(result, columns), knobs.innerSizes("tile_x"));
  s.reorder(result, {y[0], x[0], y[1], x[1], y[2], x[2]});
  std::vector<Loop> batch;
  for (int b = 0; b < batches; ++b)
    batch.push_back(s.axis(result, b));
  using enum Annotation;
  bind(s, result, {s.fuse(result, batch), y[0], x[0], y[1], x[1]},
       {BlockZ, BlockY, BlockX, ThreadY, ThreadX});
  s.computeAt(sums, result, x[1]);

  const auto k = s.split(sums, s.reduceAxis(sums, 0), knobs.innerSizes("tile_k"));
  std::vector<Loop> order{k[0], k[1]};
  for (int axis = 0; axis < s.axisCount(sums); ++axis)
    order.push_back(s.axis(sums, axis));
  s.reorder(sums, order);
  for (const Fetched& operand : {data, weights}) {
    s.computeAt(operand.shared, sums, k[0]);
    s.computeAt(operand.own, sums, k[1]);
    const auto row = s.splitIntoParts(operand.shared, s.axis(operand.shared, rows),
                                      {knobs.innerSizes("tile_y")[kThreads]});
    const auto part = s.splitIntoParts(operand.shared, s.axis(operand.shared, columns),
                                       {knobs.innerSizes("tile_x")[kThreads]});
    s.reorder(operand.shared, {row[0], part[0], row[1], part[1]});
    bind(s, operand.shared, {row[0], part[0]}, {ThreadY, ThreadX});
  }
  unrollByKnobs(s, result, y[2], knobs);
}

} // namespace
} // namespace batch_matmul_cuda

const ExecutableTemplate kBatchMatmulCuda{
    .name = "batch_matmul.cuda",
    .arguments = batchMatmulArguments,
    .layouts = batchMatmulLayouts,
    .reduceNames = productReduceNames,
    .schedule = batch_matmul_cuda::schedule,
    .inlinesOperands = true,
    .task = batchMatmulTask,
};

} // namespace nestwright
