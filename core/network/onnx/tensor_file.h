#pragma once
/// \file Tensors in files, in ONNX's own form (a serialised TensorProto, `input_0.pb`): what
/// `onnx.numpy_helper.from_array(x).SerializeToString()` writes and ONNX's test data consists of.

#include "core/network/graph/array.h"

#include <filesystem>

namespace nestwright {

/// Throws InputError naming the file when it cannot be read or holds no tensor.
Array readTensorFile(const std::filesystem::path& path);
void writeTensorFile(const std::filesystem::path& path, const Array& values);

} // namespace nestwright
