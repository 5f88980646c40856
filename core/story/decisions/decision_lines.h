#pragma once
/// \file The measured programs of a task as lines across their decisions (parallel coordinates, as
/// Optuna's dashboard has them for parameters), the most important decisions first.

#include "core/search/decisions/program_decisions.h"
#include "core/session/run/finish/polish_session.h"
#include "core/story/decisions/knob_lines.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestwright {

/// Nothing for a record that is no first measurement, or of a template's program.
std::optional<KnobTrial> sketchTrialOf(const Record& record);

/// What is known of the decisions' importance.
enum class ImportanceBy : std::uint8_t {
  Variation, // which share of the variation of latency a decision explains by itself
  Polish,    // how much slower or faster its neighbours are, which a polish measured
};

struct DecisionLines {
  KnobLines lines; // its axes: decisions that differ from program to program
  ImportanceBy by = ImportanceBy::Variation;
  std::size_t decisions = 0;  // that differ; the axes are the most important of them
  std::size_t unreadable = 0; // programs whose steps do not replay
};

/// Decisions of programs that were read before, by record: replaying thousands takes a second.
/// Nothing for steps that do not replay.
using KnownDecisions = std::unordered_map<RowId, std::optional<std::vector<ProgramDecision>>>;

/// The trials of a task as lines. `polished` is what a polish of the task found out, if there was
/// one (decisionImportance()): then that orders the axes, else the variation. A program without a
/// decision, as one of another sketch, has "–" there. `mostAxes` of them at most; 0: all.
DecisionLines decisionLines(const ComputeDag& dag, std::span<const KnobTrial> trials,
                            std::span<const DecisionImportance> polished, std::size_t mostAxes,
                            KnownDecisions& known);

/// Which share of the variation of the logarithm of times follows from groups alone: 0 to 1,
/// without what as many groups drawn by chance would explain (epsilon squared, Kelley 1935).
/// Groups and times go together; times that are not finite do not count.
double explainedShare(std::span<const std::size_t> groups, std::span<const double> seconds);

} // namespace nestwright
