#pragma once
/// \file Layers with random weights, shared by the families of the zoo.

#include "core/network/zoo/families.h"

namespace nestwright {

/// Seed of a weight's random values: the same for the same name in the same network.
std::uint64_t weightSeed(const std::string& network, const std::string& weight);

/// x * weight + bias over the last dimension; weight [in, out].
TensorId denseLayer(NetworkBuilder& builder, const std::string& network, const std::string& name,
                    TensorId x, std::int64_t outputs);

/// What the image networks share: convolution, batch norm and activation, channels first. `x` has
/// as many spatial axes as the input.
class ImageNetworkBuilder {
 public:
  /// Input [batch, 3, image, image]; `epsilon` is of the batch norms.
  ImageNetworkBuilder(std::string name, const ParameterValues& parameters, double epsilon = 1e-5);
  ImageNetworkBuilder(std::string name, const ParameterValues& parameters, const Shape& input,
                      double epsilon = 1e-5);

  NetworkBuilder& builder() { return builder_; }
  TensorId image() const { return image_; }
  std::int64_t channels(TensorId x) const { return builder_.tensor(x).shape[1]; }

  /// Without bias.
  TensorId conv(const std::string& name, TensorId x, std::int64_t outChannels, const Window& window,
                std::int64_t groups = 1);
  /// The same on each axis, padding on both sides.
  TensorId conv(const std::string& name, TensorId x, std::int64_t outChannels, std::int64_t kernel,
                std::int64_t stride, std::int64_t pad, std::int64_t groups = 1);
  /// One learnt value a channel is added.
  TensorId bias(const std::string& name, TensorId x);
  /// Without `scale` the factor is fixed to one and is no parameter.
  TensorId batchNorm(const std::string& name, TensorId x, bool scale = true);
  TensorId relu(TensorId x);
  TensorId clip(TensorId x, double low, double high);
  /// clip(x / 6 + 1/2, 0, 1), as ONNX writes PyTorch's.
  TensorId hardSigmoid(TensorId x);
  TensorId hardSwish(TensorId x);
  TensorId add(TensorId a, TensorId b);
  TensorId concat(const std::vector<TensorId>& parts);
  TensorId maxPool(const std::string& name, TensorId x, std::int64_t kernel, std::int64_t stride,
                   std::int64_t pad = 0, bool ceiling = false);
  /// Padding counts in the divisor.
  TensorId averagePool(const std::string& name, TensorId x, std::int64_t kernel,
                       std::int64_t stride, std::int64_t pad = 0);
  TensorId globalAveragePool(TensorId x);
  /// [batch, the rest].
  TensorId flatten(TensorId x);
  TensorId dense(const std::string& name, TensorId x, std::int64_t outputs);

  /// The network with `x` as its output.
  Network finish(TensorId x);
  /// Global average pool, flatten, dense layer with bias.
  Network classifier(TensorId x, std::int64_t classes);

 private:
  int axes() const { return static_cast<int>(builder_.tensor(image_).shape.size()) - 2; }
  TensorId weight(const std::string& name, const Shape& shape, Constant value);

  NetworkBuilder builder_;
  TensorId image_;
  double epsilon_;
};

} // namespace nestwright
