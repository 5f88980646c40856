#include "core/search/decisions/decision_moves.h"
#include "core/search/mutation.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

/// Outer loops of the stage that can be joined into one parallel loop.
int joinableOf(const State& state, int stage) {
  int count = 0;
  for (const Iterator& iterator : state.stage(stage).iterators) {
    if (iterator.isReduction() || iterator.annotation != Annotation::None ||
        state.hasAttachedAt({stage, count}))
      break;
    ++count;
  }
  return count;
}

/// Shifts the loops that a later step names; false when the step cannot follow the change. A later
/// fuse (of vectorised loops) can; in the public implementation it ends the mutation, which then
/// leaves out every stage with a joined vector.
bool shift(Step& step, int stage, int offset) {
  if (const auto* at = std::get_if<ComputeAtStep>(&step); at && at->targetStage == stage)
    return false;
  if (std::holds_alternative<CacheWriteStep>(step) || std::holds_alternative<CacheReadStep>(step) ||
      std::holds_alternative<RfactorStep>(step))
    return false;
  if (stageOf(step) != stage) return true;
  if (auto* annotation = std::get_if<AnnotationStep>(&step)) {
    if (annotation->iterator != 0) annotation->iterator += offset;
    return true;
  }
  if (auto* pragma = std::get_if<PragmaStep>(&step)) {
    if (pragma->iterator != 0) pragma->iterator += offset;
    return true;
  }
  if (auto* fuse = std::get_if<FuseStep>(&step)) {
    for (int& iterator : fuse->iterators)
      iterator += offset;
    return true;
  }
  return false;
}

Steps stepsBefore(const Steps& steps, const ParallelMark& mark) {
  const auto end = steps.begin() + static_cast<std::ptrdiff_t>(mark.step - (mark.fused ? 1 : 0));
  return {steps.begin(), end};
}

} // namespace

/// All of them. The public implementation takes only those behind a fuse: a program that began with
/// one parallel loop could never get another number of them.
std::vector<ParallelMark> parallelMarks(const Steps& steps) {
  std::vector<ParallelMark> marks;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* annotation = std::get_if<AnnotationStep>(&steps[i]);
    if (!annotation || annotation->annotation != Annotation::Parallel || annotation->iterator != 0)
      continue;
    ParallelMark mark{i, false, 1};
    if (i > 0)
      if (const auto* fuse = std::get_if<FuseStep>(&steps[i - 1]))
        if (fuse->stage == annotation->stage && !fuse->iterators.empty() &&
            fuse->iterators[0] == 0) {
          mark.fused = true;
          mark.loops = static_cast<int>(fuse->iterators.size());
        }
    marks.push_back(mark);
  }
  return marks;
}

int joinableLoops(const State& parent, const ParallelMark& mark) {
  const Steps& steps = parent.steps();
  return joinableOf(State::replay(parent.originalDag(), stepsBefore(steps, mark)),
                    stageOf(steps[mark.step]));
}

std::optional<Steps> withParallelLoops(const Steps& steps, const ParallelMark& mark, int loops) {
  const int stage = stageOf(steps[mark.step]);
  Steps changed = stepsBefore(steps, mark);
  if (loops > 1) {
    FuseStep fuse{stage, {}};
    for (int i = 0; i < loops; ++i)
      fuse.iterators.push_back(i);
    changed.push_back(std::move(fuse));
  }
  for (std::size_t i = mark.step; i < steps.size(); ++i) {
    changed.push_back(steps[i]);
    if (i > mark.step && !shift(changed.back(), stage, mark.loops - loops)) return std::nullopt;
  }
  return changed;
}

std::optional<State> mutateParallel(const State& parent, const SpaceOptions& options,
                                    Random& random) {
  const std::vector<ParallelMark> marks = parallelMarks(parent.steps());
  if (marks.empty()) return std::nullopt;
  const ParallelMark mark = random.pick(marks);
  try {
    const int joinable = joinableLoops(parent, mark);
    if (joinable == 0) return std::nullopt;
    const int loops = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(joinable)));
    if (loops == mark.loops) return std::nullopt;
    const std::optional<Steps> changed = withParallelLoops(parent.steps(), mark, loops);
    return changed ? legalProgram(parent.originalDag(), *changed, options) : std::nullopt;
  } catch (const IllegalSchedule&) {
    return std::nullopt;
  }
}

} // namespace nestwright
