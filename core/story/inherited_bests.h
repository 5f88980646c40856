#pragma once
/// \file What a session takes over from others: the bests that they left in its file. A session
/// knows them from its first trial on, so its curves begin there and not with the naive programs.

#include "core/story/tuning_history.h"

#include <chrono>
#include <utility>
#include <vector>

namespace nestwright {

class RecordStore;

/// Of one task: its bests in the order of their records, whichever session measured them.
using InheritedBests = std::vector<std::pair<RowId, std::vector<BestPoint>>>;

/// Of the tasks that another session measured as well, beginning with the task at `from`, which is
/// moved on as far as it gets in this time, but for one task at least. Reads the good records of
/// those tasks.
InheritedBests readInherited(const RecordStore& store, RowId session,
                             const std::vector<RowId>& tasks, std::size_t& from,
                             std::chrono::milliseconds within);
/// Of all of them.
InheritedBests readInherited(const RecordStore& store, RowId session,
                             const std::vector<RowId>& tasks);

} // namespace nestwright
