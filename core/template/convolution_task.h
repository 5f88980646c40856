#pragma once
/// \file What the templates of convolutions have in common. Private to this room.

#include "core/template/executable_template.h"

#include <string>
#include <vector>

namespace nestwright {

/// A convolution's arguments, over two or three spatial axes.
struct ConvolutionArguments {
  std::vector<std::int64_t> data, kernel; // shapes: [N, C, ...] and [K, C, ...] or [C, 1, ...]
  std::vector<std::int64_t> strides, dilations, padsBefore, padsAfter;
  DataType dataType, kernelType, resultType;
  std::int64_t output(std::size_t axis) const;
};

/// From a log's arguments: data, kernel, strides, padding, dilations, and at `type` that of the
/// result. Throws InputError.
ConvolutionArguments convolutionArguments(const TemplateArguments& arguments, std::size_t axes,
                                          bool channelsLast, std::size_t type);
/// The same of a convolution over three axes, where since v0.9 the number of groups stands before
/// the type. Throws InputError for other than one.
ConvolutionArguments conv3dArguments(const TemplateArguments& arguments, bool channelsLast);
/// Those of a task's operator, channels first.
ConvolutionArguments convolutionArguments(const TemplateSubject& subject);

/// As templates over two axes take them: NCHW, padding (top, left, bottom, right).
TemplateArguments conv2dArguments(const TemplateSubject& subject, TemplateVersion version);

/// As templates for GPUs take them: without the names of layouts.
TemplateArguments conv2dCudaArguments(const TemplateSubject& subject, TemplateVersion version);

/// The task of such arguments: data padded where it has to be.
ComputeDag convolutionTask(const ConvolutionArguments& convolution, bool depthwise,
                           bool channelsLast);

/// A layout per tensor: data N C[ic]c, weights O I[i]i[o]o with the window's axes between, the
/// result N C[oc]c. The last axis of the data may lie behind the block, as conv3d's does.
std::map<int, PackedLayout> packedConvolution(const TemplateSubject& subject, std::int64_t inBlock,
                                              std::int64_t outBlock, bool columnsLast);
/// The same with the blocks of tile_ic and tile_oc, the columns before the block.
std::map<int, PackedLayout> packedConv2d(const TemplateSubject& subject, const KnobValues& knobs);
/// Channels first, and none of them packed: data N C H W, weights O I H W, or C H W where each
/// channel stays by itself, the result N O H W.
std::map<int, PackedLayout> channelsFirstConv2d(const TemplateSubject& subject,
                                                const KnobValues& knobs);
/// "ic", "kd", "kh", "kw", in the order of the reduction's axes.
std::vector<std::string> convolutionReduceNames(const TaskOperator& what);

/// The loops of a convolution's reduction by what they run over.
struct WindowLoops {
  ScheduleBuilder::Loop in;                  // input channels
  std::vector<ScheduleBuilder::Loop> window; // outermost axis first
};
WindowLoops windowLoops(const ScheduleBuilder& s, ScheduleBuilder::Stage sums,
                        const TaskOperator& what);

} // namespace nestwright
