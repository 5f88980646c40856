#pragma once
/// \file The program that a record is of. Of a template the record keeps the configuration, and the
/// program is made from it again: it replays on the task in other layouts
/// (handbook/cost-models.md 3.3).

#include "core/record/rows/record.h"
#include "core/schedule/state.h"
#include "core/template/task_template.h"

#include <optional>

namespace nestwright {

/// What a template's program is made from; nothing for a record of any other.
std::optional<TemplateConfig> templateConfigOf(const Record& record);

/// A program with the DAG that its steps replay on: the task's, or a variant of it by layout alone.
struct RecordProgram {
  ComputeDag dag;
  Steps steps;
};
/// Throws InputError where a template's program cannot be made, or comes out as another than was
/// measured.
RecordProgram recordProgram(const ComputeDag& task, const Record& record);

/// The same, replayed. Throws IllegalSchedule, too.
State recordState(const ComputeDag& task, const Record& record);

} // namespace nestwright
