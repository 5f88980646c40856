#pragma once
/// \file What AutoTVM's cost models see of a template's configuration (handbook/cost-models.md
/// 3.4).

#include "core/feature/feature_cache.h"
#include "core/feature/knob_features.h"
#include "core/template/task_template.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nestwright {

enum class TemplateFeatureKind : std::uint8_t {
  Itervar, // of every loop and every access under it
  Knob,    // the values of the knobs
  Curve,   // relations sampled along the loops of each access, alike for all shapes
  Tree     // a row a node of the loop nest (tree_features.h), where the others have one row
};
/// "itervar", "knob", "curve", "tree".
const char* name(TemplateFeatureKind kind);
/// Throws UsageError that lists them.
TemplateFeatureKind templateFeatureKind(std::string_view name);

/// Vectors of a task's configurations. They may differ in length, where loops do: models fill up
/// with zeros. But for those of Knob, which take no time, they are kept once computed, up to
/// 100,000 of them and 180 MB; then all are dropped. Thread-compatible.
class TemplateFeatures {
 public:
  /// Both are to outlive this.
  TemplateFeatures(const ComputeDag& task, const TaskTemplate& of, TemplateFeatureKind kind);

  /// One vector a configuration, on all cores; empty for one whose program cannot be made, which
  /// Knob does not ask. Throws InputError for an index that is not in the space.
  std::vector<std::vector<float>> of(std::span<const std::int64_t> configs);

  /// How many vectors are kept.
  std::size_t kept() const { return cache_.size(); }

 private:
  std::vector<float> compute(std::int64_t config) const;

  const ComputeDag* task_;
  const TaskTemplate* template_;
  TemplateFeatureKind kind_;
  KnobFeatures knobs_;
  FeatureCache cache_;
};

} // namespace nestwright
