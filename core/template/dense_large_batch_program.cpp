/// \file Programs of dense_large_batch.gpu: tiles in registers, two tiles of each operand at a time
/// in the memory of a block.

#include "core/template/gpu_schedule.h"
#include "core/template/product_task.h"

namespace nestwright {

namespace dense_large_batch {
namespace {

using Stage = ScheduleBuilder::Stage;
using Loop = ScheduleBuilder::Loop;

/// Threads along both axes fetch rows, each four neighbours of a row at a time. That as many
/// threads as one knob says do it along both axes is the public code's: a kernel needs the same
/// number for both.
void shareOutFetch(ScheduleBuilder& s, Stage operand, std::int64_t threads) {
  constexpr std::int64_t kNeighbours = 4;
  const Loop row = s.splitIntoParts(operand, s.axis(operand, 0), {threads})[0];
  const Loop strip = s.split(operand, s.axis(operand, 1), {threads * kNeighbours})[1];
  const Loop part = s.splitIntoParts(operand, strip, {threads})[0];
  bind(s, operand, {row, part}, {Annotation::ThreadY, Annotation::ThreadX});
}

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  constexpr std::size_t kThreads = 1; // of the inner sizes of a tile
  constexpr std::int64_t kTilesAtOnce = 2;
  const auto [result, sums] = inThreads(s, stages);
  const Fetched data = fetchTwice(s, what.data, sums), weights = fetchTwice(s, what.weights, sums);
  // Rows are x and columns y.
  const auto x = s.split(result, s.axis(result, 0), knobs.innerSizes("tile_x"));
  const auto y = s.split(result, s.axis(result, 1), knobs.innerSizes("tile_y"));
  s.reorder(result, {y[0], x[0], y[1], x[1], y[2], x[2], y[3], x[3]});
  using enum Annotation;
  bind(s, result, {y[0], x[0], y[1], x[1], y[2], x[2]},
       {BlockY, BlockX, VThread, VThread, ThreadY, ThreadX});
  s.computeAt(sums, result, x[2]);

  const auto k = s.split(sums, s.reduceAxis(sums, 0), knobs.innerSizes("tile_k"));
  s.reorder(sums, {k[0], k[1], k[2], s.axis(sums, 0), s.axis(sums, 1)});
  s.annotate(sums, k[1], Unroll);
  for (const Fetched& operand : {data, weights}) {
    s.computeAt(operand.shared, sums, k[0]);
    s.computeAt(operand.own, sums, k[1]);
  }
  shareOutFetch(s, data.shared, knobs.innerSizes("tile_x")[kThreads]);
  shareOutFetch(s, weights.shared, knobs.innerSizes("tile_y")[kThreads]);
  s.pragma(sums, k[0], Pragma::PipelineStages, kTilesAtOnce);
}

} // namespace
} // namespace dense_large_batch

const ExecutableTemplate kDenseLargeBatchGpu{
    .name = "dense_large_batch.gpu",
    .arguments = denseArguments,
    .layouts = denseLayouts,
    .reduceNames = productReduceNames,
    .schedule = dense_large_batch::schedule,
    .inlinesOperands = true,
    .task = denseTask,
};

} // namespace nestwright
