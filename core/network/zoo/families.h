#pragma once
/// \file One builder a family of the zoo, in inference form, NC.. and with random weights;
/// `zoo.cpp` lists them. Each follows the public definition that handbook/networks.md 4 describes.

#include "core/network/graph/network_builder.h"

namespace nestwright {

using ParameterValues = std::map<std::string, std::int64_t>;

/// TorchVision's ResNets (4.1, 4.2).
struct ResnetShape {
  std::string name;
  std::vector<int> blocks;      // of each of the four stages
  bool bottleneck = false;      // 1x1, 3x3, 1x1 in place of two 3x3
  std::int64_t widthFactor = 1; // of the bottleneck's 3x3
  std::int64_t groups = 1;      // of the bottleneck's 3x3
};
/// Parameters batch, image.
Network buildResnet(const ResnetShape& shape, const ParameterValues& parameters);

/// TVM's pre-activation ResNets, which Ansor and AdaTune measure (handbook/networks.md 4.11):
/// `axes` 2 with parameters batch, image; 3 with batch, depth, height, width.
struct PreactivationShape {
  std::string name;
  int axes = 2;
  std::vector<int> units; // of each of the four stages
  bool bottleneck = false;
};
Network buildPreactivationResnet(const PreactivationShape& shape,
                                 const ParameterValues& parameters);

/// TorchVision's R3D-18 (handbook/networks.md 4.10); parameters batch, depth, height, width.
Network buildR3d18(const ParameterValues& parameters);

// Parameters batch, image.
Network buildMobilenetV2(const ParameterValues& parameters);      // 4.3, width 1.0
Network buildMobilenetV3Large(const ParameterValues& parameters); // 4.4
Network buildInceptionV3(const ParameterValues& parameters);      // 4.5, no auxiliary head
Network buildDensenet121(const ParameterValues& parameters);      // 4.6
/// 4.7. The classifier reads whatever map is left, so images of other sizes change its weights.
Network buildVgg16(const ParameterValues& parameters);

/// 4.8: TorchVision's, or TVM's as AdaTune measures it, which pads the first convolution, rounds
/// the poolings down and ends in a softmax.
enum class SqueezenetForm : std::uint8_t { TorchVision, Tvm };
Network buildSqueezenet(SqueezenetForm form, const ParameterValues& parameters);

/// The generator that TVM and TenSet use (handbook/networks.md 4.9); parameters batch, image (of
/// the output, in steps of 16). Throws InputError for another size.
Network buildDcgan(const ParameterValues& parameters);

struct BertSize {
  std::string name;
  int layers = 0;
  std::int64_t hidden = 0, heads = 0, feedForward = 0;
};
/// An encoder with pooler (handbook/networks.md 4.12); parameters batch, sequence.
Network buildBert(const BertSize& size, const ParameterValues& parameters);

} // namespace nestwright
