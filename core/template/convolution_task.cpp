#include "core/template/convolution_task.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <algorithm>

namespace nestwright {

namespace {

using Shape = std::vector<std::int64_t>;

Shape perAxis(const TemplateArguments& arguments, std::size_t argument, std::size_t axes,
              const char* what) {
  Shape numbers = arguments.numberOrNumbers(argument, axes);
  if (numbers.size() != axes)
    throw InputError(fmt::format("{} of a convolution have {}, not {}", what,
                                 quantity(std::ssize(numbers), "number"), axes));
  return numbers;
}

/// Channels first, whatever the order in the arguments.
Shape channelsFirst(Shape shape, bool last) {
  if (last) std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  return shape;
}
Shape kernelChannelsFirst(Shape shape, bool last) {
  if (!last) return shape;
  std::rotate(shape.begin(), shape.end() - 2, shape.end()); // the window's axes to the end
  std::swap(shape[0], shape[1]);
  return shape;
}

std::vector<Expr> reordered(const std::vector<Expr>& channelsFirst, bool last) {
  std::vector<Expr> indices = channelsFirst;
  if (last) std::rotate(indices.begin() + 1, indices.begin() + 2, indices.end());
  return indices;
}

Op padded(const Op& data, const ConvolutionArguments& c, bool channelsLast) {
  Shape shape = data->output->shape;
  const std::size_t first = channelsLast ? 1 : 2;
  for (std::size_t a = 0; a < c.strides.size(); ++a)
    shape[first + a] += c.padsBefore[a] + c.padsAfter[a];
  if (shape == data->output->shape) return data;
  return compute("pad_temp", shape, [&](const std::vector<Expr>& i) {
    std::vector<Expr> at = i;
    Expr inside;
    const auto require = [&](const Expr& e) { inside = inside ? inside && e : e; };
    for (std::size_t a = 0; a < c.strides.size(); ++a) {
      const std::int64_t before = c.padsBefore[a], extent = data->output->shape[first + a];
      if (before > 0) {
        require(i[first + a] >= Expr(before));
        at[first + a] = i[first + a] - Expr(before);
      }
      if (c.padsAfter[a] > 0) require(i[first + a] < Expr(extent + before));
    }
    return ifThenElse(inside, read(data, at), zeroOf(data->output->type));
  });
}

void requireSane(const ConvolutionArguments& c, bool depthwise) {
  if (depthwise && c.kernel[1] != 1)
    throw InputError(fmt::format("a depthwise convolution with {} kernels a channel has no program "
                                 "of its template",
                                 c.kernel[1]));
  if (c.data[1] != c.kernel[depthwise ? 0 : 1])
    throw InputError(fmt::format("a kernel for {} does not fit data of {}",
                                 quantity(c.kernel[depthwise ? 0 : 1], "channel"), c.data[1]));
  for (const Shape* pads : {&c.padsBefore, &c.padsAfter})
    if (std::ranges::any_of(*pads, [](std::int64_t n) { return n < 0; }))
      throw InputError("the padding of a convolution is negative");
}

/// "ow" of {"od", "oh", "ow"}: the names of the last axes.
std::string axisName(char kind, std::size_t axis, std::size_t axes) {
  constexpr std::string_view kAxes = "dhw";
  return {kind, kAxes[kAxes.size() - axes + axis]};
}

} // namespace

std::int64_t ConvolutionArguments::output(std::size_t axis) const {
  return slidingExtent(data[2 + axis], kernel[2 + axis], strides[axis],
                       padsBefore[axis] + padsAfter[axis], dilations[axis]);
}

ConvolutionArguments convolutionArguments(const TemplateArguments& arguments, std::size_t axes,
                                          bool channelsLast, std::size_t type) {
  ConvolutionArguments c;
  c.data = channelsFirst(arguments.shape(0, axes + 2), channelsLast);
  c.kernel = kernelChannelsFirst(arguments.shape(1, axes + 2), channelsLast);
  c.strides = perAxis(arguments, 2, axes, "strides");
  c.dilations = perAxis(arguments, 4, axes, "dilations");
  const Shape pads = arguments.numberOrNumbers(3, axes);
  if (pads.size() != axes && pads.size() != 2 * axes)
    throw InputError(fmt::format("the padding of a convolution has {}, not {} or {}",
                                 quantity(std::ssize(pads), "number"), axes, 2 * axes));
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(axes);
  c.padsBefore.assign(pads.begin(), half);
  c.padsAfter = pads.size() == axes ? c.padsBefore : Shape(half, pads.end());
  c.dataType = arguments.type(0);
  c.kernelType = arguments.type(1);
  c.resultType = arguments.namedType(type, c.dataType);
  for (std::size_t axis = 0; axis < axes; ++axis)
    (void)c.output(axis); // refuses a window that does not slide
  return c;
}

ConvolutionArguments convolutionArguments(const TemplateSubject& subject) {
  const TaskOperator& what = *subject.what;
  const ComputeDag& task = *subject.task;
  ConvolutionArguments c;
  const auto extent = [&](int place, int dimension) { return extentOf(task, place, dimension); };
  c.data = {extent(what.input, what.dataRoles.batch[0]), extent(what.input, what.dataRoles.in)};
  c.kernel = {extent(what.weights, what.weightRoles.out),
              what.weightRoles.in < 0 ? 1 : extent(what.weights, what.weightRoles.in)};
  for (const int dimension : what.dataRoles.spatial)
    c.data.push_back(extent(what.input, dimension));
  for (const int dimension : what.weightRoles.spatial)
    c.kernel.push_back(extent(what.weights, dimension));
  c.strides = what.window.strides;
  c.dilations = what.window.dilations;
  c.padsBefore = what.window.padsBefore;
  c.padsAfter = what.window.padsAfter;
  c.dataType = subject.op(what.data).output->type;
  c.kernelType = subject.op(what.weights).output->type;
  c.resultType = subject.op(what.op).output->type;
  return c;
}

ConvolutionArguments conv3dArguments(const TemplateArguments& arguments, bool channelsLast) {
  constexpr std::size_t kAxes = 3, kGroups = 5;
  const bool hasGroups =
      arguments.isGiven(kGroups) && arguments.list()[kGroups].is_number_integer();
  if (hasGroups && arguments.list()[kGroups] != 1)
    throw InputError(fmt::format("a convolution over three axes in {} groups has no program of "
                                 "its template",
                                 arguments.list()[kGroups].dump()));
  return convolutionArguments(arguments, kAxes, channelsLast, hasGroups ? kGroups + 1 : kGroups);
}

TemplateArguments conv2dArguments(const TemplateSubject& subject, TemplateVersion) {
  const ConvolutionArguments c = convolutionArguments(subject);
  Shape pads = c.padsBefore;
  pads.insert(pads.end(), c.padsAfter.begin(), c.padsAfter.end());
  return TemplateArguments({tensorArgument(c.data, c.dataType),
                            tensorArgument(c.kernel, c.kernelType), c.strides, pads, c.dilations,
                            "NCHW", "NCHW", toString(c.resultType)});
}

TemplateArguments conv2dCudaArguments(const TemplateSubject& subject, TemplateVersion version) {
  constexpr std::size_t kLayouts = 5; // two of them, before the type
  nlohmann::json list = conv2dArguments(subject, version).list();
  list.erase(list.begin() + kLayouts, list.begin() + kLayouts + 2);
  return TemplateArguments(std::move(list));
}

ComputeDag convolutionTask(const ConvolutionArguments& c, bool depthwise, bool channelsLast) {
  requireSane(c, depthwise);
  const std::size_t axes = c.strides.size();
  Shape dataShape = c.data, kernelShape = c.kernel, result{c.data[0], c.kernel[0]};
  std::vector<std::string> names{"nn", "ff"};
  std::vector<NamedExtent> reduced;
  if (!depthwise) reduced.push_back({"rc", c.data[1]});
  for (std::size_t a = 0; a < axes; ++a) {
    result.push_back(c.output(a));
    names.push_back(axisName('o', a, axes));
    reduced.push_back({axisName('k', a, axes), c.kernel[2 + a]});
  }
  if (channelsLast) {
    for (Shape* shape : {&dataShape, &result})
      std::rotate(shape->begin() + 1, shape->begin() + 2, shape->end());
    std::rotate(names.begin() + 1, names.begin() + 2, names.end());
    std::rotate(kernelShape.begin(), kernelShape.begin() + 2, kernelShape.end());
    std::swap(kernelShape[axes], kernelShape[axes + 1]);
  }
  const Op data = padded(placeholder("data", dataShape, c.dataType), c, channelsLast);
  const Op kernel = placeholder("kernel", kernelShape, c.kernelType);
  const auto asResult = [&](const Expr& value) {
    return value->type == c.resultType ? value : cast(c.resultType, value);
  };
  const Op convolution = reduce(
      depthwise ? "DepthwiseConv2d" : fmt::format("conv{}d", axes), Reducer::Sum, result, reduced,
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        const std::size_t firstAxis = channelsLast ? 1 : 2;
        const Expr& out = i[channelsLast ? axes + 1 : 1];
        std::vector<Expr> at{i[0], depthwise ? out : r[0]}, window;
        for (std::size_t a = 0; a < axes; ++a) {
          window.push_back(r[depthwise ? a : a + 1]);
          at.push_back(windowIndex(i[firstAxis + a], c.strides[a], window[a], c.dilations[a]));
        }
        std::vector<Expr> weight = window;
        const Expr in = depthwise ? Expr(0) : r[0];
        if (channelsLast)
          weight.insert(weight.end(), {in, out});
        else
          weight.insert(weight.begin(), {out, in});
        return asResult(read(data, reordered(at, channelsLast))) * asResult(read(kernel, weight));
      },
      names);
  return ComputeDag::fromOutputs({convolution});
}

