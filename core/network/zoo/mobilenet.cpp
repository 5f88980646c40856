// MobileNet-V2 as TorchVision builds it.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

TensorId relu6(ImageNetworkBuilder& net, TensorId x) {
  return net.clip(x, 0, 6);
}

TensorId invertedResidual(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                          std::int64_t expansion, std::int64_t outChannels, std::int64_t stride) {
  const std::int64_t inner = net.channels(x) * expansion;
  TensorId y = x;
  if (expansion != 1)
    y = relu6(net,
              net.batchNorm(name + ".expand.bn", net.conv(name + ".expand", y, inner, 1, 1, 0)));
  y = relu6(net, net.batchNorm(name + ".depthwise.bn",
                               net.conv(name + ".depthwise", y, inner, 3, stride, 1, inner)));
  y = net.batchNorm(name + ".project.bn", net.conv(name + ".project", y, outChannels, 1, 1, 0));
  const bool residual = stride == 1 && net.channels(x) == outChannels;
  return residual ? net.add(x, y) : y;
}

} // namespace

Network buildMobilenetV2(const ParameterValues& parameters) {
  struct Row {
    std::int64_t expansion, channels;
    int repeats;
    std::int64_t stride;
  };
  constexpr Row kRows[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                           {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  ImageNetworkBuilder net("mobilenet_v2", parameters);
  TensorId x = relu6(net, net.batchNorm("stem.bn", net.conv("stem", net.image(), 32, 3, 2, 1)));
  int number = 0;
  for (const Row& row : kRows)
    for (int repeat = 0; repeat < row.repeats; ++repeat)
      x = invertedResidual(net, fmt::format("block{}", ++number), x, row.expansion, row.channels,
                           repeat == 0 ? row.stride : 1);
  x = relu6(net, net.batchNorm("head.bn", net.conv("head", x, 1280, 1, 1, 0)));
  return net.classifier(x, 1000);
}

} // namespace nestwright
