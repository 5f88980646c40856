#pragma once
/// \file What a session reads of its own records while it runs.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"
#include "core/record/store/store.h"
#include "core/search/search_policy.h"
#include "core/session/run/tuning/run_measurer.h"
#include "core/session/run/tuning_state.h"

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace nestwright {

/// Those of the open round from before an interruption, oldest first. `trials`: how many the
/// session made so far.
std::vector<Record> recordsOfRound(const RecordStore& store, RowId session, const OpenRound& round,
                                   std::int64_t trials);

/// The record's, of the task with this definition.
ProgramText programText(const TaskRow& task, const ComputeDag& dag, const Record& record);
/// The candidate's.
ProgramText programText(const TaskRow& task, const Candidate& candidate);

/// The session's fastest programs of the task, fastest first, without those with these programIds:
/// parents for the search.
std::vector<Steps> searchParents(const RecordStore& store, RowId session, RowId task,
                                 const std::unordered_set<std::string>& without);

} // namespace nestwright
