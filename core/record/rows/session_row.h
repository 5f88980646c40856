#pragma once
/// \file A tuning session, what it tunes, and the sums over its records.

#include "core/record/rows/session_status.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

struct SessionRow {
  RowId id = 0;
  RowId network = 0; // the first of its networks; 0 for an operator
  std::string title;
  std::string config; // SessionConfig as JSON, all defaults written out (C43)
  SessionStatus status = SessionStatus::Ready;
  std::int64_t createdAt = 0, updatedAt = 0; // microseconds since the epoch
  double wallSeconds = 0;                    // running time over all pauses
  std::string schedulerState; // JSON: next draw index per task, weights, ...; see Session
  std::string product;        // version and commit that wrote it
};

/// How often a task appears in a network.
struct TaskWeight {
  RowId task = 0;
  double weight = 1;
};

/// One of the networks (or single operators) that a session tunes together.
struct SessionNetwork {
  RowId network = 0; // 0 for an operator on its own
  std::string name;  // short, unique within the session
  std::vector<TaskWeight> weights;
};
/// How often the task appears in the network; 0 when it does not.
double weightIn(const SessionNetwork& network, RowId task);

/// Sums over a session's records, kept like those of the tasks. `trials` are all that were made,
/// forgotten ones included; `errors` leaves those out.
struct SessionSummary {
  RowId session = 0;
  std::int64_t trials = 0, errors = 0;
  double kernelSeconds = 0;
  std::int64_t forgotten = 0;
};

} // namespace nestwright
