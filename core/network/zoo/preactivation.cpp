// ResNet as TVM's testing module builds it: batch norm and ReLU in front of the convolutions, the
// stride in the first convolution of a bottleneck, a projection in the first unit of every stage.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

Shape inputShape(const PreactivationShape& shape, const ParameterValues& parameters) {
  if (shape.axes == 2)
    return {parameters.at("batch"), 3, parameters.at("image"), parameters.at("image")};
  return {parameters.at("batch"), 3, parameters.at("depth"), parameters.at("height"),
          parameters.at("width")};
}

class PreactivationBuilder {
 public:
  PreactivationBuilder(const PreactivationShape& shape, const ParameterValues& parameters)
      : shape_(shape), net_(shape.name, parameters, inputShape(shape, parameters), 2e-5) {}

  Network build() {
    TensorId x = stem();
    std::int64_t channels = shape_.bottleneck ? 256 : 64;
    for (std::size_t stage = 0; stage < shape_.units.size(); ++stage, channels *= 2)
      for (int unit = 0; unit < shape_.units[stage]; ++unit)
        x = residualUnit(fmt::format("stage{}.unit{}", stage + 1, unit + 1), x, channels,
                         unit == 0 && stage > 0 ? 2 : 1, unit == 0);
    x = net_.flatten(net_.globalAveragePool(normRelu("bn1", x)));
    x = net_.dense("fc1", x, 1000);
    return net_.finish(net_.builder().node(OpKind::Softmax, {x}, AxisAttributes{1}, "softmax"));
  }

 private:
  TensorId stem() {
    const TensorId data = net_.batchNorm("bn_data", net_.image(), false);
    Window window = Window::square(shape_.axes, 7, 2, 3);
    if (shape_.axes == 3) {
      window.kernel[0] = 3;
      window.strides[0] = 1;
      window.padsBefore[0] = window.padsAfter[0] = 1;
    }
    const TensorId x = normRelu("bn0", net_.conv("conv0", data, 64, window));
    return shape_.axes == 2 ? net_.maxPool("pool0", x, 3, 2, 1) : x;
  }

  TensorId normRelu(const std::string& name, TensorId x) {
    return net_.relu(net_.batchNorm(name, x));
  }

  TensorId residualUnit(const std::string& name, TensorId x, std::int64_t channels,
                        std::int64_t stride, bool project) {
    const TensorId active = normRelu(name + ".bn1", x);
    TensorId y;
    if (shape_.bottleneck) {
      y = net_.conv(name + ".conv1", active, channels / 4, 1, stride, 0);
      y = net_.conv(name + ".conv2", normRelu(name + ".bn2", y), channels / 4, 3, 1, 1);
      y = net_.conv(name + ".conv3", normRelu(name + ".bn3", y), channels, 1, 1, 0);
    } else {
      y = net_.conv(name + ".conv1", active, channels, 3, stride, 1);
      y = net_.conv(name + ".conv2", normRelu(name + ".bn2", y), channels, 3, 1, 1);
    }
    const TensorId shortcut = project ? net_.conv(name + ".sc", active, channels, 1, stride, 0) : x;
    return net_.add(y, shortcut);
  }

  PreactivationShape shape_;
  ImageNetworkBuilder net_;
};

} // namespace

Network buildPreactivationResnet(const PreactivationShape& shape,
                                 const ParameterValues& parameters) {
  return PreactivationBuilder(shape, parameters).build();
}

} // namespace nestwright
