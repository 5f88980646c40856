#include "core/measure/launch_fields.h"

#include "core/worker/frame_fields.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

using nlohmann::json;

// Generous: what a GPU really has is checked where the kernel is loaded.
constexpr std::int64_t kMostBlocks = 2'147'483'647, kMostThreads = 1024;
constexpr std::int64_t kMostSharedBytes = 1 << 20, kMostThreadBytes = 1ll << 32;
constexpr std::int64_t kMostRegisters = 1 << 16, kMostWarps = 1 << 10;

json resourcesJson(const KernelResources& resources) {
  return {{"registers", resources.registers},
          {"spill_store_bytes", resources.spillStoreBytes},
          {"spill_load_bytes", resources.spillLoadBytes},
          {"stack_bytes", resources.stackBytes},
          {"static_shared_bytes", resources.staticSharedBytes},
          {"barriers", resources.barriers},
          {"blocks", resources.occupancy.blocks},
          {"warps", resources.occupancy.warps},
          {"most_warps", resources.occupancy.mostWarps},
          {"limit", static_cast<int>(resources.occupancy.limit)}};
}

KernelResources resourcesIn(const json& fields) {
  const auto count = [&](const char* name, std::int64_t most) {
    return static_cast<int>(wholeField(fields, name, 0, most));
  };
  KernelResources resources;
  resources.registers = count("registers", kMostRegisters);
  resources.spillStoreBytes = wholeField(fields, "spill_store_bytes", 0, kMostThreadBytes);
  resources.spillLoadBytes = wholeField(fields, "spill_load_bytes", 0, kMostThreadBytes);
  resources.stackBytes = wholeField(fields, "stack_bytes", 0, kMostThreadBytes);
  resources.staticSharedBytes = wholeField(fields, "static_shared_bytes", 0, kMostSharedBytes);
  resources.barriers = count("barriers", kMostWarps);
  resources.occupancy.blocks = count("blocks", kMostWarps);
  resources.occupancy.warps = count("warps", kMostWarps);
  resources.occupancy.mostWarps = count("most_warps", kMostWarps);
  resources.occupancy.limit = static_cast<OccupancyLimit>(
      count("limit", static_cast<std::int64_t>(OccupancyLimit::SharedMemory)));
  return resources;
}

std::array<std::int64_t, 3> extentsIn(const json& fields, const char* name, std::int64_t most) {
  const json& list = listField(fields, name);
  if (list.size() != 3) throw BadFrame("a launch has an extent along each of three axes");
  std::array<std::int64_t, 3> extents{};
  for (std::size_t i = 0; i < 3; ++i)
    extents[i] = wholeValue(list[i], name, 1, most);
  return extents;
}

LaunchArgument argumentIn(const json& pair, const KernelArtifact& artifact) {
  if (!pair.is_array() || pair.size() != 2)
    throw BadFrame("an argument of a launch is a parameter and an offset");
  const auto last = static_cast<std::int64_t>(artifact.parameterBytes.size()) - 1;
  LaunchArgument argument;
  argument.parameter = static_cast<int>(wholeValue(pair[0], "arguments", -1, last));
  argument.workspaceOffset = wholeValue(pair[1], "arguments", 0, artifact.workspaceBytes);
  return argument;
}

KernelLaunch launchIn(const json& fields, const KernelArtifact& artifact) {
  KernelLaunch launch;
  launch.entry = textField(fields, "entry");
  launch.grid = extentsIn(fields, "grid", kMostBlocks);
  launch.block = extentsIn(fields, "block", kMostThreads);
  launch.dynamicSharedBytes = wholeField(fields, "dynamic_shared_bytes", 0, kMostSharedBytes);
  for (const json& pair : listField(fields, "arguments"))
    launch.arguments.push_back(argumentIn(pair, artifact));
  launch.resources = resourcesIn(fieldOf(fields, "resources"));
  return launch;
}

} // namespace

json launchesJson(const std::vector<KernelLaunch>& launches) {
  json list = json::array();
  for (const KernelLaunch& launch : launches) {
    json arguments = json::array();
    for (const LaunchArgument& argument : launch.arguments)
      arguments.push_back({argument.parameter, argument.workspaceOffset});
    list.push_back({{"entry", launch.entry},
                    {"grid", launch.grid},
                    {"block", launch.block},
                    {"dynamic_shared_bytes", launch.dynamicSharedBytes},
                    {"arguments", std::move(arguments)},
                    {"resources", resourcesJson(launch.resources)}});
  }
  return list;
}

std::vector<KernelLaunch> launchesIn(const json& list, const KernelArtifact& artifact) {
  std::vector<KernelLaunch> launches;
  for (const json& fields : list)
    launches.push_back(launchIn(fields, artifact));
  return launches;
}

} // namespace nestwright
