#include "core/feature/knob_features.h"

#include "core/support/error.h"
#include "core/support/overloaded.h"

#include <algorithm>
#include <array>

namespace nestwright {
namespace {

/// In the order of their places.
constexpr std::array kLoopMarks = {"none",        "vec",        "unroll",      "blockIdx.x",
                                   "blockIdx.y",  "blockIdx.z", "threadIdx.x", "threadIdx.y",
                                   "threadIdx.z", "vthread",    "fuse"};

std::vector<float> numbersOf(const AnnotateEntity& entity) {
  std::vector<float> numbers;
  for (const std::string& annotation : entity.annotations)
    for (const char* known : kLoopMarks)
      numbers.push_back(annotation == known ? 1 : 0);
  return numbers;
}

std::vector<float> numbersOf(const OptionEntity& entity, std::size_t place) {
  const auto number =
      std::visit(Overloaded{[](bool value) { return value ? 1.0F : 0.0F; },
                            [](std::int64_t value) { return static_cast<float>(value); },
                            [&](const std::string&) { return static_cast<float>(place); }},
                 entity.value);
  return {number};
}

std::vector<float> numbersOf(const Entity& entity, std::size_t place) {
  return std::visit(
      Overloaded{[](const SplitEntity& split) {
                   return std::vector<float>(split.sizes.begin(), split.sizes.end());
                 },
                 [](const ReorderEntity& reorder) {
                   return std::vector<float>(reorder.order.begin(), reorder.order.end());
                 },
                 [](const AnnotateEntity& annotate) { return numbersOf(annotate); },
                 [&](const OptionEntity& option) { return numbersOf(option, place); }},
      entity);
}

} // namespace

KnobFeatures::KnobFeatures(const ConfigSpace& space) : size_(space.size()) {
  for (const Knob& knob : space.knobs()) {
    KnobTable table;
    std::size_t longest = 0;
    for (std::size_t place = 0; place < knob.values.size(); ++place) {
      table.isOption = std::holds_alternative<OptionEntity>(knob.values[place]);
      longest =
          std::max(longest, table.values.emplace_back(numbersOf(knob.values[place], place)).size());
    }
    length_ += longest;
    knobs_.push_back(std::move(table));
  }
}

std::vector<float> KnobFeatures::collect(std::int64_t config, bool optionsOnly) const {
  if (config < 0 || config >= size_)
    throw InputError(fmt::format("there is no configuration {} in a space of {}", config, size_));
  std::vector<float> features;
  features.reserve(length_);
  for (const KnobTable& knob : knobs_) {
    const auto values = static_cast<std::int64_t>(knob.values.size());
    const std::vector<float>& numbers = knob.values[static_cast<std::size_t>(config % values)];
    config /= values;
    if (!optionsOnly || knob.isOption)
      features.insert(features.end(), numbers.begin(), numbers.end());
  }
  return features;
}

std::vector<float> KnobFeatures::of(std::int64_t config) const {
  return collect(config, false);
}

std::vector<float> KnobFeatures::optionsOf(std::int64_t config) const {
  return collect(config, true);
}

} // namespace nestwright
