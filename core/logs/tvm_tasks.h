#pragma once
/// \file Compute DAGs that a workload key of a log may mean. A key tells names and shapes, not the
/// mathematics, so these are guesses in the form of TVM's operator library; a program's steps show
/// which of them fits.

#include "core/schedule/step.h"
#include "core/tensor/compute_dag.h"

#include <string>
#include <vector>

namespace nestwright {

struct TaskGuess {
  std::string name; // "Conv 3x3 64->64 on 56x56 + Bias + Relu"
  ComputeDag dag;
};

/// The numbers of a workload key without its name, lists flattened; empty when there is anything
/// else than numbers.
std::vector<std::int64_t> keyNumbers(const std::string& key);

/// Convolutions, depthwise ones, max-poolings, matrix products and what follows them, smaller DAGs
/// first.
std::vector<TaskGuess> guessTasks(const std::string& key);

/// Whether the steps can be the whole program of the DAG: all apply, the extents that they name are
/// those of the loops, and the result's own loops are among those they schedule.
bool fits(const ComputeDag& dag, const Steps& steps);

/// All elements of the shapes of inputs and outputs, one after another, as TenSet's keys have them.
std::vector<std::int64_t> shapeNumbers(const ComputeDag& dag);

} // namespace nestwright
