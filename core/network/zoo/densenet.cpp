// DenseNet-121 as TorchVision builds it: growth 32, bottlenecks of 128, transitions that halve.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

constexpr std::int64_t kGrowth = 32, kBottleneck = 4 * kGrowth;

TensorId normRelu(ImageNetworkBuilder& net, const std::string& name, TensorId x) {
  return net.relu(net.batchNorm(name, x));
}

/// The new channels; each layer reads all that came before.
TensorId denseLayer(ImageNetworkBuilder& net, const std::string& name,
                    const std::vector<TensorId>& features) {
  const TensorId x = features.size() == 1 ? features[0] : net.concat(features);
  const TensorId y =
      net.conv(name + ".conv1", normRelu(net, name + ".norm1", x), kBottleneck, 1, 1, 0);
  return net.conv(name + ".conv2", normRelu(net, name + ".norm2", y), kGrowth, 3, 1, 1);
}

} // namespace

Network buildDensenet121(const ParameterValues& parameters) {
  constexpr int kLayers[] = {6, 12, 24, 16};
  ImageNetworkBuilder net("densenet121", parameters);
  TensorId x = normRelu(net, "norm0", net.conv("conv0", net.image(), 64, 7, 2, 3));
  x = net.maxPool("pool0", x, 3, 2, 1);
  for (int block = 1; block <= 4; ++block) {
    std::vector<TensorId> features{x};
    for (int layer = 1; layer <= kLayers[block - 1]; ++layer)
      features.push_back(
          denseLayer(net, fmt::format("denseblock{}.denselayer{}", block, layer), features));
    x = net.concat(features);
    if (block == 4) break;
    const std::string name = fmt::format("transition{}", block);
    x = net.conv(name + ".conv", normRelu(net, name + ".norm", x), net.channels(x) / 2, 1, 1, 0);
    x = net.averagePool(name + ".pool", x, 2, 2);
  }
  return net.classifier(normRelu(net, "norm5", x), 1000);
}

} // namespace nestwright
