#pragma once
/// \file How far measurements of one program lie apart by chance: differences within that say
/// nothing.

#include "core/story/session_contents.h"

#include <map>
#include <optional>

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

/// By the repeats of the tasks' bests.
NoiseBands readNoise(const RecordStore& store, const std::vector<TaskEntry>& tasks);

} // namespace nestwright