std::map<int, PackedLayout> packedConvolution(const TemplateSubject& subject, std::int64_t inBlock,
                                              std::int64_t outBlock, bool columnsLast) {
  const TaskOperator& what = *subject.what;
  const std::size_t axes = what.dataRoles.spatial.size();
  const DimensionRoles &out = what.resultRoles, &in = what.dataRoles, &kernel = what.weightRoles;
  LayoutMaker result(subject.shape(what.op)), data(subject.shape(what.data)),
      weights(subject.shape(what.weights));
  result.whole(out.batch[0], "n").chunk(out.out, outBlock, "oc");
  data.whole(in.batch[0], "n").chunk(in.in, inBlock, "ic");
  weights.chunk(kernel.out, outBlock, "oc");
  if (kernel.in >= 0) weights.chunk(kernel.in, inBlock, "ic");
  for (std::size_t a = 0; a < axes; ++a) {
    result.whole(out.spatial[a], axisName('o', a, axes));
    if (columnsLast && a + 1 == axes) data.block(in.in, inBlock);
    data.whole(in.spatial[a], axisName('i', a, axes));
    weights.whole(kernel.spatial[a], axisName('k', a, axes));
  }
  result.block(out.out, outBlock);
  if (!columnsLast) data.block(in.in, inBlock);
  if (kernel.in >= 0) weights.block(kernel.in, inBlock);
  weights.block(kernel.out, outBlock);
  return {{what.op, result.layout()}, {what.data, data.layout()}, {what.weights, weights.layout()}};
}

