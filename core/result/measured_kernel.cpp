#include "core/result/measured_kernel.h"

#include "core/support/json_fields.h"
#include "core/support/units.h"

#include <fmt/format.h>

namespace nestwright {

template <class Io>
void fields(Io& io, Occupancy& occupancy) {
  io("blocks", occupancy.blocks);
  io("warps", occupancy.warps);
  io("most_warps", occupancy.mostWarps);
  io.named("limited_by", occupancy.limit, occupancyLimitFromName);
}

template <class Io>
void fields(Io& io, MeasuredKernel& kernel) {
  io("entry", kernel.entry);
  io("registers", kernel.registers);
  io("spill_bytes", kernel.spillBytes);
  io("stack_bytes", kernel.stackBytes);
  io("shared_bytes", kernel.sharedBytes);
  io.object("occupancy", kernel.occupancy);
}

std::string inWords(const MeasuredKernel& kernel) {
  const auto bytes = [](std::int64_t value) { return formatBytes(static_cast<double>(value)); };
  return fmt::format(
      "{}: {} registers, {}, {} of shared memory; {}", kernel.entry, kernel.registers,
      kernel.spillBytes > 0 ? fmt::format("{} spilled", bytes(kernel.spillBytes)) : "no spills",
      bytes(kernel.sharedBytes), inWords(kernel.occupancy));
}

nlohmann::json toJson(const std::vector<MeasuredKernel>& kernels) {
  nlohmann::json list = nlohmann::json::array();
  for (const MeasuredKernel& kernel : kernels)
    list.push_back(toFields(kernel));
  return list;
}

std::vector<MeasuredKernel> measuredKernelsFromJson(const nlohmann::json& json) {
  std::vector<MeasuredKernel> kernels;
  for (const nlohmann::json& kernel : json)
    readFields(kernel, kernels.emplace_back());
  return kernels;
}

} // namespace nestwright
