#pragma once
/// \file What a row of a task computes.

#include "core/record/rows/task_row.h"
#include "core/tensor/compute_dag.h"

#include <optional>

namespace nestwright {

/// Nothing for a task whose definition nobody told, or one that cannot be read.
std::optional<ComputeDag> dagIfKnown(const TaskRow& row);

} // namespace nestwright
