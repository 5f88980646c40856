#include "core/search/decisions/program_decisions.h"

#include "core/schedule/pragma.h"
#include "core/search/decisions/decision_moves.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace nestwright {

namespace {

class DecisionList {
 public:
  explicit DecisionList(const ComputeDag& dag) : now_(dag) {}

  /// Of steps that are known to replay: their indices are used before they are applied.
  std::vector<ProgramDecision> of(const Steps& steps) && {
    const std::vector<ParallelMark> marks = parallelMarks(steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (const auto* split = std::get_if<SplitStep>(&steps[i]))
        addTiles(*split, partSizes(steps, i));
      if (const auto* pragma = std::get_if<PragmaStep>(&steps[i])) addUnroll(*pragma);
      if (const auto* place = std::get_if<ComputeAtStep>(&steps[i])) addPlace(*place);
      const auto* annotation = std::get_if<AnnotationStep>(&steps[i]);
      if (annotation && annotation->annotation == Annotation::Vectorize)
        addLoops(DecisionKind::Vectorize, annotation->stage, joinedBefore(steps, i, *annotation));
      const auto mark = std::ranges::find(marks, i, &ParallelMark::step);
      if (mark != marks.end()) addLoops(DecisionKind::Parallel, stageOf(steps[i]), mark->loops);
      now_.apply(steps[i]);
    }
    return std::move(found_);
  }

 private:
  std::string stageName(int stage) const { return now_.stage(stage).name(); }

  void add(DecisionKind kind, std::string decision, std::string name, std::string value,
           std::int64_t ordered) {
    const auto [place, isNew] = places_.try_emplace(name, found_.size());
    if (isNew) found_.emplace_back();
    found_[place->second] = {kind, std::move(decision), std::move(name), std::move(value), ordered};
  }

  void addTiles(const SplitStep& split, const std::vector<std::int64_t>& sizes) {
    const Stage& stage = now_.stage(split.stage);
    const std::string& loop = stage.iterators[static_cast<std::size_t>(split.iterator)].name;
    for (std::size_t level = 0; level < sizes.size(); ++level)
      add(DecisionKind::TileSize, decisionName(DecisionKind::TileSize, stage.name(), loop),
          fmt::format("{}.{} of {}", loop, level, stage.name()), fmt::format("{}", sizes[level]),
          sizes[level]);
  }

  void addUnroll(const PragmaStep& step) {
    const PragmaKind* kind = pragmaKindOf(step.pragma);
    if (kind == nullptr || kind->pragma != Pragma::AutoUnroll) return;
    const std::int64_t limit = pragmaNumber(*kind, step.pragma).value_or(0);
    const std::string name = decisionName(DecisionKind::Unroll, stageName(step.stage));
    add(DecisionKind::Unroll, name, name, fmt::format("{}", limit), limit);
  }

  void addPlace(const ComputeAtStep& step) {
    const Stage& target = now_.stage(step.targetStage);
    const std::string name = decisionName(DecisionKind::ComputeLocation, stageName(step.stage));
    add(DecisionKind::ComputeLocation, name, name,
        fmt::format("{} of {}",
                    target.iterators[static_cast<std::size_t>(step.targetIterator)].name,
                    target.name()),
        step.targetIterator);
  }

  void addLoops(DecisionKind kind, int stage, int loops) {
    const std::string name = decisionName(kind, stageName(stage));
    add(kind, name, name, quantity(loops, "loop"), loops);
  }

  /// How many loops the step before joined to the one that becomes a vector.
  static int joinedBefore(const Steps& steps, std::size_t at, const AnnotationStep& vector) {
    const auto* fuse = at > 0 ? std::get_if<FuseStep>(&steps[at - 1]) : nullptr;
    const bool joins = fuse != nullptr && fuse->stage == vector.stage && !fuse->iterators.empty() &&
                       fuse->iterators.front() == vector.iterator;
    return joins ? static_cast<int>(fuse->iterators.size()) : 1;
  }

  State now_; // before the step at hand
  std::vector<ProgramDecision> found_;
  std::unordered_map<std::string, std::size_t> places_; // in `found_`, by name
};

} // namespace

std::string decisionName(DecisionKind kind, std::string_view stage, std::string_view loop) {
  switch (kind) {
  case DecisionKind::TileSize:
    return fmt::format("tiles of {} of {}", loop, stage);
  case DecisionKind::Unroll:
    return fmt::format("unroll of {}", stage);
  case DecisionKind::Parallel:
    return fmt::format("parallel loops of {}", stage);
  case DecisionKind::Vectorize:
    return fmt::format("vector of {}", stage);
  case DecisionKind::ComputeLocation:
    return fmt::format("place of {}", stage);
  case DecisionKind::TilePair:
  case DecisionKind::Kernel:
  case DecisionKind::Sketch:
    break;
  }
  NW_ASSERT(false, "a {} has a name of its own", name(kind));
}

std::vector<ProgramDecision> decisionsOf(const ComputeDag& dag, const Steps& steps) {
  State::replay(dag, steps); // which checks them
  return DecisionList(dag).of(steps);
}

} // namespace nestwright
