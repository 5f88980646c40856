#pragma once
/// \file What rules and annotations ask about the stages of a state (handbook/ansor.md 1.4, 1.5).
/// `analysis` is always that of the state's current DAG.

#include "core/schedule/state.h"
#include "core/tensor/access_analysis.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// The product of the extents.
std::int64_t length(const std::vector<Axis>& axes);

/// The step inserts a stage: later ones move by one.
bool addsStage(const Step& step);

/// Some loop of the stage is not spatial.
bool hasReduceIterator(const Stage& stage);

/// The operator adds or multiplies in 16 bits and rounds each time, so that parts which are summed
/// apart give another answer.
bool roundsEachStep(const OpNode& op);
/// A rule's reason to leave such an operator alone.
inline constexpr std::string_view kRoundsEachStep =
    "it sums in 16 bits, and parts of it would round to another answer";

/// The stage's loops are no longer one per axis; fusing alone counts too.
bool isTiled(const Stage& stage);

/// The stage computes and has loops of its own.
bool hasLoops(const Stage& stage);

/// The stage is the inner one that a cache-write step made.
bool isCacheWriteProduct(const State& state, int stage);

/// The stage is a copy that a cache-read step made.
bool isCacheReadProduct(const State& state, int stage);

/// Stages that read this one, ascending; inlined readers are seen through.
std::vector<int> consumersOf(const State& state, const AccessAnalysis& analysis, int stage);

/// The stage in whose loop nest all consumers lie: the only consumer, or the root stage that
/// several share.
std::optional<int> singleConsumer(const State& state, const AccessAnalysis& analysis, int stage);

/// The only consumer, when it reads element for element, so that both can share outer loops.
std::optional<int> fusibleConsumer(const State& state, const AccessAnalysis& analysis, int stage);

/// A loop that reduces, and not only a part of one, is bound to threadIdx.x: in the stage, or in
/// one that is computed directly inside it.
bool hasCrossThreadReduction(const State& state, int stage);

/// The stage computed directly inside this one whose tiles an instruction computes, or nothing.
std::optional<int> tensorStageIn(const State& state, int stage);

/// The split steps of the stage's spatial loops, last to first, by their indices among the steps.
/// Splits of spatial loops come before those of reductions.
std::vector<int> spatialSplitSteps(const State& state, int stage);

/// The stage, by its number in the finished program, that step `index` acts on.
int finalStageOf(const Steps& steps, std::size_t index);

/// How the parts of split step `index` are executed in the program, outermost first; None also of
/// parts that were split or fused further. Empty where a later rfactor step replaced the loops.
std::vector<Annotation> partAnnotations(const State& state, std::size_t index);

/// Names of the axes that a loop was made from: "i.0@j.0@" came from i and j.
std::vector<std::string> originalNames(const std::string& iteratorName);

/// The name is listed in an operator's attribute.
bool isListed(const std::vector<std::string>& names, const std::string& name);

} // namespace nestwright
