// ResNet as TorchVision builds it: version 1.5, the stride in the 3x3 of a bottleneck
// (networks.md 4.1, 4.2).

#include "core/network/zoo_families.h"

namespace nestwright {

namespace {

struct Stage {
  int blocks;
  std::int64_t width, stride;
};

TensorId shortcut(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                  std::int64_t outChannels, std::int64_t stride) {
  if (stride == 1 && net.channels(x) == outChannels) return x;
  return net.batchNorm(name + ".downsample.1",
                       net.conv(name + ".downsample.0", x, outChannels, 1, stride, 0));
}

TensorId basicBlock(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                    std::int64_t width, std::int64_t stride) {
  TensorId y =
      net.relu(net.batchNorm(name + ".bn1", net.conv(name + ".conv1", x, width, 3, stride, 1)));
  y = net.batchNorm(name + ".bn2", net.conv(name + ".conv2", y, width, 3, 1, 1));
  const TensorId sum = net.builder().node(OpKind::Add, {y, shortcut(net, name, x, width, stride)});
  return net.relu(sum);
}

TensorId bottleneck(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                    std::int64_t width, std::int64_t stride) {
  TensorId y = net.relu(net.batchNorm(name + ".bn1", net.conv(name + ".conv1", x, width, 1, 1, 0)));
  y = net.relu(net.batchNorm(name + ".bn2", net.conv(name + ".conv2", y, width, 3, stride, 1)));
  y = net.batchNorm(name + ".bn3", net.conv(name + ".conv3", y, 4 * width, 1, 1, 0));
  const TensorId sum =
      net.builder().node(OpKind::Add, {y, shortcut(net, name, x, 4 * width, stride)});
  return net.relu(sum);
}

} // namespace

Network buildResnet(int depth, const ParameterValues& parameters) {
  ImageNetworkBuilder net(fmt::format("resnet{}", depth), parameters);
  const bool deep = depth == 50;
  const Stage stages[] = {{deep ? 3 : 2, 64, 1},
                          {deep ? 4 : 2, 128, 2},
                          {deep ? 6 : 2, 256, 2},
                          {deep ? 3 : 2, 512, 2}};
  TensorId x = net.relu(net.batchNorm("bn1", net.conv("conv1", net.image(), 64, 7, 2, 3)));
  PoolAttributes pool;
  pool.window = Window::square(2, 3, 2, 1);
  x = net.builder().node(OpKind::MaxPool, {x}, pool, "maxpool");
  int number = 0;
  for (const Stage& stage : stages) {
    ++number;
    for (int block = 0; block < stage.blocks; ++block) {
      const std::string name = fmt::format("layer{}.{}", number, block);
      const std::int64_t stride = block == 0 ? stage.stride : 1;
      x = deep ? bottleneck(net, name, x, stage.width, stride)
               : basicBlock(net, name, x, stage.width, stride);
    }
  }
  return net.classifier(x, 1000);
}

} // namespace nestwright
