#pragma once
/// \file Two sessions side by side, of the same file or of two: which tasks became faster, by how
/// much, and whether that is more than noise.

#include "core/execute/latency_comparison.h"
#include "core/support/row_id.h"

#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// A session of a file. `store` must outlive what is made of it.
struct SessionRef {
  const RecordStore* store = nullptr;
  RowId session = 0;
};

/// The fastest program of a task that one session found.
struct SessionBest {
  RowId task = 0;   // in that session's file; 0: it does not tune the task
  RowId record = 0; // 0: nothing was measured
  std::int64_t trial = 0, trials = 0;
  double seconds = 0; // its latency as it is stored
  LatencySample latency;
  bool verified = false;   // compared with the naive program
  double naiveSeconds = 0; // 0: not measured
};

struct TaskComparison {
  std::string key, name; // as the left session has them, or the right where only it has the task
  std::string group; // what all definitions of its operator share; empty where there is only one
  double leftWeight = 0, rightWeight = 0; // how often the session's networks use it
  double flops = 0;
  SessionBest left, right;
  LatencyComparison latency;
  bool sameProgram = false; // both bests have the same steps
};

struct SessionComparison {
  std::vector<TaskComparison> tasks; // in the left session's order, then what only the right has
  /// Weighted total over the tasks that both measured (of the definitions of one operator each side
  /// with its fastest), by the left session's weights (by the
  /// right's where the left does not use the task).
  LatencyComparison total;
  int compared = 0;                    // tasks in the total
  std::string leftTarget, rightTarget; // machines
  bool sameMachine = true;             // when not, differences may be the machines'
};

/// The fastest program of the task in the session that is plausible and lost no contest. It need
/// not have been compared with the naive one by itself: a session that begins with bests of others
/// compares the first program of each sketch, and then only what beats these bests.
SessionBest bestOf(const SessionRef& ref, RowId task);

/// Tasks are matched by their keys, which say operator, shapes and types. Throws InputError when a
/// file has no such session.
SessionComparison compareSessions(const SessionRef& left, const SessionRef& right);

} // namespace nestwright
