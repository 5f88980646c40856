#pragma once
/// \file The program that a record is of. Of a template the record keeps the configuration, and the
/// program is made from it again: it replays on the task in other layouts
/// (handbook/cost-models.md 3.3).

#include "core/record/rows/record.h"
#include "core/schedule/state.h"
#include "core/template/task_template.h"

#include <optional>

namespace nestwright {

/// Whether it is a template's, measured by a session or read from one of AutoTVM's logs.
bool isOfTemplate(const Record& record);
/// What a template's program is made from; nothing for a record of any other. Throws InputError for
/// a log's record whose entities are in none of the spaces that the task has.
std::optional<TemplateConfig> templateConfigOf(const ComputeDag& task, const Record& record);
/// The same where a session measured it; nothing for a log's record.
std::optional<TemplateConfig> ownTemplateConfigOf(const Record& record);

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
