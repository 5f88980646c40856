#pragma once
/// \file Which task gets the next round of trials, and why.

#include "core/record/store.h"

#include <limits>
#include <span>
#include <string>

namespace nestwright {

/// What a scheduler may know of a task.
struct TaskProgress {
  RowId task = 0;
  double weight = 1;     // appearances in the network
  double importance = 1; // the user's multiplier; 0 takes the task out
  std::int64_t rounds = 0, trials = 0;
  double bestSeconds = std::numeric_limits<double>::infinity();
  bool exhausted = false; // nothing left to try
};

/// A choice and the terms behind it, in words.
struct TaskChoice {
  int index = -1; // into the span; -1 when no task can take trials
  std::string reason;
};

class TaskScheduler {
 public:
  virtual ~TaskScheduler() = default;
  /// A pure function of the tasks' progress, so that a resumed session decides as an uninterrupted
  /// one (C25).
  virtual TaskChoice next(std::span<const TaskProgress> tasks) const = 0;
};

/// Every task in turn. With importances set, a task twice as important gets twice the rounds.
class RoundRobinScheduler final : public TaskScheduler {
 public:
  TaskChoice next(std::span<const TaskProgress> tasks) const override;
};

} // namespace nestwright
