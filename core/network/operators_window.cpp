// Convolutions and poolings: operators over sliding windows.

#include "core/network/operators.h"
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

std::size_t firstSpatial(Layout layout) {
  return layout == Layout::ChannelsLast ? 1 : 2;
}

/// `position * stride + offset * dilation` without factors of one.
Expr windowIndex(const Expr& position, std::int64_t stride, const Expr& offset,
                 std::int64_t dilation) {
  const Expr base = stride == 1 ? position : position * Expr(stride);
  return base + (dilation == 1 ? offset : offset * Expr(dilation));
}

Op padSpatial(const Op& data, const Window& window, Layout layout, const Expr& value,
              const std::string& name, const std::string& axisPrefix) {
  const std::size_t rank = data->output->shape.size();
  Shape before(rank, 0), after(rank, 0);
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    before[firstSpatial(layout) + a] = window.padsBefore[a];
    after[firstSpatial(layout) + a] = window.padsAfter[a];
  }
  return pad(data, before, after, value, name, axisPrefix);
}

Op depthwiseConvolution2d(const Op& data, const Op& kernel, const Window& window, bool layoutFree) {
  const Shape& in = data->output->shape;
  const std::int64_t multiplier = kernel->output->shape[3];
  const Op padded = padSpatial(data, window, Layout::ChannelsLast, zeroOf(data->output->type),
                               "PaddedInput", "i");
  const Shape out{in[0], window.outputs(0, in[1]), window.outputs(1, in[2]), in[3] * multiplier};
  OpAttributes attributes;
  if (layoutFree) attributes.layoutFreeInputs = {kernel->name()};
  return reduce(
      "DepthwiseConv2d", Reducer::Sum, out, {{"di", window.kernel[0]}, {"dj", window.kernel[1]}},
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        const Expr channel = multiplier == 1 ? i[3] : floorDiv(i[3], Expr(multiplier));
        const Expr copy = multiplier == 1 ? Expr(0) : floorMod(i[3], Expr(multiplier));
        return read(padded,
                    {i[0], windowIndex(i[1], window.strides[0], r[0], window.dilations[0]),
                     windowIndex(i[2], window.strides[1], r[1], window.dilations[1]), channel}) *
               read(kernel, {r[0], r[1], channel, copy});
      },
      {"b", "i", "j", "c"}, attributes);
}

struct ConvAxes {
  std::vector<std::string> names;
  Shape extents;
  std::size_t channel = 0; // position of the output channel
};

ConvAxes convAxes(const Shape& in, std::int64_t outChannels, const Window& window, Layout layout) {
  const WindowNames& names = windowNames(window.rank());
  ConvAxes axes{{"nn"}, {in[0]}, 1};
  if (layout == Layout::ChannelsFirst) {
    axes.names.push_back("ff");
    axes.extents.push_back(outChannels);
  }
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    axes.names.push_back(names.spatial[a]);
    axes.extents.push_back(window.outputs(a, in[firstSpatial(layout) + a]));
  }
  if (layout == Layout::ChannelsLast) {
    axes.channel = axes.names.size();
    axes.names.push_back("ff");
    axes.extents.push_back(outChannels);
  }
  return axes;
}

} // namespace

Op convolution(const Op& data, const Op& kernel, const Window& window, std::int64_t groups,
               Layout layout, bool layoutFree) {
  const bool last = layout == Layout::ChannelsLast;
  const Shape& in = data->output->shape;
  const std::int64_t inChannels = last ? in.back() : in[1];
  if (last && groups == inChannels && groups > 1 && window.rank() == 2)
    return depthwiseConvolution2d(data, kernel, window, layoutFree);
  const std::int64_t outChannels = last ? kernel->output->shape.back() : kernel->output->shape[0];
  const std::int64_t inPerGroup = inChannels / groups, outPerGroup = outChannels / groups;
  const Op padded = padSpatial(data, window, layout, zeroOf(data->output->type), "pad_temp", "i");
  const WindowNames& names = windowNames(window.rank());
  const ConvAxes axes = convAxes(in, outChannels, window, layout);
  // The order of the sum: the channel innermost when it is contiguous, else outermost.
  std::vector<NamedExtent> sum;
  for (std::size_t a = 0; a < window.kernel.size(); ++a)
    sum.push_back({names.window[a], window.kernel[a]});
  sum.insert(last ? sum.end() : sum.begin(), NamedExtent{"rc", inPerGroup});
  const auto body = [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
    const Expr rc = last ? r.back() : r.front();
    const Expr out = i[axes.channel];
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
    return read(padded, at) * read(kernel, weight);
  };
  OpAttributes attributes;
  if (last && layoutFree) attributes.layoutFreeInputs = {kernel->name()};
  return reduce(fmt::format("{}conv{}d_{}", groups == 1 ? "" : "group_", window.rank(),
                            last ? names.last : names.first),
                Reducer::Sum, axes.extents, sum, body, axes.names, attributes);
}

Op transposedConvolution2d(const Op& data, const Op& kernel, std::int64_t stride,
                           std::int64_t padding) {
  const Shape& in = data->output->shape;
  const Shape& k = kernel->output->shape;
  // Output element h sums kernel elements over the input with stride-1 zeros between its elements
  // and k-1-pad zeros around it. Whole inputs are padded; `shift` corrects for the remainder.
  Shape before(4, 0), after(4, 0), out{in[0], 0, 0, k[3]}, shift(2, 0);
  for (std::size_t a = 0; a < 2; ++a) {
    const std::int64_t border = k[a] - 1 - padding;
    out[a + 1] = (in[a + 1] - 1) * stride - 2 * padding + k[a];
    before[a + 1] = (border + stride - 1) / stride;
    shift[a] = before[a + 1] * stride - border;
    const std::int64_t highest = (out[a + 1] - 1 + k[a] - 1 + shift[a]) / stride;
    after[a + 1] = std::max<std::int64_t>(0, highest + 1 - in[a + 1] - before[a + 1]);
  }
  const Expr zero = zeroOf(data->output->type);
  const Op padded = pad(data, before, after, zero);
  OpAttributes attributes;
  attributes.layoutFreeInputs = {kernel->name()};
  return reduce(
      "conv2d_transpose_nhwc", Reducer::Sum, out, {{"ry", k[0]}, {"rx", k[1]}, {"rc", k[2]}},
      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
        const auto along = [&](std::size_t a) {
          const Expr sum = i[a + 1] + r[a];
          return shift[a] == 0 ? sum : sum + Expr(shift[a]);
        };
        const Expr y = along(0), x = along(1);
        const Expr hits =
            equal(floorMod(y, Expr(stride)), Expr(0)) && equal(floorMod(x, Expr(stride)), Expr(0));
        const Expr element =
            read(padded, {i[0], floorDiv(y, Expr(stride)), floorDiv(x, Expr(stride)), r[2]});
        return ifThenElse(hits, element, zero) *
               read(kernel, {Expr(k[0] - 1) - r[0], Expr(k[1] - 1) - r[1], r[2], i[3]});
      },
      {"nn", "yy", "xx", "ff"}, attributes);
}

Op pool(const Op& data, const Window& window, const Shape& outputExtents, Pooling kind,
        Layout layout) {
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
  const Op result = reduce(
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

Op globalAveragePool(const Op& data, Layout layout) {
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
