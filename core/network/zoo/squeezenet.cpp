// SqueezeNet 1.1 in its two public forms.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

TensorId convRelu(ImageNetworkBuilder& net, const std::string& name, TensorId x,
                  std::int64_t outChannels, std::int64_t kernel, std::int64_t stride,
                  std::int64_t pad) {
  return net.relu(net.bias(name + ".bias", net.conv(name, x, outChannels, kernel, stride, pad)));
}

TensorId fire(ImageNetworkBuilder& net, const std::string& name, TensorId x, std::int64_t squeeze,
              std::int64_t expand) {
  const TensorId y = convRelu(net, name + ".squeeze", x, squeeze, 1, 1, 0);
  return net.concat({convRelu(net, name + ".expand1x1", y, expand, 1, 1, 0),
                     convRelu(net, name + ".expand3x3", y, expand, 3, 1, 1)});
}

} // namespace

Network buildSqueezenet(SqueezenetForm form, const ParameterValues& parameters) {
  const bool tvm = form == SqueezenetForm::Tvm;
  ImageNetworkBuilder net(tvm ? "squeezenet1_1_tvm" : "squeezenet1_1", parameters);
  TensorId x = convRelu(net, "conv1", net.image(), 64, 3, 2, tvm ? 1 : 0);
  int number = 1;
  for (const std::int64_t squeeze : {16, 32, 48, 64}) {
    if (squeeze != 64) x = net.maxPool(fmt::format("pool{}", number), x, 3, 2, 0, !tvm);
    for (int i = 0; i < 2; ++i)
      x = fire(net, fmt::format("fire{}", ++number), x, squeeze, 4 * squeeze);
  }
  x = net.flatten(net.globalAveragePool(convRelu(net, "conv10", x, 1000, 1, 1, 0)));
  if (tvm) x = net.builder().node(OpKind::Softmax, {x}, AxisAttributes{1}, "softmax");
  return net.finish(x);
}

} // namespace nestwright
