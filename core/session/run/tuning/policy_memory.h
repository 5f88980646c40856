#pragma once
/// \file What a session's file has for a policy in a process of its own: the programs that were
/// measured, and what was said before.

#include "core/record/store/store.h"
#include "core/search/policy_talk.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <vector>

namespace nestwright {

/// The task's programs that the session measured after its trial `after`, oldest first.
std::vector<ToldProgram> measuredPrograms(const RecordStore& store, RowId session, RowId task,
                                          std::int64_t after);

/// What was said in earlier rounds of the task, oldest first. Throws InputError for stored events
/// that are damaged.
std::vector<PolicyTalk> earlierTalks(const RecordStore& store, RowId session, RowId task);

} // namespace nestwright
