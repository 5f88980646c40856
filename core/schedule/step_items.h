#pragma once
/// \file What stands in a step's list in public records, item by item: for everything that writes
/// steps or counts what they say (handbook/ansor.md 5.2).

#include "core/schedule/step.h"
#include "core/support/overloaded.h"

namespace nestwright {

/// Calls `list` with the step's tag and its items in the order of records, and gives what that
/// gives. Items are integers, texts, std::vector<int>, and the std::vector<TileSize> of a split; an
/// extent that is not known is 0.
template <class List>
auto withItems(const Step& step, const List& list) {
  return std::visit(
      Overloaded{
          [&](const AnnotationStep& s) {
            return list("AN", s.stage, s.iterator, static_cast<int>(s.annotation));
          },
          [&](const FuseStep& s) { return list("FU", s.stage, s.iterators); },
          [&](const PragmaStep& s) { return list("PR", s.stage, s.iterator, s.pragma); },
          [&](const ReorderStep& s) { return list("RE", s.stage, s.order); },
          [&](const SplitStep& s) {
            return list("SP", s.stage, s.iterator, s.extent.value_or(0), s.factors,
                        s.innerToOuter ? 1 : 0);
          },
          [&](const FollowSplitStep& s) {
            return list("FSP", s.stage, s.iterator, s.sourceStep, s.parts);
          },
          [&](const FollowFusedSplitStep& s) {
            return list("FFSP", s.stage, s.iterator, s.sourceSteps, s.level, s.byFactor ? 1 : 0);
          },
          [&](const StorageAlignStep& s) {
            return list("SA", s.stage, s.iterator, s.factor, s.offset);
          },
          [&](const ComputeAtStep& s) {
            return list("CA", s.stage, s.targetStage, s.targetIterator);
          },
          [&](const ComputeInlineStep& s) { return list("CI", s.stage); },
          [&](const ComputeRootStep& s) { return list("CR", s.stage); },
          [&](const CacheReadStep& s) { return list("CHR", s.stage, s.scope, s.readers); },
          [&](const CacheWriteStep& s) { return list("CHW", s.stage, s.scope); },
          [&](const RfactorStep& s) { return list("RF", s.stage, s.iterator, s.factorIterator); },
      },
      step);
}

} // namespace nestwright
