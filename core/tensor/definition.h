#pragma once
/// \file What a task computes, whatever its tensors and axes are called: logs and networks name
/// them each in their own way, and a task that a model has seen under another name is one that it
/// has seen.

#include "core/tensor/compute_dag.h"

#include <string>

namespace nestwright {

/// A hash, equal for DAGs that differ in names and attributes only. The order of their operators
/// counts, which follows from what reads what.
std::string definitionHash(const ComputeDag& dag);

/// A hash, equal for DAGs that compute the same kind of thing: it leaves out all numbers, too, and
/// so every size. What one has learned of a kind is worth something for another shape of it.
std::string kindHash(const ComputeDag& dag);

} // namespace nestwright