std::map<int, PackedLayout> packedConv2d(const TemplateSubject& subject, const KnobValues& knobs) {
  return packedConvolution(subject, knobs.innermost("tile_ic"), knobs.innermost("tile_oc"), false);
}

std::map<int, PackedLayout> channelsFirstConv2d(const TemplateSubject& subject, const KnobValues&) {
  const TaskOperator& what = *subject.what;
  const DimensionRoles &out = what.resultRoles, &in = what.dataRoles, &kernel = what.weightRoles;
  LayoutMaker result(subject.shape(what.op)), data(subject.shape(what.data)),
      weights(subject.shape(what.weights));
  result.whole(out.batch[0], "n").whole(out.out, "oc");
  data.whole(in.batch[0], "n").whole(in.in, "ic");
  weights.whole(kernel.out, "oc");
  if (kernel.in >= 0) weights.whole(kernel.in, "ic");
  const std::size_t axes = in.spatial.size();
  for (std::size_t a = 0; a < axes; ++a) {
    result.whole(out.spatial[a], axisName('o', a, axes));
    data.whole(in.spatial[a], axisName('i', a, axes));
    weights.whole(kernel.spatial[a], axisName('k', a, axes));
  }
  return {{what.op, result.layout()}, {what.data, data.layout()}, {what.weights, weights.layout()}};
}

std::vector<std::string> convolutionReduceNames(const TaskOperator& what) {
  const std::size_t axes = what.summedRoles.spatial.size();
  std::vector<std::string> names(axes + (what.summedRoles.in < 0 ? 0 : 1));
  if (what.summedRoles.in >= 0) names[static_cast<std::size_t>(what.summedRoles.in)] = "ic";
  for (std::size_t a = 0; a < axes; ++a)
    names[static_cast<std::size_t>(what.summedRoles.spatial[a])] = axisName('k', a, axes);
  return names;
}

WindowLoops windowLoops(const ScheduleBuilder& s, ScheduleBuilder::Stage sums,
                        const TaskOperator& what) {
  WindowLoops loops{s.reduceAxis(sums, std::max(0, what.summedRoles.in)), {}};
  for (const int axis : what.summedRoles.spatial)
    loops.window.push_back(s.reduceAxis(sums, axis));
  return loops;
}

} // namespace nestwright
