#pragma once
/// \file How a session's trials were given to its tasks over time, as bands that lie on one
/// another. A pure function of the history.

#include "core/story/curve_data.h"

#include <vector>

namespace nestwright {

/// One task, or all those that have no colour of their own.
struct AllocationBand {
  RowId task = 0;          // 0: the other tasks together
  int rank = -1;           // for the colour
  int tasks = 1;           // that it stands for
  std::int64_t trials = 0; // at the end
  std::vector<double> top; // upper edge at each x
};

struct Allocation {
  std::vector<double> x;
  std::vector<AllocationBand> bands; // the lowest first
  std::int64_t trials = 0;           // of all tasks at the end
};

/// A task as the bands show it.
struct AllocationTask {
  RowId task = 0;
  int rank = 0;
  bool alone = false; // has a band of its own
};

/// Trials given up to each of `samples` evenly spaced points of the axis; with `share`, as parts of
/// all trials up to there, 0 to 100. O(tasks × samples × log trials).
Allocation allocation(const TuningHistory& history, const std::vector<AllocationTask>& tasks,
                      XAxis x, bool share, int samples);

} // namespace nestwright
