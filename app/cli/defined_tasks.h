#pragma once
/// \file A session's tasks with the definitions of an operator together (handbook/ansor.md 11.8).

#include "core/record/rows/task_row.h"

#include <string>
#include <vector>

namespace nestwright {
class RecordStore;
}

namespace nestwright::cli {

/// A task of the session, and which definition of its operator it is.
struct DefinedTask {
  TaskRow row;
  std::string definition; // "direct", or the name of an alternative; empty where there is only one
  std::string of;         // the key of the operator's own definition
  bool runs = true;       // it is the fastest of them
};

/// The definitions of an operator one behind the other.
std::vector<DefinedTask> definedTasks(const RecordStore& store, RowId session);

} // namespace nestwright::cli
