// VGG-16 (configuration D without batch norm) as TorchVision builds it.

#include "core/network/zoo/layers.h"

namespace nestwright {

Network buildVgg16(const ParameterValues& parameters) {
  struct Stage {
    std::int64_t channels;
    int convolutions;
  };
  constexpr Stage kStages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  ImageNetworkBuilder net("vgg16", parameters);
  TensorId x = net.image();
  int number = 0;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.convolutions; ++i) {
      const std::string name = fmt::format("conv{}", ++number);
      x = net.relu(net.bias(name + ".bias", net.conv(name, x, stage.channels, 3, 1, 1)));
    }
    x = net.maxPool(fmt::format("pool{}", stage.channels), x, 2, 2);
  }
  x = net.flatten(x);
  x = net.relu(net.dense("fc6", x, 4096));
  x = net.relu(net.dense("fc7", x, 4096));
  return net.finish(net.dense("fc8", x, 1000));
}

} // namespace nestwright
