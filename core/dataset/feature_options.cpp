#include "core/dataset/feature_options.h"

#include "core/backend/backend.h"

namespace nestwright {

ProgramFeatureOptions programFeatureOptions(FeatureChoice choice, const TargetFacts& target) {
  ProgramFeatureOptions options;
  options.choice = choice;
  options.choice.gpu = target.gpu.has_value();
  options.paper.cacheLineBytes = target.cacheLineBytes;
  options.lowered.lowering = lowerOptionsFor(target);
  options.lowered.lineBytes = target.cacheLineBytes;
  options.lowered.l1Bytes = static_cast<double>(target.l1Bytes);
  options.lowered.l2Bytes = static_cast<double>(target.l2Bytes);
  options.lowered.l3Bytes = static_cast<double>(target.l3Bytes);
  options.lowered.cores = target.cores;
  return options;
}

} // namespace nestwright
