#include "core/measure/artifact_json.h"

#include "core/measure/launch_fields.h"
#include "core/support/error.h"
#include "core/worker/frame_fields.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright {

using nlohmann::json;

namespace {

// Larger than any memory that a kernel could be given, and small enough to be added up.
constexpr std::int64_t kMostBytes = 1ll << 40;

/// Throws BadFrame when it is no layout.
PackedLayout packedLayout(const json& fields) {
  PackedLayout layout;
  for (const json& extent : listField(fields, "shape"))
    layout.shape.push_back(wholeValue(extent, "shape", 1, kMostBytes));
  for (const json& axis : listField(fields, "axes")) {
    if (!axis.is_string()) throw BadFrame("\"axes\" must be names");
    layout.axes.push_back(axis.get<std::string>());
  }
  if (layout.axes.size() != layout.shape.size())
    throw BadFrame("a layout has a name for each of its axes");
  double elements = 1;
  for (const json& part : listField(fields, "parts")) {
    if (!part.is_array() || part.size() != 3)
      throw BadFrame("a part of a layout is a dimension, an extent and a size");
    const auto last = static_cast<std::int64_t>(layout.shape.size()) - 1;
    layout.parts.push_back({static_cast<int>(wholeValue(part[0], "parts", 0, last)),
                            wholeValue(part[1], "parts", 1, kMostBytes),
                            wholeValue(part[2], "parts", 1, kMostBytes)});
    elements *= static_cast<double>(layout.parts.back().extent);
  }
  if (elements > static_cast<double>(kMostBytes)) throw BadFrame("a layout is too large");
  try {
    validate(layout);
  } catch (const InputError& e) {
    throw BadFrame(e.what());
  }
  return layout;
}

} // namespace

json toJson(const KernelArtifact& artifact) {
  json layouts = json::array();
  for (const auto& layout : artifact.layouts)
    layouts.push_back(layout ? toJson(*layout) : json());
  return {{"entry", artifact.entry},
          {"launches", launchesJson(artifact.launches)},
          {"architecture", artifact.architecture},
          {"compiler", artifact.compiler},
          {"workspace_bytes", artifact.workspaceBytes},
          {"thread_workspace_bytes", artifact.threadWorkspaceBytes},
          {"parameter_bytes", artifact.parameterBytes},
          {"input_count", artifact.inputCount},
          {"layouts", std::move(layouts)}};
}

KernelArtifact kernelArtifact(const json& fields, std::vector<std::uint8_t> code) {
  KernelArtifact artifact;
  artifact.entry = textField(fields, "entry");
  artifact.architecture = textField(fields, "architecture");
  artifact.compiler = textField(fields, "compiler");
  artifact.workspaceBytes = wholeField(fields, "workspace_bytes", 0, kMostBytes);
  artifact.threadWorkspaceBytes = wholeField(fields, "thread_workspace_bytes", 0, kMostBytes);
  for (const json& bytes : listField(fields, "parameter_bytes"))
    artifact.parameterBytes.push_back(wholeValue(bytes, "parameter_bytes", 0, kMostBytes));
  artifact.inputCount = intField(fields, "input_count", 0);
  const json& layouts = listField(fields, "layouts");
  if (artifact.parameterBytes.size() < static_cast<std::size_t>(artifact.inputCount) ||
      artifact.parameterBytes.size() < layouts.size())
    throw BadFrame("a kernel has more inputs or layouts than parameters");
  for (const json& layout : layouts)
    artifact.layouts.push_back(layout.is_null() ? std::nullopt
                                                : std::optional(packedLayout(layout)));
  artifact.launches = launchesIn(listField(fields, "launches"), artifact);
  artifact.code = std::move(code);
  return artifact;
}

json toJson(const PackedLayout& layout) {
  json parts = json::array();
  for (const PackedLayout::Part& part : layout.parts)
    parts.push_back({part.dimension, part.extent, part.size});
  return {{"shape", layout.shape}, {"axes", layout.axes}, {"parts", std::move(parts)}};
}

} // namespace nestwright
