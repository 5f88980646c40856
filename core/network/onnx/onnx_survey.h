#pragma once
/// \file What stands in the way of importing an ONNX file, all of it at once.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace nestwright {

/// An operator that cannot be imported, and the nodes that ask for it, in the order of the file. A
/// node without a name is called by its first output.
struct UnsupportedOperator {
  std::string name; // with its domain where that is not the standard one: "com.vendor.Gelu"
  std::vector<std::string> nodes;
};

/// Those of the model, by how many nodes ask for them, the most first. Throws InputError where the
/// file is no ONNX model.
std::vector<UnsupportedOperator> unsupportedOperators(const std::filesystem::path& path);

} // namespace nestwright
