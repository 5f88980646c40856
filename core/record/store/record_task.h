#pragma once
/// \file The task that a record is of.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"

namespace nestwright {

class RecordStore;

/// Throws InputError when the file does not have it: a foreign or damaged file may say anything.
TaskRow taskOf(const RecordStore& store, const Record& record);

} // namespace nestwright
