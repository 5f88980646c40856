#pragma once
/// \file Curves that are read from the file a part at a time, while their session may go on: what
/// it tells meanwhile waits until they are complete.

#include "core/record/rows/trial_row.h"
#include "core/story/session_contents.h"
#include "core/story/tuning_history.h"

#include <vector>

namespace nestwright {

struct LoadingHistory {
  bool loading = false;
  std::vector<CurvePoint> waiting; // told while loading

  /// Curves of these tasks, with nothing in them yet; what waited is forgotten.
  void begin(TuningHistory& curves, const std::vector<TaskEntry>& tasks, Scope scope);
  /// More is to be read, also of tasks that came since.
  void resume(TuningHistory& curves, const std::vector<TaskEntry>& tasks);
  /// All that was in the file is read.
  void finish(TuningHistory& curves);
};

} // namespace nestwright
