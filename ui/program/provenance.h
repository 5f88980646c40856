#pragma once
/// \file Where a record's program and its number come from, fact by fact.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"
#include "ui/program/program_text.h"

#include <optional>
#include <vector>

namespace nestwright::ui {

/// For no record: of the naive program, whose latency is 0 until it is measured.
std::vector<Provenance> provenanceOf(const RecordStore& store, const TaskRow& task,
                                     const std::optional<Record>& record, double naiveSeconds);

} // namespace nestwright::ui
