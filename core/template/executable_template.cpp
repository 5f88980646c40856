#include "core/template/executable_template.h"

#include "core/support/error.h"
#include "core/template/plugin_template.h"

#include <algorithm>
#include <variant>

namespace nestwright {

const Entity* KnobValues::find(std::string_view knob) const {
  const auto found = std::ranges::find(*entities_, knob, &NamedEntity::knob);
  return found == entities_->end() ? nullptr : &found->entity;
}

const Entity& KnobValues::at(std::string_view knob) const {
  const Entity* found = find(knob);
  NW_ASSERT(found != nullptr, "the configuration has no knob {}", knob);
  return *found;
}

std::vector<std::int64_t> KnobValues::innerSizes(std::string_view knob) const {
  const std::vector<std::int64_t>& sizes = std::get<SplitEntity>(at(knob)).sizes;
  return {sizes.begin() + 1, sizes.end()};
}

bool KnobValues::flag(std::string_view knob) const {
  return std::get<bool>(std::get<OptionEntity>(at(knob)).value);
}

std::int64_t KnobValues::number(std::string_view knob) const {
  return std::get<std::int64_t>(std::get<OptionEntity>(at(knob)).value);
}

const ExecutableTemplate* findExecutable(std::string_view name) {
  for (const ExecutableTemplate* known :
       {&kDensePack, &kDenseNopack, &kBatchMatmul, &kConv2dPacked, &kDepthwisePacked, &kConv3dNcdhw,
        &kConv3dNdhwc, &kDenseLargeBatchGpu, &kDenseSmallBatchGpu, &kBatchMatmulCuda, &kConv2dCuda,
        &kDepthwiseCuda})
    if (known->name == name) return known;
  for (const PluginTemplate* each : pluginTemplates())
    if (each->programs.name == name) return &each->programs;
  return nullptr;
}

} // namespace nestwright
