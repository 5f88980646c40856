#pragma once
/// \file Which tasks a scheduler takes for similar.

#include "core/tensor/compute_dag.h"

#include <string>

namespace nestwright {

/// Equal for tasks that compute the same kind of thing at about the same size: the tags that the
/// operators carry, or else the names of those worth tiling, and the magnitude of the work
/// (handbook/ansor.md 8.4). Empty for a task that is like no other.
std::string similarityTag(const ComputeDag& dag);

} // namespace nestwright
