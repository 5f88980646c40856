#pragma once
// Small networks with the structure of large ones, for tests that evaluate them slowly.

#include "core/network/zoo/layers.h"

#include <fmt/format.h>

#include <limits>

namespace nestwright {

inline Network tinyResnet() {
  ImageNetworkBuilder net("tiny_resnet", {{"batch", 2}, {"image", 12}});
  NetworkBuilder& b = net.builder();
  PoolAttributes pool;
  pool.window = Window::square(2, 3, 2, 1);
  TensorId x = net.relu(net.batchNorm("bn", net.conv("stem", net.image(), 4, 3, 1, 1)));
  x = b.node(OpKind::MaxPool, {x}, pool, "pool");
  TensorId y = net.relu(net.batchNorm("b1.bn1", net.conv("b1.conv1", x, 4, 3, 1, 1)));
  y = net.batchNorm("b1.bn2", net.conv("b1.conv2", y, 4, 3, 1, 1));
  x = net.relu(b.node(OpKind::Add, {y, x}));
  y = net.relu(net.batchNorm("b2.bn1", net.conv("b2.conv1", x, 6, 3, 2, 1)));
  y = net.batchNorm("b2.bn2", net.conv("b2.conv2", y, 6, 3, 1, 1));
  const TensorId shortcut = net.batchNorm("b2.bn3", net.conv("b2.down", x, 6, 1, 2, 0));
  return net.classifier(net.relu(b.node(OpKind::Add, {y, shortcut})), 5);
}

inline Network tinyMobilenet() {
  ImageNetworkBuilder net("tiny_mobilenet", {{"batch", 1}, {"image", 9}});
  NetworkBuilder& b = net.builder();
  const auto relu6 = [&](TensorId x) { return b.node(OpKind::Clip, {x}, ClipAttributes{0, 6}); };
  const TensorId x = relu6(net.batchNorm("bn", net.conv("stem", net.image(), 4, 3, 2, 1)));
  TensorId y = relu6(net.batchNorm("bn1", net.conv("expand", x, 8, 1, 1, 0)));
  y = relu6(net.batchNorm("bn2", net.conv("depthwise", y, 8, 3, 1, 1, 8)));
  y = net.batchNorm("bn3", net.conv("project", y, 4, 1, 1, 0));
  y = b.node(OpKind::Add, {x, y});
  // Depthwise with a multiplier, and groups.
  y = net.conv("multiplied", y, 8, 3, 2, 1, 4);
  return net.classifier(net.relu(net.conv("grouped", y, 6, 3, 1, 1, 2)), 3);
}

/// Batch norms that follow no convolution, branches that are concatenated, poolings of all kinds,
/// a squeeze-and-excite product, reductions: what the layout pass has to get through.
inline Network tinyBranches() {
  ImageNetworkBuilder net("tiny_branches", {{"batch", 2}, {"image", 8}});
  NetworkBuilder& b = net.builder();
  PoolAttributes average, padded, ceiling;
  average.window = padded.window = Window::square(2, 3, 1, 1);
  padded.countPadding = true;
  ceiling.window = Window::square(2, 3, 2, 0);
  ceiling.ceiling = true;
  const TensorId x = net.relu(net.batchNorm("bn0", net.image()));
  const TensorId left = net.batchNorm("bn1", net.conv("left", x, 4, 3, 1, 1));
  const TensorId right = b.node(OpKind::AveragePool, {x}, average);
  const TensorId third = b.node(OpKind::AveragePool, {x}, padded);
  TensorId y = b.node(OpKind::Concat, {left, right, third}, AxisAttributes{1});
  y = net.relu(net.batchNorm("bn2", y));
  y = b.node(OpKind::MaxPool, {y}, ceiling);
  TensorId squeeze = b.node(OpKind::GlobalAveragePool, {y}, LayoutAttributes{});
  squeeze = b.node(OpKind::Sigmoid, {net.conv("excite", squeeze, 10, 1, 1, 0)});
  y = b.node(OpKind::Mul, {squeeze, y});
  const TensorId means = b.node(OpKind::ReduceMean, {y}, ReduceAttributes{{2, 3}, false});
  const TensorId highest = b.node(OpKind::ReduceMax, {y}, ReduceAttributes{{1}, true});
  b.output(b.node(OpKind::Softmax, {means}, AxisAttributes{1}));
  b.output(b.reshape(highest, {2, 16}));
  b.output(b.slice(y, {{0, 1, 3, 0}, {1, 2, -1, 1}}, {2, 4, 4, 4}));
  return b.finish();
}

/// Batch norms behind convolutions that have a bias of their own, on either side of the addition,
/// also in groups and transposed, and behind an addition that is none.
inline Network tinyBiasedNorms() {
  ImageNetworkBuilder net("tiny_biased_norms", {{"batch", 2}, {"image", 6}});
  NetworkBuilder& b = net.builder();
  const auto bias = [&](const char* name, std::int64_t channels) {
    return b.constant(name, {channels, 1, 1}, uniformConstant({channels, 1, 1}, 1, 3, 9), kFloat32,
                      true);
  };
  TensorId x = net.conv("behind", net.image(), 4, 3, 1, 1);
  x = net.relu(net.batchNorm("bn1", b.node(OpKind::Add, {x, bias("bias1", 4)})));
  x = net.conv("in_front", x, 6, 3, 1, 1, 2);
  x = net.relu(net.batchNorm("bn2", b.node(OpKind::Add, {bias("bias2", 6), x})));
  const TensorId kernel =
      b.constant("up", {6, 4, 2, 2}, uniformConstant({6, 4, 2, 2}, -1, 1, 5), kFloat32, true);
  x = b.node(OpKind::ConvTranspose, {x, kernel}, ConvAttributes{Window::square(2, 2, 2, 0), 1});
  x = net.batchNorm("bn3", b.node(OpKind::Add, {x, bias("bias3", 4)}));
  const TensorId image =
      b.constant("image", {4, 12, 12}, uniformConstant({4, 12, 12}, -1, 1, 6), kFloat32, true);
  b.output(net.batchNorm("bn4", b.node(OpKind::Add, {x, image})));
  return b.finish();
}

/// What enlarges images: padding of all kinds, a transposed convolution in groups, resizing; and
/// comparisons, gathers by element and the logarithm of softmax behind it.
inline Network tinyDecoder() {
  ImageNetworkBuilder net("tiny_decoder", {{"batch", 2}, {"image", 5}});
  NetworkBuilder& b = net.builder();
  TensorId x = net.relu(net.conv("stem", net.image(), 4, 3, 1, 1));
  PadAttributes mirror{{0, 0, 1, 2}, {0, 0, 2, 0}, PadAttributes::Mode::Reflect};
  PadAttributes edge{{0, 0, 0, 1}, {0, 0, 1, 1}, PadAttributes::Mode::Edge};
  PadAttributes zeros{{0, 1, 0, 0}, {0, 1, 2, 0}, PadAttributes::Mode::Constant, 0.5};
  x = b.node(OpKind::Pad, {x}, mirror); // 8 x 7
  ConvAttributes up{{{3, 2}, {2, 3}, {1, 0}, {0, -1}, {1, 2}}, 2};
  const TensorId kernel = b.constant("up", {4, 3, 3, 2}, uniformConstant({4, 3, 3, 2}, -1, 1, 5));
  x = b.node(OpKind::ConvTranspose, {x, kernel}, up); // [2, 6, 16, 22]
  const TensorId rows = b.constant("rows", {4}, intConstant({4}, {0, 3, 3, -1}), kInt64);
  x = b.node(OpKind::Gather, {x, rows}, AxisAttributes{2});
  x = b.node(OpKind::Pad, {b.node(OpKind::Pad, {x}, edge)}, zeros); // [2, 8, 7, 24]
  const TensorId lowest = b.node(OpKind::ReduceMin, {x}, ReduceAttributes{{2}, true});
  const TensorId above = b.node(OpKind::Less, {lowest, x});
  b.output(b.node(OpKind::Where, {above, x, b.scalar(0.25F)}));
  const TensorId picks = b.constant("picks", {2, 8, 2, 1}, Constant::lazy([] {
                                      std::vector<std::int64_t> at(32);
                                      for (std::size_t i = 0; i < at.size(); ++i)
                                        at[i] = static_cast<std::int64_t>(i % 7) - 3;
                                      return Array{{2, 8, 2, 1}, std::move(at)};
                                    }),
                                    kInt64);
  b.output(b.node(OpKind::GatherElements, {x, picks}, AxisAttributes{2}));
  b.output(b.node(OpKind::LogSoftmax, {b.reshape(x, {2, 8, 168})}, AxisAttributes{2}));
  return b.finish();
}

/// Channels that are split, put together again and shuffled, and a chain that moves elements
/// through many shapes.
inline Network tinyShuffle() {
  ImageNetworkBuilder net("tiny_shuffle", {{"batch", 2}, {"image", 5}});
  NetworkBuilder& b = net.builder();
  TensorId x = net.relu(net.conv("stem", net.image(), 12, 3, 1, 1));
  for (const std::int64_t groups : {2, 3}) {
    const TensorId left = b.slice(x, {{0, 0, 0, 0}, {1, 1, 1, 1}}, {2, 6, 5, 5});
    TensorId right = b.slice(x, {{0, 6, 0, 0}, {1, 1, 1, 1}}, {2, 6, 5, 5});
    right = net.relu(net.conv(fmt::format("conv{}", groups), right, 6, 1, 1, 0));
    x = b.reshape(net.concat({left, right}), {2, groups, 12 / groups, 5, 5});
    x = b.reshape(b.transpose(x, {0, 2, 1, 3, 4}), {2, 12, 5, 5});
  }
  b.output(net.relu(x));
  // A chain whose nodes differ in shape: element-wise, then moved, then broadcast and scaled.
  TensorId y = b.node(OpKind::Exp, {b.node(OpKind::Neg, {net.image()})});
  y = b.node(OpKind::Mul, {y, y});
  y = b.transpose(b.reshape(y, {2, 3, 25}), {2, 0, 1});
  y = b.reshape(y, {5, 10, 3});
  y = b.node(OpKind::Add, {b.expand(b.reshape(y, {1, 5, 10, 3}), {4, 5, 10, 3}), b.scalar(1)});
  b.output(b.node(OpKind::Mul, {y, b.slice(y, {{0, 0, 9, 0}, {1, 1, -1, 1}}, {4, 5, 10, 3})}));
  return b.finish();
}

/// Padding as nodes of their own in front of windows: what can become the window's padding, and
/// what cannot (other values, edges, an average that leaves its own padding out).
inline Network tinyPads() {
  ImageNetworkBuilder net("tiny_pads", {{"batch", 2}, {"image", 6}});
  NetworkBuilder& b = net.builder();
  const auto pad = [&](TensorId x, double value, PadAttributes::Mode mode) {
    return b.node(OpKind::Pad, {x}, PadAttributes{{0, 0, 1, 0}, {0, 0, 2, 1}, mode, value});
  };
  constexpr auto kConstant = PadAttributes::Mode::Constant;
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  const auto pool = [&](OpKind kind, TensorId x, std::int64_t own, bool ceiling, bool count) {
    return b.node(kind, {x}, PoolAttributes{Window::square(2, 3, 2, own), ceiling, count});
  };
  const TensorId x = net.image(), zeros = pad(x, 0, kConstant);
  b.output(net.conv("conv", zeros, 4, 3, 1, 1));
  b.output(net.conv("ones", pad(x, 1, kConstant), 4, 3, 1, 1));
  b.output(net.conv("edge", pad(x, 0, PadAttributes::Mode::Edge), 4, 3, 1, 1));
  b.output(pool(OpKind::MaxPool, zeros, 0, false, false));
  b.output(pool(OpKind::MaxPool, pad(x, kLowest, kConstant), 1, false, false));
  for (const std::int64_t own : {0, 1})
    for (const bool ceiling : {false, true})
      for (const bool count : {false, true})
        b.output(pool(OpKind::AveragePool, zeros, own, ceiling, count));
  b.output(b.node(OpKind::MaxPool, {x}, PoolAttributes{Window::square(2, 1, 1, 0)}));
  return b.finish();
}

inline Network tinyBert(std::int64_t batch) {
  return buildBert({"tiny_bert", 1, 16, 2, 24}, {{"batch", batch}, {"sequence", 4}});
}

/// A layer norm and a GELU written out, and attention with transposes that the products absorb,
/// scaled and masked in the way in which nn.TransformerEncoder does it.
inline Network tinyAttention() {
  NetworkBuilder b("tiny_attention");
  const auto weight = [&](const char* name, Shape shape) {
    return b.constant(name, shape, uniformConstant(shape, -1, 1, weightSeed("tiny", name)),
                      kFloat32, true);
  };
  const std::int64_t batch = 2, sequence = 3, hidden = 8, heads = 2;
  const TensorId x = b.input("x", {batch, sequence, hidden});
  const TensorId mean = b.node(OpKind::ReduceMean, {x}, ReduceAttributes{{2}, true});
  const TensorId centred = b.node(OpKind::Sub, {x, mean});
  const TensorId variance =
      b.node(OpKind::ReduceMean, {b.node(OpKind::Pow, {centred, b.scalar(2)})},
             ReduceAttributes{{2}, true});
  const TensorId deviation =
      b.node(OpKind::Sqrt, {b.node(OpKind::Add, {variance, b.scalar(1e-5F)})});
  TensorId norm =
      b.node(OpKind::Mul, {b.node(OpKind::Div, {centred, deviation}), weight("g", {hidden})});
  norm = b.node(OpKind::Add, {norm, weight("b", {hidden})});
  // [batch, sequence, hidden] -> [sequence, batch, hidden], as batch_first = False has it
  const TensorId turned = b.transpose(norm, {1, 0, 2});
  const auto project = [&](const char* name) {
    const TensorId dense =
        b.node(OpKind::MatMul, {turned, weight(name, {hidden, hidden})}, MatMulAttributes{});
    const TensorId parts = b.reshape(dense, {sequence, batch * heads, hidden / heads});
    return b.transpose(parts, {1, 0, 2});
  };
  const TensorId query = b.node(OpKind::Div, {project("q"), b.scalar(2)});
  const TensorId key = b.transpose(project("k"), {0, 2, 1}), value = project("v");
  TensorId scores = b.node(OpKind::MatMul, {query, key}, MatMulAttributes{});
  scores = b.reshape(scores, {batch, heads, sequence, sequence});
  scores = b.node(OpKind::Add, {scores, weight("mask", {batch, 1, 1, sequence})});
  const TensorId soft = b.reshape(b.node(OpKind::Softmax, {scores}, AxisAttributes{3}),
                                  {batch * heads, sequence, sequence});
  const TensorId context = b.node(OpKind::MatMul, {soft, value}, MatMulAttributes{});
  const TensorId merged = b.reshape(b.transpose(context, {1, 0, 2}), {sequence * batch, hidden});
  const TensorId dense =
      b.node(OpKind::MatMul, {merged, weight("o", {hidden, hidden})}, MatMulAttributes{});
  const TensorId back = b.transpose(b.reshape(dense, {sequence, batch, hidden}), {1, 0, 2});
  const TensorId sum = b.node(OpKind::Add, {x, back});
  const TensorId erf = b.node(OpKind::Erf, {b.node(OpKind::Div, {sum, b.scalar(1.41421356F)})});
  const TensorId gelu = b.node(OpKind::Mul, {sum, b.node(OpKind::Add, {erf, b.scalar(1)})});
  b.output(b.node(OpKind::Mul, {gelu, b.scalar(0.5F)}));
  return b.finish();
}

} // namespace nestwright
