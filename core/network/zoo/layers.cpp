#include "core/network/zoo/layers.h"

#include "core/support/hash.h"

namespace nestwright {

std::uint64_t weightSeed(const std::string& network, const std::string& weight) {
  return hash64(weight, hash64(network));
}

TensorId denseLayer(NetworkBuilder& builder, const std::string& network, const std::string& name,
                    TensorId x, std::int64_t outputs) {
  const std::int64_t inputs = builder.tensor(x).shape.back();
  const Shape shape{inputs, outputs};
  const std::string weightName = name + ".weight", biasName = name + ".bias";
  const TensorId weight = builder.constant(
      weightName, shape, scaledConstant(shape, inputs, 1, weightSeed(network, weightName)),
      kFloat32, true);
  const TensorId bias = builder.constant(
      biasName, {outputs}, uniformConstant({outputs}, -0.1, 0.1, weightSeed(network, biasName)),
      kFloat32, true);
  const TensorId product = builder.node(OpKind::MatMul, {x, weight}, MatMulAttributes{}, name);
  return builder.node(OpKind::Add, {product, bias}, {}, biasName);
}

ImageNetworkBuilder::ImageNetworkBuilder(std::string name, const ParameterValues& parameters,
                                         double epsilon)
    : ImageNetworkBuilder(
          std::move(name), parameters,
          {parameters.at("batch"), 3, parameters.at("image"), parameters.at("image")}, epsilon) {}

ImageNetworkBuilder::ImageNetworkBuilder(std::string name, const ParameterValues& parameters,
                                         const Shape& input, double epsilon)
    : builder_(std::move(name), parameters), image_(builder_.input("input", input)),
      epsilon_(epsilon) {}

TensorId ImageNetworkBuilder::weight(const std::string& name, const Shape& shape, Constant value) {
  return builder_.constant(name, shape, std::move(value), kFloat32, true);
}

TensorId ImageNetworkBuilder::conv(const std::string& name, TensorId x, std::int64_t outChannels,
                                   const Window& window, std::int64_t groups) {
  const std::int64_t perGroup = channels(x) / groups;
  Shape shape{outChannels, perGroup};
  shape.insert(shape.end(), window.kernel.begin(), window.kernel.end());
  const std::string weightName = name + ".weight";
  const TensorId weights = weight(weightName, shape,
                                  scaledConstant(shape, perGroup * elementCount(window.kernel), 2,
                                                 weightSeed("image", weightName)));
  return builder_.node(OpKind::Conv, {x, weights}, ConvAttributes{window, groups}, name);
}

TensorId ImageNetworkBuilder::conv(const std::string& name, TensorId x, std::int64_t outChannels,
                                   std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                                   std::int64_t groups) {
  return conv(name, x, outChannels, Window::square(axes(), kernel, stride, pad), groups);
}

TensorId ImageNetworkBuilder::bias(const std::string& name, TensorId x) {
  Shape shape(builder_.tensor(x).shape.size() - 1, 1);
  shape[0] = channels(x);
  const TensorId values =
      weight(name, shape, uniformConstant(shape, -0.1, 0.1, weightSeed("image", name)));
  return builder_.node(OpKind::Add, {x, values}, {}, name);
}

TensorId ImageNetworkBuilder::batchNorm(const std::string& name, TensorId x, bool withScale) {
  const Shape shape{channels(x)};
  const auto random = [&](const char* part, double low, double high) {
    return uniformConstant(shape, low, high, weightSeed("image", name + part));
  };
  const TensorId scale = withScale
                             ? weight(name + ".scale", shape, random(".scale", 0.5, 1.5))
                             : builder_.constant(name + ".scale", shape, filledConstant(shape, 1));
  const TensorId shift = weight(name + ".shift", shape, random(".shift", -0.1, 0.1));
  // Running statistics are no parameters: training measures them, it does not learn them.
  const TensorId mean = builder_.constant(name + ".mean", shape, random(".mean", -0.1, 0.1));
  const TensorId variance =
      builder_.constant(name + ".variance", shape, random(".variance", 0.5, 1.5));
  return builder_.node(OpKind::BatchNorm, {x, scale, shift, mean, variance},
                       BatchNormAttributes{epsilon_}, name);
}

TensorId ImageNetworkBuilder::relu(TensorId x) {
  return builder_.node(OpKind::Relu, {x});
}

TensorId ImageNetworkBuilder::clip(TensorId x, double low, double high) {
  return builder_.node(OpKind::Clip, {x}, ClipAttributes{low, high});
}

TensorId ImageNetworkBuilder::hardSigmoid(TensorId x) {
  const TensorId scaled = builder_.node(OpKind::Mul, {x, builder_.scalar(1.0f / 6)});
  return clip(builder_.node(OpKind::Add, {scaled, builder_.scalar(0.5f)}), 0, 1);
}

TensorId ImageNetworkBuilder::hardSwish(TensorId x) {
  return builder_.node(OpKind::Mul, {x, hardSigmoid(x)});
}

TensorId ImageNetworkBuilder::add(TensorId a, TensorId b) {
  return builder_.node(OpKind::Add, {a, b});
}

TensorId ImageNetworkBuilder::concat(const std::vector<TensorId>& parts) {
  return builder_.node(OpKind::Concat, parts, AxisAttributes{1});
}

TensorId ImageNetworkBuilder::maxPool(const std::string& name, TensorId x, std::int64_t kernel,
                                      std::int64_t stride, std::int64_t pad, bool ceiling) {
  PoolAttributes pool{Window::square(axes(), kernel, stride, pad), ceiling};
  return builder_.node(OpKind::MaxPool, {x}, pool, name);
}

TensorId ImageNetworkBuilder::averagePool(const std::string& name, TensorId x, std::int64_t kernel,
                                          std::int64_t stride, std::int64_t pad) {
  PoolAttributes pool{Window::square(axes(), kernel, stride, pad), false, true};
  return builder_.node(OpKind::AveragePool, {x}, pool, name);
}

TensorId ImageNetworkBuilder::globalAveragePool(TensorId x) {
  return builder_.node(OpKind::GlobalAveragePool, {x}, LayoutAttributes{});
}

TensorId ImageNetworkBuilder::flatten(TensorId x) {
  const Shape& shape = builder_.tensor(x).shape;
  return builder_.reshape(x, {shape[0], elementCount(shape) / shape[0]}, "flatten");
}

TensorId ImageNetworkBuilder::dense(const std::string& name, TensorId x, std::int64_t outputs) {
  return denseLayer(builder_, "image", name, x, outputs);
}

Network ImageNetworkBuilder::finish(TensorId x) {
  builder_.output(x);
  return builder_.finish();
}

Network ImageNetworkBuilder::classifier(TensorId x, std::int64_t classes) {
  return finish(dense("fc", flatten(globalAveragePool(x)), classes));
}

} // namespace nestwright
