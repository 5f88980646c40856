/// \file Programs of depthwise_conv2d_NCHWc.x86: pieces of rows, each channel by itself.

#include "core/template/convolution_task.h"

namespace nestwright {

namespace depthwise_packed {
namespace {

using Stage = ScheduleBuilder::Stage;
using Loop = ScheduleBuilder::Loop;

// Axes of the packed result: n, oc_chunk, oh, ow, oc_block.
constexpr int kChunk = 1, kRow = 2, kColumn = 3, kBlock = 4;

struct Pieces {
  Loop parallel, pieces;
};

/// Images stay outside of the parallel loop, as in the public code.
Pieces cutRows(ScheduleBuilder& s, Stage stage, std::int64_t columns) {
  const auto ow = s.split(stage, s.axis(stage, kColumn), {columns});
  const Loop chunk = s.axis(stage, kChunk), row = s.axis(stage, kRow),
             block = s.axis(stage, kBlock);
  s.reorder(stage, {chunk, row, ow[0], ow[1], block});
  s.annotate(stage, block, Annotation::Vectorize);
  return {s.fuse(stage, {chunk, row}), ow[0]};
}

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  const std::int64_t columns = knobs.innermost("tile_ow");
  const Stage sums = s.cacheWrite(stages.main);
  const Pieces pieces = cutRows(s, stages.main, columns);
  if (!stages.fused) s.annotate(stages.main, pieces.parallel, Annotation::Parallel);
  s.computeAt(sums, stages.main, pieces.pieces);

  const WindowLoops sum = windowLoops(s, sums, what);
  const Loop chunk = s.axis(sums, kChunk), row = s.axis(sums, kRow), column = s.axis(sums, kColumn),
             block = s.axis(sums, kBlock);
  s.reorder(sums, {chunk, row, sum.window[0], sum.window[1], column, block});
  if (knobs.flag("unroll_kw")) s.annotate(sums, sum.window[1], Annotation::Unroll);
  s.annotate(sums, block, Annotation::Vectorize);
  s.annotate(sums, column, Annotation::Unroll);

  if (!stages.fused) return;
  const Pieces behind = cutRows(s, stages.result, columns);
  s.computeAt(stages.main, stages.result, behind.parallel);
  s.annotate(stages.result, behind.parallel, Annotation::Parallel);
}

ComputeDag task(const TemplateArguments& arguments) {
  return convolutionTask(convolutionArguments(arguments, 2, false, 7), true, false);
}

} // namespace
} // namespace depthwise_packed

const ExecutableTemplate kDepthwisePacked{
    .name = "depthwise_conv2d_NCHWc.x86",
    .arguments = conv2dArguments,
    .layouts = packedConv2d,
    .reduceNames = convolutionReduceNames,
    .schedule = depthwise_packed::schedule,
    .operandParallel = 3,
    .operandVectorised = true,
    .task = depthwise_packed::task,
};

} // namespace nestwright
