#pragma once
/// \file A second opinion on imported networks: the nodes of an ONNX file one after another, each
/// by what the ONNX standard says about its operator, in plain loops. It shares the reading of
/// files with the importer and nothing else: no operator graph, no folding, no passes, no kernels.

#include "core/network/graph/array.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nestwright {

/// The model's outputs for its inputs, in the file's order. Element types are those of the
/// importer: float32 for all floats, int64 for integers and bool; sums are taken in double. Slow
/// next to a kernel, yet an image through ResNet-18 takes seconds. Throws InputError naming the
/// file and the node: what importOnnx refuses, and an operator, a mode or inputs that this does not
/// know.
std::vector<Array> runOnnxReference(const std::filesystem::path& file,
                                    const std::vector<Array>& inputs);

/// The operators that `runOnnxReference` knows, sorted.
std::vector<std::string> onnxReferenceOperators();

} // namespace nestwright
