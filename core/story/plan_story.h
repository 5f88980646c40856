#pragma once
/// \file A plan of configurations as it is shown: what was picked and why, what became of it, and
/// how the annealing that found it went.

#include "core/search/search_log.h"
#include "core/story/decisions/knob_lines.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A configuration of a plan.
struct PlannedLine {
  PlanPick pick;
  std::string words;              // "tile_y = [-1, 4], tile_x = [-1, 8]"
  std::optional<KnobTrial> trial; // once it was measured
};
/// In the order of measuring. Empty for a plan whose configurations were not kept.
std::vector<PlannedLine> planned(const PlanLog& plan, const TaskTemplate& of,
                                 const KnobLines& measured);

/// The moments of an annealing as curves over its steps; NaN where an energy is none yet.
struct AnnealingCurves {
  std::vector<double> steps;
  std::vector<double> low, middle, high; // of the chains' energies
  std::vector<double> threshold;         // what a further configuration had to exceed
  std::vector<double> temperature, accepted;
};
AnnealingCurves annealingCurves(const PlanLog& plan);
/// The energy that the least of those had which were picked for theirs.
std::optional<double> thresholdOf(const PlanLog& plan);

} // namespace nestwright
