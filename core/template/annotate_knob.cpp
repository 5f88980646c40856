#include "core/template/annotate_knob.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <utility>

namespace nestwright {

namespace {

/// Block axes, virtual threads if there are any, and thread axes, for as many dimensions as the
/// loops suffice for; the loops before them are fused.
Knob bound(std::string name, int loops, bool withVirtualThreads) {
  const int levels = withVirtualThreads ? 3 : 2;
  const int dimensions = std::min(3, loops / levels);
  if (dimensions == 0)
    throw InputError(fmt::format("the knob {} binds {}; it takes {} at least", name,
                                 quantity(loops, "loop"), levels));
  AnnotateEntity entity;
  entity.annotations.assign(static_cast<std::size_t>(loops - dimensions * levels), "fuse");
  const auto bind = [&](const char* axes) {
    for (int d = dimensions; d-- > 0;)
      entity.annotations.push_back(std::string(axes) + "xyz"[d]);
  };
  bind("blockIdx.");
  if (withVirtualThreads)
    entity.annotations.insert(entity.annotations.end(), static_cast<std::size_t>(dimensions),
                              "vthread");
  bind("threadIdx.");
  return {std::move(name), {std::move(entity)}};
}

} // namespace

Knob annotations(std::string name, int loops, const std::vector<std::string>& each) {
  Knob knob{std::move(name), {}};
  AnnotateEntity entity;
  const auto annotate = [&](const auto& self) -> void {
    if (std::ssize(entity.annotations) == loops) {
      if (std::ranges::count(entity.annotations, "vec") <= 1) knob.values.emplace_back(entity);
      return;
    }
    for (const std::string& annotation : each) {
      entity.annotations.push_back(annotation);
      self(self);
      entity.annotations.pop_back();
    }
  };
  annotate(annotate);
  return knob;
}

Knob boundToGpu(std::string name, int loops) {
  return bound(std::move(name), loops, false);
}

Knob boundToGpuWithVirtualThreads(std::string name, int loops) {
  return bound(std::move(name), loops, true);
}

Knob options(std::string name, std::vector<OptionEntity> values) {
  Knob knob{std::move(name), {}};
  for (OptionEntity& value : values)
    knob.values.emplace_back(std::move(value));
  return knob;
}

} // namespace nestwright
