/// \file Split steps: one loop becomes several that together visit its range.

#include "core/schedule/step_applier.h"

#include <iterator>

namespace nestwright {

namespace {

/// Extents of the parts, outermost first. The part that is split off last takes what is left of the
/// extent; a part behind an undecided factor is unknown.
std::vector<TileSize> partExtents(TileSize extent, const std::vector<TileSize>& factors,
                                  bool innerToOuter) {
  const std::size_t count = factors.size();
  std::vector<TileSize> parts(count + 1);
  TileSize rest = extent;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t at = innerToOuter ? count - 1 - n : n;
    if (!rest || !factors[at]) {
      rest.reset();
      break;
    }
    parts[innerToOuter ? at + 1 : at] = factors[at];
    rest = (*rest + *factors[at] - 1) / *factors[at];
  }
  parts[innerToOuter ? 0 : count] = rest;
  return parts;
}

std::string partName(const std::string& name, std::size_t part) {
  std::string result;
  result.reserve(name.size() + 3);
  result += name;
  result += '.';
  result += std::to_string(part);
  return result;
}

} // namespace

void StepApplier::operator()(const SplitStep& step) {
  loopStage(step.stage);
  const Iterator& old = plainIterator(step.stage, step.iterator);
  if (step.extent && old.extent && *step.extent != *old.extent)
    refuse("it was made for an extent of {}, but loop {} of {} has {}", *step.extent, old.name,
           state_.stage(step.stage).name(), *old.extent);
  split(step.stage, step.iterator, step.factors, step.innerToOuter);
}

const SplitStep& StepApplier::sourceSplit(int step) const {
  const Steps& steps = state_.steps();
  const bool exists = step >= 0 && step < static_cast<int>(steps.size());
  const auto* source = exists ? std::get_if<SplitStep>(&steps[step]) : nullptr;
  if (source == nullptr) refuse("step {} is no earlier split step", step);
  return *source;
}

void StepApplier::operator()(const FollowSplitStep& step) {
  loopStage(step.stage);
  plainIterator(step.stage, step.iterator);
  const std::vector<TileSize>& sizes = sourceSplit(step.sourceStep).factors;
  const int available = static_cast<int>(sizes.size());
  if (step.parts < 1 || step.parts > available + 1)
    refuse("it asks for {} factors, but step {} has {}", step.parts, step.sourceStep, available);
  std::vector<TileSize> factors(sizes.begin(), sizes.begin() + step.parts - 1);
  TileSize last = 1;
  for (int i = step.parts - 1; i < available; ++i)
    last = last && sizes[i] ? TileSize(product(*last, *sizes[i])) : TileSize();
  factors.push_back(last);
  split(step.stage, step.iterator, factors, true);
}

void StepApplier::operator()(const FollowFusedSplitStep& step) {
  loopStage(step.stage);
  plainIterator(step.stage, step.iterator);
  TileSize size = 1;
  for (const int sourceStep : step.sourceSteps) {
    const std::vector<TileSize>& sizes = sourceSplit(sourceStep).factors;
    if (step.level < 0 || step.level >= static_cast<int>(sizes.size()))
      refuse("it asks for factor {}, but step {} has {}", step.level, sourceStep, sizes.size());
    const TileSize& factor = sizes[step.level];
    size = size && factor ? TileSize(product(*size, *factor)) : TileSize();
  }
  split(step.stage, step.iterator, {size}, step.byFactor);
}

void StepApplier::split(int stageId, int at, const std::vector<TileSize>& factors,
                        bool innerToOuter) {
  for (const TileSize& factor : factors)
    if (factor && *factor < 1) refuse("a factor is {}; factors are at least 1", *factor);
  Stage& stage = state_.mutableStage(stageId);
  const Iterator old = std::move(stage.iterators[at]);
  const std::vector<TileSize> extents = partExtents(old.extent, factors, innerToOuter);

  SplitRelation relation{old.loop, {}, factors, innerToOuter};
  relation.parts.reserve(extents.size());
  std::vector<Iterator> parts;
  parts.reserve(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    relation.parts.push_back(stage.loopCount);
    parts.push_back(
        {partName(old.name, i), old.kind, Annotation::None, extents[i], Expr(), stage.loopCount++});
  }
  stage.iterators[at] = std::move(parts[0]);
  stage.iterators.insert(stage.iterators.begin() + at + 1,
                         std::make_move_iterator(parts.begin() + 1),
                         std::make_move_iterator(parts.end()));
  stage.relations.emplace_back(std::move(relation));
  const int added = static_cast<int>(factors.size());
  moveAttachments(stageId, at, at, at + added, added);
}

} // namespace nestwright
