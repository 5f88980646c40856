// R3D-18, the video network of TorchVision.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

TensorId convNorm(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                  std::int64_t outChannels, std::int64_t kernel, std::int64_t stride,
                  std::int64_t pad) {
  return net.batchNorm(name + ".1", net.conv(name + ".0", x, outChannels, kernel, stride, pad));
}

TensorId basicBlock(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                    std::int64_t width, std::int64_t stride) {
  const TensorId y = net.relu(convNorm(net, name + ".conv1", x, width, 3, stride, 1));
  const TensorId z = convNorm(net, name + ".conv2", y, width, 3, 1, 1);
  const TensorId shortcut =
      stride == 1 ? x : convNorm(net, name + ".downsample", x, width, 1, stride, 0);
  return net.relu(net.add(z, shortcut));
}

} // namespace

Network buildR3d18(const ParameterValues& parameters) {
  ImageNetworkBuilder net("r3d_18", parameters,
                          {parameters.at("batch"), 3, parameters.at("depth"),
                           parameters.at("height"), parameters.at("width")});
  const Window stem{{3, 7, 7}, {1, 2, 2}, {1, 3, 3}, {1, 3, 3}, {1, 1, 1}};
  TensorId x = net.relu(net.batchNorm("stem.1", net.conv("stem.0", net.image(), 64, stem)));
  std::int64_t width = 64;
  for (int stage = 1; stage <= 4; ++stage, width *= 2)
    for (int block = 0; block < 2; ++block)
      x = basicBlock(net, fmt::format("layer{}.{}", stage, block), x, width,
                     stage > 1 && block == 0 ? 2 : 1);
  return net.classifier(x, 400);
}

} // namespace nestwright
