// Inception-V3 as TorchVision builds it, without the auxiliary head and the input's rescaling.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

class InceptionBuilder {
 public:
  explicit InceptionBuilder(const ParameterValues& parameters)
      : net_("inception_v3", parameters, 1e-3) {}

  Network build() {
    TensorId x = conv("1a", net_.image(), 32, 3, 2, 0);
    x = conv("2a", x, 32, 3, 1, 0);
    x = net_.maxPool("pool1", conv("2b", x, 64, 3, 1, 1), 3, 2);
    x = conv("4a", conv("3b", x, 80, 1), 192, 3, 1, 0);
    x = net_.maxPool("pool2", x, 3, 2);
    x = moduleA("5b", x, 32);
    x = moduleA("5c", x, 64);
    x = moduleA("5d", x, 64);
    x = moduleB("6a", x);
    x = moduleC("6b", x, 128);
    x = moduleC("6c", x, 160);
    x = moduleC("6d", x, 160);
    x = moduleC("6e", x, 192);
    x = moduleD("7a", x);
    x = moduleE("7b", x);
    x = moduleE("7c", x);
    return net_.classifier(x, 1000);
  }

 private:
  TensorId conv(const std::string& name, TensorId x, std::int64_t outChannels,
                const Window& window) {
    return net_.relu(net_.batchNorm(name + ".bn", net_.conv(name, x, outChannels, window)));
  }
  TensorId conv(const std::string& name, TensorId x, std::int64_t outChannels, std::int64_t kernel,
                std::int64_t stride = 1, std::int64_t pad = 0) {
    return conv(name, x, outChannels, Window::square(2, kernel, stride, pad));
  }
  /// Height x width, keeping the size.
  TensorId convHW(const std::string& name, TensorId x, std::int64_t outChannels,
                  std::int64_t height, std::int64_t width) {
    const Shape pads{(height - 1) / 2, (width - 1) / 2};
    return conv(name, x, outChannels, Window{{height, width}, {1, 1}, pads, pads, {1, 1}});
  }
  TensorId pooled(const std::string& name, TensorId x, std::int64_t outChannels) {
    return conv(name + ".pool_proj", net_.averagePool(name + ".pool", x, 3, 1, 1), outChannels, 1);
  }

  TensorId moduleA(const std::string& name, TensorId x, std::int64_t poolFeatures) {
    const TensorId a = conv(name + ".1x1", x, 64, 1);
    const TensorId b = conv(name + ".5x5_2", conv(name + ".5x5_1", x, 48, 1), 64, 5, 1, 2);
    TensorId c = conv(name + ".3x3_2", conv(name + ".3x3_1", x, 64, 1), 96, 3, 1, 1);
    c = conv(name + ".3x3_3", c, 96, 3, 1, 1);
    return net_.concat({a, b, c, pooled(name, x, poolFeatures)});
  }

  TensorId moduleB(const std::string& name, TensorId x) {
    const TensorId a = conv(name + ".3x3", x, 384, 3, 2, 0);
    TensorId b = conv(name + ".double_2", conv(name + ".double_1", x, 64, 1), 96, 3, 1, 1);
    b = conv(name + ".double_3", b, 96, 3, 2, 0);
    return net_.concat({a, b, net_.maxPool(name + ".pool", x, 3, 2)});
  }

  TensorId moduleC(const std::string& name, TensorId x, std::int64_t inner) {
    const TensorId a = conv(name + ".1x1", x, 192, 1);
    TensorId b = convHW(name + ".7x7_2", conv(name + ".7x7_1", x, inner, 1), inner, 1, 7);
    b = convHW(name + ".7x7_3", b, 192, 7, 1);
    TensorId c = convHW(name + ".double_2", conv(name + ".double_1", x, inner, 1), inner, 7, 1);
    c = convHW(name + ".double_3", c, inner, 1, 7);
    c = convHW(name + ".double_4", c, inner, 7, 1);
    c = convHW(name + ".double_5", c, 192, 1, 7);
    return net_.concat({a, b, c, pooled(name, x, 192)});
  }

  TensorId moduleD(const std::string& name, TensorId x) {
    const TensorId a = conv(name + ".3x3_2", conv(name + ".3x3_1", x, 192, 1), 320, 3, 2, 0);
    TensorId b = convHW(name + ".7x7_2", conv(name + ".7x7_1", x, 192, 1), 192, 1, 7);
    b = convHW(name + ".7x7_3", b, 192, 7, 1);
    b = conv(name + ".7x7_4", b, 192, 3, 2, 0);
    return net_.concat({a, b, net_.maxPool(name + ".pool", x, 3, 2)});
  }

  TensorId forked(const std::string& name, TensorId x) {
    return net_.concat({convHW(name + "a", x, 384, 1, 3), convHW(name + "b", x, 384, 3, 1)});
  }

  TensorId moduleE(const std::string& name, TensorId x) {
    const TensorId a = conv(name + ".1x1", x, 320, 1);
    const TensorId b = forked(name + ".3x3_2", conv(name + ".3x3_1", x, 384, 1));
    const TensorId inner =
        conv(name + ".double_2", conv(name + ".double_1", x, 448, 1), 384, 3, 1, 1);
    const TensorId c = forked(name + ".double_3", inner);
    return net_.concat({a, b, c, pooled(name, x, 192)});
  }

  ImageNetworkBuilder net_;
};

} // namespace

Network buildInceptionV3(const ParameterValues& parameters) {
  return InceptionBuilder(parameters).build();
}

} // namespace nestwright
