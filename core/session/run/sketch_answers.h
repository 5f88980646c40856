#pragma once
/// \file Whose answers are compared with the naive program's although they do not claim to be the
/// best. A sketch is what code generation gets wrong, if it gets something wrong: one program in
/// the wrong casts doubt on all that share its sketch.

#include "core/search/search_policy.h"
#include "core/space/sketch.h"

#include <cstdint>
#include <set>
#include <vector>

namespace nestwright {

/// What is known of a task's sketches: those of which an answer was right, and those of which one
/// was wrong. -1 among the right ones stands for programs of no sketch. A wrong one of those says
/// nothing of the others, with which it has nothing in common: configurations of a template are
/// such programs.
struct SketchAnswers {
  std::set<int> right, wrong;
  bool doubts(int sketch) const { return sketch >= 0 && wrong.contains(sketch); }
};

/// For each candidate whether its answer is to be compared, however slow it is: the first of a
/// sketch that has no right answer yet, all of one that gave a wrong answer, and of the others this
/// share, drawn from the seed and the program alone, so that neither order nor interruptions matter
/// (C25, C35). A share of 0 compares none.
std::vector<bool> answersToCompare(const std::vector<Candidate>& candidates,
                                   const std::vector<Sketch>& sketches, const SketchAnswers& known,
                                   std::uint64_t seed, double share);

} // namespace nestwright
