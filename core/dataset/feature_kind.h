#pragma once
/// \file What of a program the rows of a data set hold.

#include "core/feature/schedule_primitives.h"
#include "core/schedule/step.h"
#include "core/target/target.h"
#include "core/tensor/compute_dag.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// A way to make rows of programs.
struct FeatureKind {
  std::string name; // "paper"
  std::size_t columns = 0;
  /// The program's rows, row after row; none for one that cannot be executed, of which nothing is
  /// known. What a kind of steps did not see or know is added to the counts. May be called by
  /// several threads at once.
  std::function<std::vector<float>(const ComputeDag& dag, const Steps& steps,
                                   PrimitiveCounts& counts)>
      rows;
};

/// Named as featureChoice() takes it, for programs of this target. Throws what that throws.
FeatureKind featureKind(std::string_view name, const TargetFacts& target);

} // namespace nestwright
