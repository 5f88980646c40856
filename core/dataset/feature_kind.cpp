#include "core/dataset/feature_kind.h"

#include "core/dataset/feature_options.h"
#include "core/schedule/state.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

/// None for what throws: such programs are met among records, and nothing is known of them.
template <class Rows>
std::vector<float> rowsOrNone(const Rows& rows) {
  try {
    return rows();
  } catch (const Error&) {
    return {};
  }
}

} // namespace

FeatureKind featureKind(std::string_view name, const TargetFacts& target) {
  const ProgramFeatureOptions options = programFeatureOptions(featureChoice(name, target), target);
  if (const auto encoder = options.choice.steps)
    return {std::string(name), encoder->shape().columns,
            [encoder](const ComputeDag&, const Steps& steps, PrimitiveCounts& counts) {
              return rowsOrNone([&] {
                std::vector<float> rows;
                encoder->append(steps, rows, counts);
                return rows;
              });
            }};
  return {std::string(name), options.choice.columns(),
          [options](const ComputeDag& dag, const Steps& steps, PrimitiveCounts&) {
            return rowsOrNone(
                [&] { return programFeatures(State::replay(dag, steps), options).values; });
          }};
}

} // namespace nestwright
