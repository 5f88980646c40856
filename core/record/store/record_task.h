#pragma once
/// \file The task that a record is of, and whether its definition is known.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"

#include <string_view>

namespace nestwright {

class RecordStore;

/// Throws InputError when the file does not have it: a foreign or damaged file may say anything.
TaskRow taskOf(const RecordStore& store, const Record& record);

/// Throws InputError when nobody told what the task computes, as of an imported log; `so` says what
/// that means for who asks.
void requireDefinition(const TaskRow& task, std::string_view so = "its programs cannot be run");

} // namespace nestwright
