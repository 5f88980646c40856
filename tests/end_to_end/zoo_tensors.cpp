/// \file zoo_tensors NETWORK FOLDER: writes the weights and random inputs of a network of the zoo
/// as ONNX tensor files, for torch_zoo.py to build the same network in PyTorch.

#include "core/network/execution/executor.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/zoo/zoo.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace nestwright;

namespace {

/// Weights and running statistics, in the order in which the nodes use them.
std::vector<TensorId> weightsOf(const Network& network) {
  std::vector<TensorId> weights;
  for (const Node& node : network.nodes)
    for (const TensorId input : node.inputs)
      if (network.isConstant(input) &&
          (network.tensor(input).learnable || node.kind == OpKind::BatchNorm))
        weights.push_back(input);
  return weights;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: zoo_tensors NETWORK FOLDER\n");
    return 2;
  }
  try {
    const Network network = parseNetworkSpec(argv[1]);
    const std::filesystem::path folder = argv[2];
    nlohmann::json weights = nlohmann::json::array(), inputs = nlohmann::json::array();
    for (const TensorId id : weightsOf(network)) {
      const std::string file = (folder / fmt::format("weight_{}.pb", weights.size())).string();
      writeTensorFile(file, *network.tensor(id).constant.materialise());
      weights.push_back({{"name", network.tensor(id).name}, {"file", file}});
    }
    for (const Array& input : randomInputs(network, 1)) {
      const std::string file = (folder / fmt::format("input_{}.pb", inputs.size())).string();
      writeTensorFile(file, input);
      inputs.push_back(file);
    }
    fmt::print("{}\n", nlohmann::json{{"weights", weights}, {"inputs", inputs}}.dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "zoo_tensors: {}\n", error.what());
    return 1;
  }
}
