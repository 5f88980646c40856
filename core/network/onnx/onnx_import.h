#pragma once
/// \file ONNX files to operator graphs.

#include "core/network/graph/graph.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace nestwright {

struct ImportOptions {
  /// Values of symbolic dimensions; a dimension without a name is called `INPUT_AXIS`.
  std::map<std::string, std::int64_t> dimensions;
  /// Values of inputs that shapes depend on (the shape of a Reshape, the start of a Slice). The
  /// network holds for these values; they stay inputs of it.
  std::map<std::string, Array> inputs;
  /// Bytes that constants may take in memory, in all: weights and what is folded from them. Without
  /// it as much as `constantLimit` gives for the model's size.
  std::optional<std::int64_t> constantBytes = {};
};

/// Reads, checks and imports an ONNX model (up to opset 17). Operators on constants only are
/// folded, dropout and identity vanish; integers keep their types; float16, bfloat16 and double are
/// computed in float32, to which a cast to a half rounds.
/// Throws InputError naming the file, and where one is at fault the node and its operator: not
/// readable, not valid ONNX, an operator or attribute that is not supported, a dimension without a
/// value.
Network importOnnx(const std::filesystem::path& path, const ImportOptions& options = {});

/// The same from a file's bytes; `name` is what the network and the messages are called.
Network importOnnxBytes(const std::string& bytes, const std::string& name,
                        const ImportOptions& options = {});

/// The operators that can be imported, sorted.
std::vector<std::string> importableOperators();
/// The newest version of ONNX's operators that a model may be of.
int newestOpset();

} // namespace nestwright
