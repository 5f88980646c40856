#pragma once
/// \file A task, and the sums over its records.

#include "core/support/row_id.h"

#include <cstdint>
#include <string>

namespace nestwright {

/// A subgraph on a target, and how often it appears in its network.
struct TaskRow {
  RowId id = 0;
  RowId network = 0; // 0 for a single operator
  RowId target = 0;
  int index = 0;    // position in the network's task list
  std::string key;  // workload key, readable and unique
  std::string name; // short: "conv2d 56x56 64->64 k3 +relu"
  std::string dag;  // exact text of the compute DAG
  double weight = 1;
  double flops = 0;
  // Of another definition of an operator (core/tensor/compute_dag.h, alternativeOf): how it is
  // called, and the hash in the key of the operator's own task. Empty of a definition itself. Read
  // from the DAG, and not written.
  std::string alternative = {}, definition = {};
};

/// The fastest record that a log told of a task, on its target. It was not verified here.
struct FastestImported {
  RowId task = 0, record = 0;
  double seconds = 0;
};

/// Sums kept up to date on insert, so that no view ever scans the records. Forgotten records count
/// only in the seconds, which were spent.
struct TaskSummary {
  RowId task = 0;
  std::int64_t trials = 0, errors = 0;
  RowId bestRecord = 0;     // 0 until a verified best exists
  double bestSeconds = 0;   // infinity until then
  double naiveSeconds = 0;  // 0 until measured
  double kernelSeconds = 0; // spent in this task's measurements
};

} // namespace nestwright
