// The DCGAN generator of TVM's testing module, generalised to other sizes as TenSet does.

#include "core/network/zoo/layers.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

constexpr std::int64_t kLatent = 100, kFilters = 128;

/// Twice the size.
TensorId upConv(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                std::int64_t outChannels) {
  const std::int64_t inChannels = net.channels(x);
  const Shape shape{inChannels, outChannels, 4, 4};
  // Every output element sums a quarter of the kernel's positions.
  const TensorId kernel = net.builder().constant(
      name + ".weight", shape,
      scaledConstant(shape, inChannels * 4, 2, weightSeed("image", name + ".weight")), kFloat32,
      true);
  return net.builder().node(OpKind::ConvTranspose, {x, kernel},
                            ConvAttributes{Window::square(2, 4, 2, 1)}, name);
}

} // namespace

Network buildDcgan(const ParameterValues& parameters) {
  const std::int64_t batch = parameters.at("batch"), image = parameters.at("image");
  if (image % 16 != 0)
    throw InputError(fmt::format(
        "dcgan makes images whose size is a multiple of 16, not {}; 64, 80 and 96 are common",
        image));
  const std::int64_t side = image / 16;
  ImageNetworkBuilder net("dcgan", parameters, Shape{batch, kLatent});
  NetworkBuilder& builder = net.builder();
  const Shape shape{kLatent, 8 * kFilters * side * side};
  const TensorId weight = builder.constant(
      "g1.weight", shape, scaledConstant(shape, kLatent, 2, weightSeed("image", "g1.weight")),
      kFloat32, true);
  TensorId x =
      net.relu(builder.node(OpKind::MatMul, {net.image(), weight}, MatMulAttributes{}, "g1"));
  x = builder.transpose(builder.reshape(x, {batch, side, side, 8 * kFilters}), {0, 3, 1, 2});
  std::int64_t channels = 4 * kFilters;
  for (int layer = 2; layer <= 4; ++layer, channels /= 2) {
    const std::string name = fmt::format("g{}", layer);
    x = net.relu(net.batchNorm(name + ".bn", upConv(net, name, x, channels), false));
  }
  return net.finish(builder.node(OpKind::Tanh, {upConv(net, "g5", x, 3)}));
}

} // namespace nestwright
