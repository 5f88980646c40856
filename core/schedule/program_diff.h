#pragma once
/// \file What differs between two programs: their steps and their loop nests, aligned. Stages and
/// loops are told by their names, never by numbers, which shift when a stage is inserted.

#include "core/schedule/loop_tree.h"
#include "core/support/sequence_diff.h"

#include <string>
#include <vector>

namespace nestwright {

/// A step with the names that it has where it stands.
struct NamedStep {
  std::string words;    // "split loop i of C (512) into 8, 2, 4, 8"
  std::string stage;    // that it acts on
  std::string loop;     // that it acts on, if it is about one
  std::string tag;      // "SP"
  std::string identity; // equal exactly for steps that do the same to stages of the same names
};

/// All steps; from the first illegal one on, with numbers for names.
std::vector<NamedStep> namedSteps(const ComputeDag& dag, const Steps& steps);

/// A row of two step lists side by side; positions are those of the steps.
std::vector<DiffRow> diffSteps(const std::vector<NamedStep>& left,
                               const std::vector<NamedStep>& right);

struct LoopDiffRow {
  DiffRow row;             // positions are those of LoopTree::nodes
  std::string differences; // of a changed one, in words: "extent 16 → 8, now vectorised"
};

/// A row of two loop nests side by side. Loops are paired when they run over the same axes of the
/// same stage; they are the same when extent, annotation and tile level are, and when what stands
/// around them is.
std::vector<LoopDiffRow> diffLoopTrees(const LoopTree& left, const LoopTree& right);

/// "1 loop changed, 2 only left": how two programs differ, for a line above them; "no difference"
/// if they do not. `what` names the elements: "loop", "step", "line".
std::string diffSummary(const std::vector<DiffRow>& rows, const std::string& what);
std::string diffSummary(const std::vector<LoopDiffRow>& rows, const std::string& what);

} // namespace nestwright
