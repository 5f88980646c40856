// Convolutions and poolings: operators over sliding windows.

#include "core/network/graph/operators.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

/// TVM's names of the spatial axes and of the window's axes, by number of spatial axes.
struct WindowNames {
  std::vector<std::string> spatial, window;
  std::string first, last; // layout suffixes
};

const WindowNames& windowNames(int rank) {
  static const WindowNames kNames[] = {
      {{"xx"}, {"rx"}, "ncw", "nwc"},
      {{"yy", "xx"}, {"ry", "rx"}, "nchw", "nhwc"},
      {{"dd", "yy", "xx"}, {"rd", "ry", "rx"}, "ncdhw", "ndhwc"},
  };
  NW_ASSERT(rank >= 1 && rank <= 3, "a window over {} axes", rank);
  return kNames[rank - 1];
}

std::size_t firstSpatial(TensorLayout layout) {
  return layout == TensorLayout::ChannelsLast ? 1 : 2;
}

Op padSpatial(const Op& data, const Window& window, TensorLayout layout, const Expr& value,
              const std::string& name, const std::string& axisPrefix) {
  const std::size_t rank = data->output->shape.size();
  Shape before(rank, 0), after(rank, 0);
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    before[firstSpatial(layout) + a] = window.padsBefore[a];
    after[firstSpatial(layout) + a] = window.padsAfter[a];
  }
  return pad(data, before, after, value, name, axisPrefix);
}

/// A literal of the type of the tensor's elements.
Expr literalFor(const Op& x, std::int64_t value) {
  const DataType type = x->output->type;
  return type.isFloat() ? floatImm(static_cast<double>(value), type) : intImm(value, type);
}

Op depthwiseConvolution2d(const Op& data, const Op& kernel, const Window& window, bool layoutFree,
                          std::int64_t around) {
  const Shape& in = data->output->shape;
  const std::int64_t multiplier = kernel->output->shape[3];
  const Op padded = padSpatial(data, window, TensorLayout::ChannelsLast, literalFor(data, around),
                               "PaddedInput", "i");
  const Shape out{in[0], window.outputs(0, in[1]), window.outputs(1, in[2]), in[3] * multiplier};
  OpAttributes attributes;
  if (layoutFree) attributes.layoutFreeInputs = {kernel->name()};
  return reduce(
      "DepthwiseConv2d", Reducer::Sum, out, {{"di", window.kernel[0]}, {"dj", window.kernel[1]}},
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        const Expr channel = multiplier == 1 ? i[3] : floorDiv(i[3], Expr(multiplier));
        const Expr copy = multiplier == 1 ? Expr(0) : floorMod(i[3], Expr(multiplier));
        const Expr element = read(
            padded, {i[0], windowIndex(i[1], window.strides[0], r[0], window.dilations[0]),
                     windowIndex(i[2], window.strides[1], r[1], window.dilations[1]), channel});
        return widened(element) * widened(read(kernel, {r[0], r[1], channel, copy}));
      },
      {"b", "i", "j", "c"}, attributes);
}

struct ConvAxes {
  std::vector<std::string> names;
  Shape extents;
  std::size_t channel = 0; // position of the output channel
};

ConvAxes convAxes(const Shape& in, std::int64_t outChannels, const Window& window,
                  TensorLayout layout) {
  const WindowNames& names = windowNames(window.rank());
  ConvAxes axes{{"nn"}, {in[0]}, 1};
  if (layout == TensorLayout::ChannelsFirst) {
    axes.names.push_back("ff");
    axes.extents.push_back(outChannels);
  }
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    axes.names.push_back(names.spatial[a]);
    axes.extents.push_back(window.outputs(a, in[firstSpatial(layout) + a]));
  }
  if (layout == TensorLayout::ChannelsLast) {
    axes.channel = axes.names.size();
    axes.names.push_back("ff");
    axes.extents.push_back(outChannels);
  }
  return axes;
}

} // namespace

