#include "core/training/export_model.h"

#include "core/learn/onnx/export_network.h"
#include "core/support/error.h"
#include "core/support/output_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace nestwright {

namespace {

/// The bytes of an ONNX model.
std::string onnxOf(const ModelFile& file) {
  std::vector<std::string> exported;
  for (const Architecture architecture : kArchitectures)
    if (hasOnnxForm(architecture)) exported.emplace_back(name(architecture));
  if (std::ranges::find(exported, file.model) == exported.end())
    throw UsageError(fmt::format("the model {} cannot be written as ONNX: networks of {} can",
                                 file.model, fmt::join(exported, ", ")));
  return toOnnx(trainedNetworkFromBytes(file.bytes, networkArchitectureFromName(file.model)),
                file.features);
}

} // namespace

void writeOnnx(const std::string& path, const ModelFile& file) {
  const std::string bytes = onnxOf(file);
  if (std::filesystem::exists(path))
    throw UsageError(fmt::format("{} is there already: choose another name, or remove it", path));
  writeWhole(path, "onnx", bytes, false);
}

} // namespace nestwright
