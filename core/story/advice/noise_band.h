#pragma once
/// \file How far measurements of one program lie apart by chance: differences within that say
/// nothing.

#include "core/story/session_contents.h"

#include <map>
#include <optional>
#include <vector>

namespace nestwright {

/// The 95 % interval of the ratio of two measurements of the same program, around 1
/// (compareLatencies).
struct NoiseBand {
  double low = 1, high = 1;
};

struct NoiseBands {
  std::map<RowId, NoiseBand> tasks; // of those with a best
  std::optional<NoiseBand> total;   // once all tasks have a best
};

/// The best program of a task, and what the task is in its session's total.
struct TaskBest {
  RowId task = 0, record = 0; // 0: no program yet
  double weight = 1;
  bool counted = true; // not another definition of an operator runs

  friend bool operator==(const TaskBest&, const TaskBest&) = default;
};

std::vector<TaskBest> bestsOf(const std::vector<TaskEntry>& tasks);

/// By the bests' repeats.
NoiseBands readNoise(const RecordStore& store, const std::vector<TaskBest>& bests);

} // namespace nestwright