Op convolution(const Op& data, const Op& kernel, const Window& window, std::int64_t groups,
               TensorLayout layout, bool layoutFree, std::int64_t around) {
  const bool last = layout == TensorLayout::ChannelsLast;
  const Shape& in = data->output->shape;
  const std::int64_t inChannels = last ? in.back() : in[1];
  if (last && groups == inChannels && groups > 1 && window.rank() == 2)
    return depthwiseConvolution2d(data, kernel, window, layoutFree, around);
  const std::int64_t outChannels = last ? kernel->output->shape.back() : kernel->output->shape[0];
  const std::int64_t inPerGroup = inChannels / groups, outPerGroup = outChannels / groups;
  const Op padded = padSpatial(data, window, layout, literalFor(data, around), "pad_temp", "i");
  const WindowNames& names = windowNames(window.rank());
  const ConvAxes axes = convAxes(in, outChannels, window, layout);
  // The order of the sum: the channel innermost when it is contiguous, else outermost.
  std::vector<NamedExtent> sum;
  for (std::size_t a = 0; a < window.kernel.size(); ++a)
    sum.push_back({names.window[a], window.kernel[a]});
  sum.insert(last ? sum.end() : sum.begin(), NamedExtent{"rc", inPerGroup});
  const auto body = [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
    const Expr rc = last ? r.back() : r.front();
    const Expr& out = i[axes.channel];
    const Expr channel =
        groups == 1 ? rc : floorDiv(out, Expr(outPerGroup)) * Expr(inPerGroup) + rc;
    std::vector<Expr> at{i[0]}, weight;
    if (!last) {
      at.push_back(channel);
      weight = {out, rc};
    }
    for (std::size_t a = 0; a < window.kernel.size(); ++a) {
      const Expr& offset = r[last ? a : a + 1];
      at.push_back(
          windowIndex(i[firstSpatial(layout) + a], window.strides[a], offset, window.dilations[a]));
      weight.push_back(offset);
    }
    if (last) {
      at.push_back(channel);
      weight.insert(weight.end(), {rc, out});
    }
    return widened(read(padded, at)) * widened(read(kernel, weight));
  };
  OpAttributes attributes;
  if (last && layoutFree) attributes.layoutFreeInputs = {kernel->name()};
  return reduce(fmt::format("{}conv{}d_{}", groups == 1 ? "" : "group_", window.rank(),
                            last ? names.last : names.first),
                Reducer::Sum, axes.extents, sum, body, axes.names, attributes);
}

namespace {

/// A transposed convolution as a sum over the input with zeros between its elements. Output element
/// y reads the zero-filled input at y + r * dilation - border. Whole input elements are padded
/// around it; `shift` corrects for the remainder.
struct TransposedWindow {
  Shape before, after, shift, outputs; // by spatial axis

  TransposedWindow(const Window& window, const Shape& extents) {
    for (std::size_t a = 0; a < extents.size(); ++a) {
      const std::int64_t stride = window.strides[a];
      const std::int64_t border = window.span(a) - 1 - window.padsBefore[a];
      outputs.push_back(window.transposedOutputs(a, extents[a]));
      before.push_back(std::max<std::int64_t>(0, (border + stride - 1) / stride));
      shift.push_back(before[a] * stride - border);
      const std::int64_t highest = (outputs[a] - 1 + window.span(a) - 1 + shift[a]) / stride;
      after.push_back(std::max<std::int64_t>(0, highest + 1 - extents[a] - before[a]));
    }
  }
};

} // namespace

Op transposedConvolution(const Op& data, const Op& kernel, const Window& window,
                         std::int64_t groups, TensorLayout layout, bool layoutFree) {
  const bool last = layout == TensorLayout::ChannelsLast;
  const std::size_t first = firstSpatial(layout), spatial = window.kernel.size();
  const Shape &in = data->output->shape, &k = kernel->output->shape;
  const std::int64_t perGroup = last ? k.back() : k[1];
  const std::int64_t inChannels = last ? in.back() : in[1], inPerGroup = inChannels / groups;
  const auto start = in.begin() + static_cast<std::ptrdiff_t>(first);
  const TransposedWindow zeros(window, Shape(start, start + window.rank()));
  Window padding = window;
  padding.padsBefore = zeros.before;
  padding.padsAfter = zeros.after;
  const Expr zero = zeroOf(data->output->type);
  const Op padded = padSpatial(data, padding, layout, zero, "pad_temp", "i");
  ConvAxes axes = convAxes(in, perGroup * groups, Window::square(window.rank(), 1, 1, 0), layout);
  std::copy(zeros.outputs.begin(), zeros.outputs.end(),
            axes.extents.begin() + static_cast<std::ptrdiff_t>(first));
  const WindowNames& names = windowNames(window.rank());
  std::vector<NamedExtent> sum;
  for (std::size_t a = 0; a < spatial; ++a)
    sum.push_back({names.window[a], window.kernel[a]});
  sum.push_back({"rc", inPerGroup});
  const auto body = [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
    const Expr& out = i[axes.channel];
    const Expr channel =
        groups == 1 ? r.back() : floorDiv(out, Expr(perGroup)) * Expr(inPerGroup) + r.back();
    const Expr within = groups == 1 ? out : floorMod(out, Expr(perGroup));
    std::vector<Expr> at{i[0]}, weight;
    Expr hits;
    for (std::size_t a = 0; a < spatial; ++a) {
      const Expr stride(window.strides[a]);
      Expr place = windowIndex(i[first + a], 1, r[a], window.dilations[a]);
      if (zeros.shift[a] != 0) place = place + Expr(zeros.shift[a]);
      const Expr hit = equal(floorMod(place, stride), Expr(0));
      hits = hits ? hits && hit : hit;
      at.push_back(floorDiv(place, stride));
      weight.push_back(Expr(window.kernel[a] - 1) - r[a]);
    }
    at.insert(last ? at.end() : at.begin() + 1, channel);
    weight.insert(last ? weight.end() : weight.begin(), {channel, within});
    return widened(ifThenElse(hits, read(padded, at), zero)) * widened(read(kernel, weight));
  };
  OpAttributes attributes;
  if (last && layoutFree) attributes.layoutFreeInputs = {kernel->name()};
  return reduce(fmt::format("{}conv{}d_transpose_{}", groups == 1 ? "" : "group_", window.rank(),
                            last ? names.last : names.first),
                Reducer::Sum, axes.extents, sum, body, axes.names, attributes);
}

