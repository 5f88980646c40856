#include "core/search/step_crossover.h"

#include "core/schedule/pragma.h"
#include "core/search/mutation.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright {
namespace {

bool actsAlike(const Step& a, const Step& b) {
  if (a == b) return true;
  if (a.index() != b.index()) return false;
  // Equal but for the decision.
  Step other = b;
  if (const auto* split = std::get_if<SplitStep>(&a)) {
    auto& theirs = std::get<SplitStep>(other);
    if (theirs.factors.size() != split->factors.size()) return false;
    theirs.factors = split->factors;
  } else if (const auto* at = std::get_if<ComputeAtStep>(&a)) {
    std::get<ComputeAtStep>(other).targetIterator = at->targetIterator;
  } else if (const auto* pragma = std::get_if<PragmaStep>(&a)) {
    auto& theirs = std::get<PragmaStep>(other).pragma;
    if (pragmaKindOf(theirs) == pragmaKindOf(pragma->pragma)) theirs = pragma->pragma;
  } else if (const auto* rows = std::get_if<StorageAlignStep>(&a)) {
    std::get<StorageAlignStep>(other).factor = rows->factor;
    std::get<StorageAlignStep>(other).offset = rows->offset;
  }
  return a == other;
}

} // namespace

SharedSteps sharedSteps(const Steps& first, const Steps& second) {
  SharedSteps shared;
  const std::size_t most = std::min(first.size(), second.size());
  while (shared.count < most && actsAlike(first[shared.count], second[shared.count])) {
    if (!(first[shared.count] == second[shared.count])) shared.differing.push_back(shared.count);
    ++shared.count;
  }
  return shared;
}

CrossoverResult crossSteps(const State& first, const State& second, const SharedSteps& shared,
                           const std::vector<int>& owners, int rest, const SpaceOptions& options) {
  NW_ASSERT(owners.size() == shared.differing.size(), "{} owners for {} decisions", owners.size(),
            shared.differing.size());
  CrossoverResult result;
  Steps steps = rest == 0 ? first.steps() : second.steps();
  result.origins.assign(steps.size(), rest);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const std::size_t at = shared.differing[i];
    steps[at] = (owners[i] == 0 ? first : second).steps()[at];
    result.origins[at] = owners[i];
  }
  result.child = legalProgram(first.originalDag(), steps, options, &result.refusal);
  if (!result.child) result.origins.clear();
  return result;
}

} // namespace nestwright
