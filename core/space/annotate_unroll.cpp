#include "core/schedule/pragma.h"
#include "core/space/annotate.h"
#include "core/space/state_facts.h"

namespace nestwright {

namespace {

/// Unrolls the listed loops of the innermost tile. It ends, going outwards, where an axis comes
/// again.
void unrollListed(State& state, int id, const std::vector<std::string>& listed) {
  std::vector<std::string> seen;
  const std::vector<Iterator> iterators = state.stage(id).iterators;
  for (int i = static_cast<int>(iterators.size()) - 1; i >= 0; --i) {
    const std::vector<std::string> names = originalNames(iterators[i].name);
    for (const std::string& name : names) {
      if (isListed(seen, name)) return;
      seen.push_back(name);
    }
    if (iterators[i].annotation == Annotation::None && names.size() == 1 &&
        isListed(listed, names[0]))
      state.apply(AnnotationStep{id, i, Annotation::Unroll});
  }
}

} // namespace

void annotateUnroll(State& state, const SpaceOptions& options, Random& random,
                    const ProgramChoices& choices) {
  for (int id = 0; id < state.stageCount(); ++id) {
    const Stage& stage = state.stage(id);
    if (!hasLoops(stage)) continue;
    if (const auto& listed = stage.op->attributes.alwaysUnrollInner; !listed.empty())
      unrollListed(state, id, listed);
    if (!hasReduceIterator(stage) || options.unrollSteps.empty()) continue;
    const auto chosen = choices.unroll.find(stage.name());
    const std::int64_t limit =
        chosen != choices.unroll.end() ? chosen->second : random.pick(options.unrollSteps);
    state.apply(PragmaStep{id, 0, pragmaText(Pragma::AutoUnroll, limit)});
  }
}

} // namespace nestwright
