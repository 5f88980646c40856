#pragma once
/// \file Definitions of one operator (alternativeOf, core/tensor/compute_dag.h) among tasks: they
/// are searched beside one another, and the fastest runs. So of each group one task counts in a
/// total.

#include <cstddef>
#include <span>
#include <vector>

namespace nestwright {

/// Of each group the task with the least of these seconds (infinity: none), of equal ones the
/// first; where none has any, the definition. `definitions` says of each task which is its
/// operator's own definition; a task without alternatives is its own, and counts.
std::vector<bool> countedTasks(std::span<const std::size_t> definitions,
                               std::span<const double> seconds);

} // namespace nestwright
