#pragma once
/// \file The networks that come with the workbench: TorchVision's and Hugging Face's architectures
/// in inference form (handbook/networks.md 4), with random weights that are made only when a
/// network runs.

#include "core/network/graph/graph.h"
#include "core/network/graph/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct ZooEntry {
  std::string name;
  std::string description;
  std::vector<ParameterInfo> parameters;
};

/// All networks of the zoo.
const std::vector<ZooEntry>& zoo();

/// Builds a network of the zoo. Throws InputError for an unknown name or parameter.
Network buildFromZoo(const Spec& spec);

/// A network from text: a zoo name with parameters, `resnet50:batch=1,image=224`, or an ONNX file
/// with values for its symbolic dimensions, `model.onnx:batch=1`. Throws InputError; for a name
/// that is neither, with the list of what there is.
Network parseNetworkSpec(std::string_view text);

/// The complete text that gives this network again from anywhere: zoo name or absolute path, with
/// all parameters.
std::string specText(const Network& network);

} // namespace nestwright
