#pragma once
/// \file A draft of how long a program takes on a processor: in closed form from its loops, without
/// lowering it and without a cost model (handbook/ansor.md 4.10; the idea is Pruner's, Qiao et al.
/// 2025). It orders programs of one task; it is no prediction of seconds. A GPU's programs are
/// drafted from their kernels (gpu_draft.h).

#include "core/schedule/state.h"
#include "core/search/draft/register_draft.h"
#include "core/target/target.h"

#include <functional>
#include <string>
#include <vector>

namespace nestwright {

/// What the draft says of one stage. Times are cycles of one core, for all that it computes.
struct DraftedStage : RegisterDraft {
  std::string stage;
  double points = 0;                 // elements computed, reductions included
  double l2 = 0, l3 = 0, memory = 0; // bringing what is read and written from there
  double parallel = 1;               // cores that are busy on average
  /// The slowest of its parts and a share of the others, on `parallel` cores.
  double cycles() const;
};

/// All stages with loops of their own, of a processor's program. Throws IllegalSchedule where the
/// program has no bounds.
std::vector<DraftedStage> draftedStages(const State& program, const TargetFacts& target);

/// The negative logarithm of the cycles of all stages, or kernels: higher is better. Minus infinity
/// where the program has no bounds, or cannot be lowered.
double draftScore(const State& program, const TargetFacts& target);

/// draftScore() for one target, and how a search makes use of it. Empty: nobody may ask.
struct ProgramDraft {
  /// Higher is better; minus infinity for a program of which nothing can be said.
  std::function<double(const State& program)> score = nullptr;
  /// Draws for each program that it chooses.
  std::size_t drawsForEach = 16;
  /// Whether evolution follows it while there is no cost model.
  bool breeds = false;
  /// Whether much that programs differ in changes nothing for it (putVarietyFirst()).
  bool isCoarse = false;

  explicit operator bool() const { return score != nullptr; }
  double operator()(const State& program) const { return score(program); }
};
ProgramDraft draftOf(const TargetFacts& target);

} // namespace nestwright
