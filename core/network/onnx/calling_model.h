#pragma once
/// \file An ONNX model in which operators of libraries stand in the place of its subgraphs.

#include "core/network/onnx/custom_op_model.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nestwright {

/// The operator that computes what a file does which onnxSubgraphs() wrote.
struct SubgraphCall {
  std::filesystem::path subgraph;
  CustomOp op;
};

/// Whether the file holds a subgraph of another model. Throws InputError where it is no ONNX model.
bool isSubgraph(const std::filesystem::path& file);
/// Whether both do, of the same one cut for the same dimensions.
bool areOfOneModel(const std::filesystem::path& one, const std::filesystem::path& other);

/// Throws InputError where the file holds a subgraph, and the model that it was cut from is not
/// there any more or was changed: before the long work of making an operator of it.
void requireWhole(const std::filesystem::path& file);

/// The bytes of the model that the subgraphs were cut from, with a call of the operator in the
/// place of each; at least one. What only their nodes needed is gone, and the dimensions have the
/// values for which it was cut. Throws InputError where that model is not there any more or was
/// changed, where two subgraphs give the same tensor, or a file is no subgraph.
std::string callingModel(const std::vector<SubgraphCall>& calls);

} // namespace nestwright
