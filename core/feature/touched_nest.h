#pragma once
/// \file What the loops of a program touch, as AutoTVM's features have it (handbook/cost-models.md
/// 3.4): of the loops as the schedule has them, before anything is unrolled or vectorised, trivial
/// ones among them.

#include "core/schedule/bounds.h"

#include <string>
#include <vector>

namespace nestwright {

/// One access under a loop. Numbers that count something are whole.
struct LoopTouch {
  int access = 0;    // index into TouchedNest::accesses
  double stride = 0; // how far a step of the loop moves it, in elements; 0: not at all
  double count = 1;  // iterations, of this loop and those inside, that move the access
  double reuse = 1;  // the others
  /// By how much count and reuse grow from what one thread does to what all do; 0 where the loop is
  /// not at such a border.
  double threadCount = 0, threadReuse = 0;
};

struct TouchedLoop {
  std::string name; // of the iterator
  Annotation annotation = Annotation::None;
  double length = 1;
  int level = 1;        // 1 for an outermost loop
  double topdown = 1;   // product of the lengths from the outermost loop down to this one
  double bottomup = -1; // largest count x reuse of an access under it; -1 without any
  /// Operations on floats directly under it.
  double addSub = 0, mul = 0, divMod = 0;
  std::vector<LoopTouch> touches; // by the unique name of the access
};

struct TouchedAccess {
  std::string buffer;
  std::string name; // unique: the buffer's with the number of the access to it, "C_0"
};

struct TouchedNest {
  std::vector<TouchedLoop> loops;      // in the order in which they begin
  std::vector<TouchedAccess> accesses; // in the order in which they are met
};

/// Throws IllegalSchedule when the program reads an inlined reduction.
TouchedNest touchedNest(const State& state, const Bounds& bounds);

} // namespace nestwright