Op pool(const Op& data, const Window& window, const Shape& outputExtents, Pooling kind,
        TensorLayout layout) {
  const Shape& in = data->output->shape;
  const DataType type = data->output->type;
  const std::size_t first = firstSpatial(layout);
  Window padding = window;
  Shape out = in;
  std::vector<NamedExtent> axes;
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    out[first + a] = outputExtents[a];
    axes.push_back({fmt::format("rv{}", a), window.kernel[a]});
    // With ceiling rounding the last window may reach beyond the declared padding.
    const std::int64_t needed = (outputExtents[a] - 1) * window.strides[a] + window.span(a) -
                                in[first + a] - window.padsBefore[a];
    padding.padsAfter[a] = std::max(window.padsAfter[a], needed);
  }
  const bool isMax = kind == Pooling::Max;
  const Op padded =
      padSpatial(data, padding, layout, isMax ? lowestOf(type) : zeroOf(type), "pad_temp", "ax");
  Op result = reduce(
      isMax ? "pool_max" : "pool_sum", isMax ? Reducer::Max : Reducer::Sum, out, axes,
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        std::vector<Expr> index = i;
        for (std::size_t a = 0; a < r.size(); ++a)
          index[first + a] =
              windowIndex(i[first + a], window.strides[a], r[a], window.dilations[a]);
        return read(padded, index);
      },
      axisNames(in.size()));
  if (isMax) return result;
  return compute(
      "pool_avg", out,
      [&](const std::vector<Expr>& i) {
        Expr count = Expr(1);
        for (std::size_t a = 0; a < window.kernel.size(); ++a) {
          // The window's part that counts: without padding, only what lies inside the input.
          const bool all = kind == Pooling::AverageWithPadding;
          const std::int64_t low = all ? 0 : window.padsBefore[a];
          const std::int64_t high =
              in[first + a] + window.padsBefore[a] + (all ? window.padsAfter[a] : 0);
          const std::int64_t lastEnd =
              (outputExtents[a] - 1) * window.strides[a] + window.kernel[a];
          if (low == 0 && lastEnd <= high) {
            count = count * Expr(window.kernel[a]);
            continue;
          }
          const Expr& position = i[first + a];
          const Expr start = window.strides[a] == 1 ? position : position * Expr(window.strides[a]);
          count = count * (min(start + Expr(window.kernel[a]), Expr(high)) - max(start, Expr(low)));
        }
        const std::int64_t* fixed = asInt(count);
        return read(result, i) /
               (fixed ? floatImm(static_cast<double>(*fixed), type) : cast(type, count));
      },
      axisNames(in.size()));
}

Op globalAveragePool(const Op& data, TensorLayout layout) {
  const Shape& in = data->output->shape;
  const std::size_t first = firstSpatial(layout);
  const std::size_t rank = in.size() - 2;
  Shape out = in;
  std::vector<NamedExtent> axes;
  std::int64_t count = 1;
  for (std::size_t a = 0; a < rank; ++a) {
    out[first + a] = 1;
    count *= in[first + a];
    axes.push_back({fmt::format("rv{}", a), in[first + a]});
  }
  const Op sum = reduce(
      "adaptive_pool_sum", Reducer::Sum, out, axes,
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        std::vector<Expr> index = i;
        for (std::size_t a = 0; a < rank; ++a)
          index[first + a] = i[first + a] * Expr(in[first + a]) + r[a];
        return read(data, index);
      },
      axisNames(in.size()));
  return compute(
      "adaptive_pool_avg", out,
      [&](const std::vector<Expr>& i) {
        return read(sum, i) / floatImm(static_cast<double>(count), data->output->type);
      },
      axisNames(in.size()));
}

} // namespace nestwright
