#include "core/dataset/feature_kind.h"

#include "core/dataset/feature_options.h"
#include "core/schedule/state.h"
#include "core/support/error.h"

namespace nestwright {

FeatureKind featureKind(std::string_view name, const TargetFacts& target) {
  const ProgramFeatureOptions options = programFeatureOptions(featureChoice(name, target), target);
  return {std::string(name), options.choice.columns(),
          [options](const ComputeDag& dag, const Steps& steps) {
            try {
              return programFeatures(State::replay(dag, steps), options).values;
            } catch (const Error&) { // as programFeatures() of many has it
              return std::vector<float>();
            }
          }};
}

} // namespace nestwright
