#pragma once
/// \file An ONNX model whose work one operator of a library does.

#include "core/network/graph/graph.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nestwright {

/// What the operator takes and gives.
struct CustomOpTensor {
  DataType type;
  Shape shape;
};

struct CustomOp {
  std::string domain, name; // version 1 of the domain has it
  std::vector<CustomOpTensor> inputs, outputs;
};

/// The bytes of a model with the interface of the one in the file (the names, element types and
/// order of inputs and outputs, and what it says of itself) and with the operator's shapes. Its
/// graph is one node of the operator, and casts where the model's element types are not the
/// operator's. Throws InputError where the file is no ONNX model or does not have as many inputs
/// and outputs.
std::string customOpModel(const std::filesystem::path& file, const CustomOp& op);

/// TensorProto.DataType's number.
int onnxElementType(DataType type);

} // namespace nestwright
