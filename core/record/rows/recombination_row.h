#pragma once
/// \file A recombination of a network's fastest programs, and the networks that it measured.

#include "core/record/rows/session_status.h"
#include "core/result/measure_result.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// A recombination of a network's fastest programs (TenSet 5.6); see
/// core/session/recombination/recombination.h.
struct RecombinationRow {
  RowId id = 0;
  RowId network = 0, target = 0;
  std::string config; // RecombinationConfig as JSON, all defaults written out (C43)
  std::string state;  // JSON: the candidates, and how the winner was confirmed
  SessionStatus status = SessionStatus::Ready;
  std::int64_t createdAt = 0, updatedAt = 0; // microseconds since the epoch
  double wallSeconds = 0;                    // running time over all pauses
  std::string product;                       // version and commit that wrote it
};

/// One whole network that was built and measured.
struct SampleRow {
  RowId recombination = 0;
  int sample = 0;          // 0 and repetitions of it: the per-task bests; counted on from there
  std::int64_t draw = -1;  // index of the random draw that made it; -1: the per-task bests
  std::vector<int> choice; // per task, the rank of its candidate from 0
  Verdict verdict = Verdict::Ok;
  std::string error;           // full text; empty when ok
  std::vector<double> seconds; // of every repeat, end to end
  double wallSeconds = 0;      // since the recombination's start, pauses excluded
};

} // namespace nestwright
