// ResNet as TorchVision builds it: version 1.5, the stride in the 3x3 of a bottleneck.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

class ResnetBuilder {
 public:
  ResnetBuilder(const ResnetShape& shape, const ParameterValues& parameters)
      : shape_(shape), net_(shape.name, parameters) {}

  Network build() {
    TensorId x = convNorm("conv1", "bn1", net_.image(), 64, 7, 2, 3);
    x = net_.maxPool("maxpool", net_.relu(x), 3, 2, 1);
    std::int64_t width = 64;
    for (std::size_t stage = 0; stage < shape_.blocks.size(); ++stage, width *= 2)
      for (int block = 0; block < shape_.blocks[stage]; ++block) {
        const std::string name = fmt::format("layer{}.{}", stage + 1, block);
        const std::int64_t stride = block == 0 && stage > 0 ? 2 : 1;
        x = shape_.bottleneck ? bottleneck(name, x, width, stride)
                              : basicBlock(name, x, width, stride);
      }
    return net_.classifier(x, 1000);
  }

 private:
  TensorId convNorm(const std::string& conv, const std::string& norm, TensorId x,
                    std::int64_t outChannels, std::int64_t kernel, std::int64_t stride,
                    std::int64_t pad, std::int64_t groups = 1) {
    return net_.batchNorm(norm, net_.conv(conv, x, outChannels, kernel, stride, pad, groups));
  }

  TensorId shortcut(const std::string& name, TensorId x, std::int64_t outChannels,
                    std::int64_t stride) {
    if (stride == 1 && net_.channels(x) == outChannels) return x;
    return convNorm(name + ".downsample.0", name + ".downsample.1", x, outChannels, 1, stride, 0);
  }

  TensorId basicBlock(const std::string& name, TensorId x, std::int64_t width,
                      std::int64_t stride) {
    TensorId y = net_.relu(convNorm(name + ".conv1", name + ".bn1", x, width, 3, stride, 1));
    y = convNorm(name + ".conv2", name + ".bn2", y, width, 3, 1, 1);
    return net_.relu(net_.add(y, shortcut(name, x, width, stride)));
  }

  TensorId bottleneck(const std::string& name, TensorId x, std::int64_t width,
                      std::int64_t stride) {
    const std::int64_t inner = width * shape_.widthFactor;
    TensorId y = net_.relu(convNorm(name + ".conv1", name + ".bn1", x, inner, 1, 1, 0));
    y = net_.relu(convNorm(name + ".conv2", name + ".bn2", y, inner, 3, stride, 1, shape_.groups));
    y = convNorm(name + ".conv3", name + ".bn3", y, 4 * width, 1, 1, 0);
    return net_.relu(net_.add(y, shortcut(name, x, 4 * width, stride)));
  }

  ResnetShape shape_;
  ImageNetworkBuilder net_;
};

} // namespace

Network buildResnet(const ResnetShape& shape, const ParameterValues& parameters) {
  return ResnetBuilder(shape, parameters).build();
}

} // namespace nestwright
