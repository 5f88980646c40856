#pragma once
/// \file Which tasks are definitions of one operator (alternativeOf, core/tensor/compute_dag.h).

#include "core/record/rows/task_row.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// Per task, the index of the one that is its operator's own definition: itself where it is that,
/// or where that is not among them.
std::vector<std::size_t> definitionsAmong(std::span<const TaskRow> tasks);

/// "direct", or the name of an alternative; empty where a task has no alternative among these.
std::vector<std::string> alternativeNames(std::span<const TaskRow> tasks);

} // namespace nestwright
