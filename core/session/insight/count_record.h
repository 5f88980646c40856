#pragma once
/// \file Counting what this machine's processor does in a program of a file.

#include "core/measure/measure.h"
#include "core/result/program_counts.h"
#include "core/support/row_id.h"

#include <atomic>

namespace nestwright {

class RecordStore;

/// Of the record's program, compiled here as its session compiled it and run on as many threads;
/// nothing is stored. As countProgram() has it: it ends soon after `stop`, and throws InputError
/// where the program does not run, UsageError where it is for a GPU; InputError, too, where the
/// file has no such record, or its task's definition is not known.
ProgramCounts countRecord(const RecordStore& store, RowId record, const WorkerLaunch& launch,
                          const std::atomic<bool>* stop = nullptr);
/// Of the task's naive program.
ProgramCounts countNaive(const RecordStore& store, RowId task, const WorkerLaunch& launch,
                         const std::atomic<bool>* stop = nullptr);

} // namespace nestwright
