#pragma once
/// \file When a task pauses itself: most of what was measured lately failed, and for one cause, so
/// that more of it would only spend the budget (C7).

#include "core/measure/measure.h"

#include <optional>
#include <span>
#include <string>

namespace nestwright {

/// So many failures with one verdict among the last `window` trials of a task.
struct StopRule {
  int failures = 24; // 0: a task never pauses itself
  int window = 32;
};

/// How a trial ended.
struct TrialEnd {
  Verdict verdict = Verdict::Ok;
  std::string sentence; // of a failure
};

/// The cause in words when the task is to pause: the verdict that so many of the newest trials
/// share, and the sentence that most of those have. `newest` may hold more than the window, newest
/// first.
std::optional<std::string> causeToPause(std::span<const TrialEnd> newest, const StopRule& rule);

} // namespace nestwright
