#include "core/feature/template_features.h"

#include "core/feature/curve_features.h"
#include "core/feature/itervar_features.h"
#include "core/feature/tree_features.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/parallel.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {
namespace {

constexpr NameTable<TemplateFeatureKind, 4> kKinds{{"itervar", "knob", "curve", "tree"}};

constexpr std::size_t kMostKept = 100'000;
constexpr std::size_t kMostNumbers = 45'000'000; // 180 MB

/// Of the nest and the configuration's options.
std::vector<float> featuresOf(const TouchedNest& nest, TemplateFeatureKind kind,
                              const std::vector<float>& options) {
  if (kind == TemplateFeatureKind::Tree) return treeFeatures(nest, options);
  std::vector<float> features =
      kind == TemplateFeatureKind::Itervar ? itervarFeatures(nest) : curveFeatures(nest);
  if (!features.empty()) features.insert(features.end(), options.begin(), options.end());
  return features;
}

/// Empty where the program cannot be made.
std::vector<float> featuresOfLoops(const ComputeDag& task, const TaskTemplate& of,
                                   TemplateFeatureKind kind, std::int64_t config,
                                   const std::vector<float>& options) {
  const std::vector<NamedEntity> entities = of.space.at(config);
  try {
    const TemplateProgram program = templateProgram(task, of, entities);
    const State state = State::replay(program.dag, program.steps);
    return featuresOf(touchedNest(state, inferBounds(state)), kind, options);
  } catch (const IllegalSchedule&) {
    return {};
  }
}

} // namespace

const char* name(TemplateFeatureKind kind) {
  return kKinds.of(kind);
}

TemplateFeatureKind templateFeatureKind(std::string_view name) {
  if (const auto kind = kKinds.find(name)) return *kind;
  throw UsageError(fmt::format("there are no features \"{}\" of templates; known are: {}", name,
                               fmt::join(kKinds.names, ", ")));
}

TemplateFeatures::TemplateFeatures(const ComputeDag& task, const TaskTemplate& of,
                                   TemplateFeatureKind kind)
    : task_(&task), template_(&of), kind_(kind), knobs_(of.space), cache_(kMostKept, kMostNumbers) {
}

std::vector<float> TemplateFeatures::compute(std::int64_t config) const {
  return featuresOfLoops(*task_, *template_, kind_, config, knobs_.optionsOf(config));
}

std::vector<std::vector<float>> TemplateFeatures::of(std::span<const std::int64_t> configs) {
  std::vector<std::vector<float>> features(configs.size());
  if (kind_ == TemplateFeatureKind::Knob) { // quicker than looking them up
    for (std::size_t i = 0; i < configs.size(); ++i)
      features[i] = knobs_.of(configs[i]);
    return features;
  }
  std::vector<std::int64_t> missing;
  for (const std::int64_t config : configs)
    if (!cache_.contains(config)) missing.push_back(config);
  std::ranges::sort(missing);
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  std::vector<std::vector<float>> computed(missing.size());
  parallelFor(missing.size(), 0, [&](std::size_t i) { computed[i] = compute(missing[i]); });
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto place = std::ranges::lower_bound(missing, configs[i]);
    const bool isNew = place != missing.end() && *place == configs[i];
    features[i] =
        isNew ? computed[static_cast<std::size_t>(place - missing.begin())] : cache_.at(configs[i]);
  }
  for (std::size_t i = 0; i < missing.size(); ++i)
    cache_.add(missing[i], std::move(computed[i]));
  return features;
}

} // namespace nestwright
