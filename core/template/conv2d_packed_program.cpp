/// \file Programs of conv2d_NCHWc.x86. A row of the result is cut into pieces whose sums stay in
/// registers; for a kernel of one element, pieces of two rows at most.

#include "core/template/convolution_task.h"

namespace nestwright {

namespace conv2d_packed {
namespace {

using Stage = ScheduleBuilder::Stage;
using Loop = ScheduleBuilder::Loop;

// Axes of the packed result: n, oc_chunk, oh, ow, oc_block.
constexpr int kImage = 0, kChunk = 1, kRow = 2, kColumn = 3, kBlock = 4;

/// Rows of pieces: the loop over rows in parallel, and that over a row's pieces.
struct Pieces {
  Loop parallel, pieces;
};

Pieces cutRows(ScheduleBuilder& s, Stage stage, std::int64_t columns) {
  const auto ow = s.split(stage, s.axis(stage, kColumn), {columns});
  const Loop chunk = s.axis(stage, kChunk), row = s.axis(stage, kRow),
             block = s.axis(stage, kBlock);
  s.reorder(stage, {chunk, row, ow[0], ow[1], block});
  const Loop parallel = s.fuse(stage, {s.axis(stage, kImage), chunk, row});
  s.annotate(stage, block, Annotation::Vectorize);
  return {parallel, ow[0]};
}

void scheduleWindow(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
                    const KnobValues& knobs) {
  const std::int64_t columns = knobs.innermost("tile_ow");
  const Stage sums = s.cacheWrite(stages.main);
  const Pieces pieces = cutRows(s, stages.main, columns);
  if (!stages.fused) s.annotate(stages.main, pieces.parallel, Annotation::Parallel);
  s.computeAt(sums, stages.main, pieces.pieces);

  const WindowLoops sum = windowLoops(s, sums, what);
  const Loop chunk = s.axis(sums, kChunk), row = s.axis(sums, kRow), block = s.axis(sums, kBlock);
  const auto ow = s.split(sums, s.axis(sums, kColumn), {columns});
  const auto ic = s.split(sums, sum.in, {knobs.innermost("tile_ic")});
  const Loop kh = sum.window[0], kw = sum.window[1];
  if (knobs.flag("unroll_kw")) {
    s.reorder(sums, {chunk, row, ow[0], ic[0], kh, ic[1], kw, ow[1], block});
    s.annotate(sums, kw, Annotation::Unroll);
  } else {
    s.reorder(sums, {chunk, row, ow[0], ic[0], kh, kw, ic[1], ow[1], block});
  }
  s.annotate(sums, block, Annotation::Vectorize);
  s.annotate(sums, ow[1], Annotation::Unroll);

  if (!stages.fused) return;
  const Pieces behind = cutRows(s, stages.result, columns);
  s.computeAt(stages.main, stages.result, behind.parallel);
  s.annotate(stages.result, behind.parallel, Annotation::Parallel);
}

/// Tiles of rows and columns; the loop over rows of tiles, in parallel.
Loop cutTiles(ScheduleBuilder& s, Stage stage, std::int64_t rows, std::int64_t columns) {
  const auto oh = s.split(stage, s.axis(stage, kRow), {rows});
  const auto ow = s.split(stage, s.axis(stage, kColumn), {columns});
  const Loop chunk = s.axis(stage, kChunk), block = s.axis(stage, kBlock);
  s.reorder(stage, {chunk, oh[0], ow[0], oh[1], ow[1], block});
  s.annotate(stage, block, Annotation::Vectorize);
  return s.fuse(stage, {s.axis(stage, kImage), chunk, oh[0]});
}

void schedulePoint(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
                   const KnobValues& knobs) {
  const std::int64_t rows = knobs.number("tile_oh"), columns = knobs.innermost("tile_ow");
  const Stage sums = s.cacheWrite(stages.main);
  const Loop parallel = cutTiles(s, stages.main, rows, columns);
  s.computeAt(sums, stages.main, parallel);
  if (!stages.fused) s.annotate(stages.main, parallel, Annotation::Parallel);

  const Loop chunk = s.axis(sums, kChunk), block = s.axis(sums, kBlock);
  const auto ic = s.split(sums, windowLoops(s, sums, what).in, {knobs.innermost("tile_ic")});
  const auto oh = s.split(sums, s.axis(sums, kRow), {rows});
  const auto ow = s.split(sums, s.axis(sums, kColumn), {columns});
  s.reorder(sums, {chunk, oh[0], ow[0], ic[0], ic[1], oh[1], ow[1], block});
  s.fuse(sums, {chunk, oh[0]});
  s.annotate(sums, block, Annotation::Vectorize);
  s.annotate(sums, ow[1], Annotation::Unroll);
  s.annotate(sums, oh[1], Annotation::Unroll);

  if (!stages.fused) return;
  const Loop behind = cutTiles(s, stages.result, rows, columns);
  s.computeAt(stages.main, stages.result, behind);
  s.annotate(stages.result, behind, Annotation::Parallel);
}

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  if (knobs.has("tile_oh"))
    schedulePoint(s, stages, what, knobs);
  else
    scheduleWindow(s, stages, what, knobs);
}

ComputeDag task(const TemplateArguments& arguments) {
  return convolutionTask(convolutionArguments(arguments, 2, false, 7), false, false);
}

} // namespace
} // namespace conv2d_packed

const ExecutableTemplate kConv2dPacked{
    .name = "conv2d_NCHWc.x86",
    .arguments = conv2dArguments,
    .layouts = packedConv2d,
    .reduceNames = convolutionReduceNames,
    .schedule = conv2d_packed::schedule,
    .operandParallel = 3,
    .operandVectorised = true,
    .task = conv2d_packed::task,
};

} // namespace nestwright
