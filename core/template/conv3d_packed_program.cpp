/// \file Programs of conv3d_ncdhw.x86 and conv3d_ndhwc.x86: as convolutions over two axes, with one
/// more outside. Channels are packed inside both; what differs is how a log tells the shapes.

#include "core/template/convolution_task.h"

#include <algorithm>

namespace nestwright {

namespace conv3d_packed {
namespace {

using Stage = ScheduleBuilder::Stage;
using Loop = ScheduleBuilder::Loop;

// Axes of the packed result: n, oc_chunk, od, oh, ow, oc_block.
constexpr int kImage = 0, kChunk = 1, kDepth = 2, kRow = 3, kColumn = 4, kBlock = 5;

template <bool channelsLast>
TemplateArguments arguments(const TemplateSubject& subject, TemplateVersion version) {
  ConvolutionArguments c = convolutionArguments(subject);
  std::vector<std::int64_t> pads = c.padsBefore;
  pads.insert(pads.end(), c.padsAfter.begin(), c.padsAfter.end());
  if (channelsLast) {
    std::rotate(c.data.begin() + 1, c.data.begin() + 2, c.data.end());
    std::swap(c.kernel[0], c.kernel[1]);
    std::rotate(c.kernel.begin(), c.kernel.begin() + 2, c.kernel.end());
  }
  nlohmann::json list = {tensorArgument(c.data, c.dataType), tensorArgument(c.kernel, c.kernelType),
                         c.strides, pads, c.dilations};
  if (version == TemplateVersion::V0_11) list.push_back(1); // groups
  list.push_back(toString(c.resultType));
  return TemplateArguments(std::move(list));
}

std::map<int, PackedLayout> layouts(const TemplateSubject& subject, const KnobValues& knobs) {
  return packedConvolution(subject, knobs.innermost("tile_ic"), knobs.innermost("tile_oc"), true);
}

struct Pieces {
  Loop parallel, pieces;
};

Pieces cutRows(ScheduleBuilder& s, Stage stage, std::int64_t columns) {
  const auto ow = s.split(stage, s.axis(stage, kColumn), {columns});
  const Loop chunk = s.axis(stage, kChunk), depth = s.axis(stage, kDepth),
             row = s.axis(stage, kRow), block = s.axis(stage, kBlock);
  s.reorder(stage, {chunk, depth, row, ow[0], ow[1], block});
  s.annotate(stage, block, Annotation::Vectorize);
  return {s.fuse(stage, {s.axis(stage, kImage), chunk, depth, row}), ow[0]};
}

void schedule(ScheduleBuilder& s, const ProgramStages& stages, const TaskOperator& what,
              const KnobValues& knobs) {
  const std::int64_t columns = knobs.innermost("tile_ow");
  const Stage sums = s.cacheWrite(stages.main);
  const Pieces pieces = cutRows(s, stages.main, columns);
  if (!stages.fused) s.annotate(stages.main, pieces.parallel, Annotation::Parallel);
  s.computeAt(sums, stages.main, pieces.pieces);

  const WindowLoops sum = windowLoops(s, sums, what);
  const Loop chunk = s.axis(sums, kChunk), depth = s.axis(sums, kDepth), row = s.axis(sums, kRow),
             block = s.axis(sums, kBlock);
  const auto ow = s.split(sums, s.axis(sums, kColumn), {columns});
  const auto ic = s.split(sums, sum.in, {knobs.innermost("tile_ic")});
  const Loop kd = sum.window[0], kh = sum.window[1], kw = sum.window[2];
  if (knobs.flag("unroll_kw")) {
    s.reorder(sums, {chunk, row, ow[0], ic[0], kd, kh, ic[1], kw, ow[1], block});
    s.annotate(sums, kw, Annotation::Unroll);
  } else {
    s.reorder(sums, {chunk, row, ow[0], ic[0], kd, kh, kw, ic[1], ow[1], block});
  }
  s.fuse(sums, {chunk, depth, row});
  s.annotate(sums, block, Annotation::Vectorize);
  s.annotate(sums, ow[1], Annotation::Unroll);

  if (!stages.fused) return;
  const Pieces behind = cutRows(s, stages.result, columns);
  s.computeAt(stages.main, stages.result, behind.parallel);
  s.annotate(stages.result, behind.parallel, Annotation::Parallel);
}

template <bool channelsLast>
ComputeDag task(const TemplateArguments& arguments) {
  return convolutionTask(conv3dArguments(arguments, channelsLast), false, channelsLast);
}

} // namespace
} // namespace conv3d_packed

const ExecutableTemplate kConv3dNcdhw{
    .name = "conv3d_ncdhw.x86",
    .arguments = conv3d_packed::arguments<false>,
    .layouts = conv3d_packed::layouts,
    .reduceNames = convolutionReduceNames,
    .schedule = conv3d_packed::schedule,
    .operandParallel = 4,
    .operandVectorised = false,
    .task = conv3d_packed::task<false>,
};
const ExecutableTemplate kConv3dNdhwc{
    .name = "conv3d_ndhwc.x86",
    .arguments = conv3d_packed::arguments<true>,
    .layouts = conv3d_packed::layouts,
    .reduceNames = convolutionReduceNames,
    .schedule = conv3d_packed::schedule,
    .operandParallel = 4,
    .operandVectorised = false,
    .task = conv3d_packed::task<true>,
};

} // namespace nestwright
