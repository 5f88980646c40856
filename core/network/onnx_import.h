#pragma once
/// \file ONNX files to operator graphs.

#include "core/network/graph.h"

#include <filesystem>
#include <map>
#include <string>

namespace nestwright {

/// Reads, checks and imports an ONNX model (opset 7 to 17). Symbolic dimensions get their values
/// from `dimensions`; a dimension without a name is called `INPUT_AXIS`. Operators on constants
/// only are folded, dropout and identity vanish. Throws InputError naming the file, and where one
/// is at fault the node and its operator: not readable, not valid ONNX, an operator or attribute
/// that is not supported, a dimension without a value.
Network importOnnx(const std::filesystem::path& path,
                   const std::map<std::string, std::int64_t>& dimensions = {});

} // namespace nestwright
