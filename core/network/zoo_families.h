#pragma once
/// \file One builder a family of the zoo; `zoo.cpp` lists them.

#include "core/network/network_builder.h"

namespace nestwright {

using ParameterValues = std::map<std::string, std::int64_t>;

/// depth 18 or 50; parameters batch, image.
Network buildResnet(int depth, const ParameterValues& parameters);
/// Width 1.0; parameters batch, image.
Network buildMobilenetV2(const ParameterValues& parameters);

struct BertSize {
  std::string name;
  int layers = 0;
  std::int64_t hidden = 0, heads = 0, feedForward = 0;
};
/// An encoder with pooler; parameters batch, sequence.
Network buildBert(const BertSize& size, const ParameterValues& parameters);

/// What the image networks share: convolution, batch norm and activation with random weights.
class ImageNetworkBuilder {
 public:
  ImageNetworkBuilder(std::string name, const ParameterValues& parameters);

  NetworkBuilder& builder() { return builder_; }
  TensorId image() const { return image_; }
  std::int64_t channels(TensorId x) const { return builder_.tensor(x).shape[1]; }

  /// A convolution without bias, square kernel, NCHW.
  TensorId conv(const std::string& name, TensorId x, std::int64_t outChannels, std::int64_t kernel,
                std::int64_t stride, std::int64_t pad, std::int64_t groups = 1);
  TensorId batchNorm(const std::string& name, TensorId x);
  TensorId relu(TensorId x);
  /// Global average pool, flatten, dense layer with bias; the network's output.
  Network classifier(TensorId x, std::int64_t classes);

 private:
  TensorId weight(const std::string& name, const Shape& shape, Constant value);

  NetworkBuilder builder_;
  TensorId image_;
};

/// Seed of a weight's random values: the same for the same name in the same network.
std::uint64_t weightSeed(const std::string& network, const std::string& weight);

/// x * weight + bias over the last dimension; weight [in, out].
TensorId denseLayer(NetworkBuilder& builder, const std::string& network, const std::string& name,
                    TensorId x, std::int64_t outputs);

} // namespace nestwright
