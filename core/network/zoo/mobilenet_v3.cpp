// MobileNet-V3 Large as TorchVision builds it.

#include "core/network/zoo/layers.h"

namespace nestwright {

namespace {

struct Row {
  std::int64_t kernel, inner, outChannels, squeeze; // squeeze 0: no squeeze-and-excitation
  bool hardSwish;
  std::int64_t stride;
};

constexpr Row kRows[] = {
    {3, 16, 16, 0, false, 1},    {3, 64, 24, 0, false, 2},    {3, 72, 24, 0, false, 1},
    {5, 72, 40, 24, false, 2},   {5, 120, 40, 32, false, 1},  {5, 120, 40, 32, false, 1},
    {3, 240, 80, 0, true, 2},    {3, 200, 80, 0, true, 1},    {3, 184, 80, 0, true, 1},
    {3, 184, 80, 0, true, 1},    {3, 480, 112, 120, true, 1}, {3, 672, 112, 168, true, 1},
    {5, 672, 160, 168, true, 2}, {5, 960, 160, 240, true, 1}, {5, 960, 160, 240, true, 1}};

class MobilenetV3Builder {
 public:
  explicit MobilenetV3Builder(const ParameterValues& parameters)
      : net_("mobilenet_v3", parameters, 1e-3) {}

  Network build() {
    TensorId x = net_.hardSwish(convNorm("stem", net_.image(), 16, 3, 2));
    int number = 0;
    for (const Row& row : kRows)
      x = block(fmt::format("block{}", ++number), x, row);
    x = net_.hardSwish(convNorm("head", x, 960, 1, 1));
    x = net_.flatten(net_.globalAveragePool(x));
    x = net_.hardSwish(net_.dense("classifier.0", x, 1280));
    return net_.finish(net_.dense("classifier.3", x, 1000));
  }

 private:
  TensorId convNorm(const std::string& name, TensorId x, std::int64_t outChannels,
                    std::int64_t kernel, std::int64_t stride, std::int64_t groups = 1) {
    return net_.batchNorm(
        name + ".bn", net_.conv(name, x, outChannels, kernel, stride, (kernel - 1) / 2, groups));
  }

  TensorId block(const std::string& name, TensorId x, const Row& row) {
    const auto active = [&](TensorId y) {
      return row.hardSwish ? net_.hardSwish(y) : net_.relu(y);
    };
    TensorId y = x;
    if (row.inner != net_.channels(x)) y = active(convNorm(name + ".expand", y, row.inner, 1, 1));
    y = active(convNorm(name + ".depthwise", y, row.inner, row.kernel, row.stride, row.inner));
    if (row.squeeze > 0) y = squeezeExcite(name + ".se", y, row.squeeze);
    y = convNorm(name + ".project", y, row.outChannels, 1, 1);
    return row.stride == 1 && net_.channels(x) == row.outChannels ? net_.add(y, x) : y;
  }

  TensorId squeezeExcite(const std::string& name, TensorId x, std::int64_t squeeze) {
    TensorId y = net_.globalAveragePool(x);
    y = net_.relu(net_.bias(name + ".fc1.bias", net_.conv(name + ".fc1", y, squeeze, 1, 1, 0)));
    y = net_.bias(name + ".fc2.bias", net_.conv(name + ".fc2", y, net_.channels(x), 1, 1, 0));
    return net_.builder().node(OpKind::Mul, {net_.hardSigmoid(y), x});
  }

  ImageNetworkBuilder net_;
};

} // namespace

Network buildMobilenetV3Large(const ParameterValues& parameters) {
  return MobilenetV3Builder(parameters).build();
}

} // namespace nestwright
