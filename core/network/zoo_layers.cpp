// Layers with random weights, shared by the families of the zoo.

#include "core/network/zoo_families.h"
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

ImageNetworkBuilder::ImageNetworkBuilder(std::string name, const ParameterValues& parameters)
    : builder_(std::move(name), parameters),
      image_(builder_.input(
          "input", {parameters.at("batch"), 3, parameters.at("image"), parameters.at("image")})) {}

TensorId ImageNetworkBuilder::weight(const std::string& name, const Shape& shape, Constant value) {
  return builder_.constant(name, shape, std::move(value), kFloat32, true);
}

TensorId ImageNetworkBuilder::conv(const std::string& name, TensorId x, std::int64_t outChannels,
                                   std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                                   std::int64_t groups) {
  const std::int64_t perGroup = channels(x) / groups;
  const Shape shape{outChannels, perGroup, kernel, kernel};
  const std::string weightName = name + ".weight";
  const TensorId weights =
      weight(weightName, shape,
             scaledConstant(shape, perGroup * kernel * kernel, 2, weightSeed("image", weightName)));
  return builder_.node(OpKind::Conv, {x, weights},
                       ConvAttributes{Window::square(2, kernel, stride, pad), groups}, name);
}

TensorId ImageNetworkBuilder::batchNorm(const std::string& name, TensorId x) {
  const Shape shape{channels(x)};
  const auto random = [&](const char* part, double low, double high) {
    return uniformConstant(shape, low, high, weightSeed("image", name + part));
  };
  const TensorId scale = weight(name + ".scale", shape, random(".scale", 0.5, 1.5));
  const TensorId shift = weight(name + ".shift", shape, random(".shift", -0.1, 0.1));
  // Running statistics are no parameters: training measures them, it does not learn them.
  const TensorId mean = builder_.constant(name + ".mean", shape, random(".mean", -0.1, 0.1));
  const TensorId variance =
      builder_.constant(name + ".variance", shape, random(".variance", 0.5, 1.5));
  return builder_.node(OpKind::BatchNorm, {x, scale, shift, mean, variance}, BatchNormAttributes{},
                       name);
}

TensorId ImageNetworkBuilder::relu(TensorId x) {
  return builder_.node(OpKind::Relu, {x});
}

Network ImageNetworkBuilder::classifier(TensorId x, std::int64_t classes) {
  const TensorId pooled =
      builder_.node(OpKind::GlobalAveragePool, {x}, LayoutAttributes{}, "avgpool");
  const Shape& shape = builder_.tensor(pooled).shape;
  const TensorId flat = builder_.reshape(pooled, {shape[0], shape[1]}, "flatten");
  builder_.output(denseLayer(builder_, "image", "fc", flat, classes));
  return builder_.finish();
}

} // namespace nestwright
