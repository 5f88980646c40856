#include "core/session/schedule/similarity.h"

#include "core/tensor/access_analysis.h"

#include <fmt/format.h>

#include <cmath>

namespace nestwright {

std::string similarityTag(const ComputeDag& dag) {
  std::string given, names;
  const AccessAnalysis analysis(dag);
  for (int op = 0; op < static_cast<int>(dag.size()); ++op) {
    if (const std::string& tag = dag[op]->attributes.similarityTag; !tag.empty())
      given += tag + "_";
    if (analysis.needsMultiLevelTiling(op)) names += dag[op]->name() + "_";
  }
  // The public implementation goes by tags alone, which none of its operators carries: no task of
  // a network would ever learn from another.
  const std::string& tag = given.empty() ? names : given;
  if (tag.empty()) return tag;
  constexpr double kGoldenRatio = 1.618;
  return tag + fmt::format("{:.0f}", std::floor(std::log(flops(dag) + 1) / std::log(kGoldenRatio)));
}

} // namespace nestwright
