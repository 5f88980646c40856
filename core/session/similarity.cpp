#include "core/session/similarity.h"

#include "core/tensor/access_analysis.h"

#include <fmt/format.h>

#include <cmath>

namespace nestwright {

std::string similarityTag(const ComputeDag& dag) {
  const AccessAnalysis analysis(dag);
  std::string tag;
  for (int op = 0; op < static_cast<int>(dag.size()); ++op)
    if (analysis.needsMultiLevelTiling(op)) tag += dag[op]->name() + "_";
  if (tag.empty()) return tag;
  constexpr double kGoldenRatio = 1.618;
  return tag + fmt::format("{:.0f}", std::floor(std::log(flops(dag) + 1) / std::log(kGoldenRatio)));
}

} // namespace nestwright
