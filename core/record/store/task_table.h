#pragma once
/// \file How tasks are read: each with its place in a network.

#include "core/record/format/row_layout.h"
#include "core/record/rows/task_row.h"

namespace nestwright {

/// From `task` and `network_task place`.
inline constexpr auto kPlacedTasks = columnsOf<TaskRow>(
    Column{"task.id", &TaskRow::id}, Column{"place.network", &TaskRow::network},
    Column{"task.target", &TaskRow::target}, Column{"place.position", &TaskRow::index},
    Column{"task.key", &TaskRow::key}, Column{"task.name", &TaskRow::name},
    Column{"task.dag", &TaskRow::dag}, Column{"place.weight", &TaskRow::weight},
    Column{"task.flops", &TaskRow::flops});

/// The row with what its DAG says of alternatives. A DAG that cannot be read says nothing here;
/// whoever needs it says what is wrong with it.
TaskRow withAlternative(TaskRow row);
std::vector<TaskRow> withAlternatives(std::vector<TaskRow> rows);

} // namespace nestwright
