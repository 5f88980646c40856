#pragma once
/// \file A record that somebody named, the task that it is of, and whether its definition is known.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"

#include <string_view>

namespace nestwright {

class RecordStore;

/// Throws InputError that says how to list records when the file does not have this one.
Record requiredRecord(const RecordStore& store, RowId id);

/// Throws InputError when the file does not have it: a foreign or damaged file may say anything.
TaskRow taskOf(const RecordStore& store, const Record& record);

/// Throws InputError when nobody told what the task computes, as of an imported log; `so` says what
/// that means for who asks.
void requireDefinition(const TaskRow& task, std::string_view so = "its programs cannot be run");

} // namespace nestwright
