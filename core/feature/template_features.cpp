#include "core/feature/template_features.h"

#include "core/feature/curve_features.h"
#include "core/feature/itervar_features.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/parallel.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {
namespace {

constexpr NameTable<TemplateFeatureKind, 3> kKinds{{"itervar", "knob", "curve"}};

/// Empty where the program cannot be made.
std::vector<float> featuresOfLoops(const ComputeDag& task, const TaskTemplate& of,
                                TemplateFeatureKind kind, std::int64_t config) {
  const std::vector<NamedEntity> entities = of.space.at(config);
  try {
    const TemplateProgram program = templateProgram(task, of, entities);
    const State state = State::replay(program.dag, program.steps);
    const TouchedNest nest = touchedNest(state, inferBounds(state));
    return kind == TemplateFeatureKind::Itervar ? itervarFeatures(nest) : curveFeatures(nest);
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
    : task_(&task), template_(&of), kind_(kind), knobs_(of.space) {}

std::vector<float> TemplateFeatures::compute(std::int64_t config) const {
  const std::vector<float> options = knobs_.optionsOf(config);
  std::vector<float> features = featuresOfLoops(*task_, *template_, kind_, config);
  if (!features.empty()) features.insert(features.end(), options.begin(), options.end());
  return features;
}

void TemplateFeatures::keep(std::int64_t config, std::vector<float> features) {
  if (cache_.size() >= kMostKept || kept_ + features.size() > kMostNumbers) {
    cache_.clear();
    kept_ = 0;
  }
  kept_ += features.size();
  cache_.emplace(config, std::move(features));
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
  missing.erase(std::ranges::unique(missing).begin(), missing.end());
  std::vector<std::vector<float>> computed(missing.size());
  parallelFor(missing.size(), 0, [&](std::size_t i) { computed[i] = compute(missing[i]); });
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto place = std::ranges::lower_bound(missing, configs[i]);
    const bool isNew = place != missing.end() && *place == configs[i];
    features[i] =
        isNew ? computed[static_cast<std::size_t>(place - missing.begin())] : cache_.at(configs[i]);
  }
  for (std::size_t i = 0; i < missing.size(); ++i)
    keep(missing[i], std::move(computed[i]));
  return features;
}

} // namespace nestwright
