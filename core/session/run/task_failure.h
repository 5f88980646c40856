#pragma once
/// \file Tasks that a session cannot tune: what it says of them, and where that is kept.

#include "core/measure/measure.h"
#include "core/support/row_id.h"

#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// A task that takes no trials although it has not had enough of them, and why.
struct UntunedTask {
  RowId task = 0;
  std::string name;
  std::string reason;
  bool failed = false;        // its naive program cannot be measured
  bool lacksTemplate = false; // there is none to search; otherwise it paused itself
};

/// "failed", "lacks_template" or "paused": why, in a word, as scripts are told.
const char* kindOf(const UntunedTask& task);

/// Why a task whose naive program ended so is given up until the session starts again.
std::string naiveFailure(const MeasureResult& naive);

/// A line for each: "conv2d ...: its naive program ...".
std::string inWords(const std::vector<UntunedTask>& tasks);

/// Those of a session, in the order of its tasks, as its row in the file has them.
std::vector<UntunedTask> untunedTasks(const RecordStore& store, RowId session);

} // namespace nestwright
