#include "core/search/mutation.h"

#include "core/schedule/bounds.h"
#include "core/schedule/pragma.h"
#include "core/space/kernel_decisions.h"
#include "core/space/legality.h"
#include "core/support/error.h"

namespace nestwright {

std::optional<State> legalProgram(const ComputeDag& dag, const Steps& steps,
                                  const SpaceOptions& options, std::string* reason) {
  try {
    const State replayed = State::replay(dag, steps);
    const Bounds bounds = inferBounds(replayed);
    State state = withBounds(replayed, bounds);
    const std::optional<Illegality> illegal = illegality(state, bounds, options);
    if (!illegal) return state;
    if (reason) *reason = illegal->text;
  } catch (const IllegalSchedule& e) { // an expected outcome: the caller draws again
    if (reason) *reason = e.what();
  }
  return std::nullopt;
}

std::optional<State> mutateKernel(const State& parent, const SpaceOptions& options,
                                  Random& random) {
  try {
    const std::vector<KernelDecision> open = kernelDecisions(parent, inferBounds(parent), options);
    if (open.empty()) return std::nullopt;
    const KernelDecision& decision = random.pick(open);
    const Steps steps = withChoice(parent.steps(), decision, random.pick(decision.choices));
    if (steps == parent.steps()) return std::nullopt;
    return legalProgram(parent.originalDag(), steps, options);
  } catch (const IllegalSchedule&) {
    return std::nullopt;
  }
}

std::optional<State> mutateUnroll(const State& parent, const SpaceOptions& options,
                                  Random& random) {
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < parent.steps().size(); ++i)
    if (const auto* step = std::get_if<PragmaStep>(&parent.steps()[i]))
      if (const PragmaKind* kind = pragmaKindOf(step->pragma);
          kind != nullptr && kind->pragma == Pragma::AutoUnroll)
        eligible.push_back(i);
  if (eligible.empty() || options.unrollSteps.empty()) return std::nullopt;
  Steps steps = parent.steps();
  auto& step = std::get<PragmaStep>(steps[random.pick(eligible)]);
  std::string pragma = pragmaText(Pragma::AutoUnroll, random.pick(options.unrollSteps));
  // The public implementation keeps the parent as its own child; here the caller draws again.
  if (pragma == step.pragma) return std::nullopt;
  step.pragma = std::move(pragma);
  return legalProgram(parent.originalDag(), steps, options);
}

} // namespace nestwright
