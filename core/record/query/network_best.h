#pragma once
/// \file Which of a task's programs a network can run. A template's expects its inputs in layouts
/// of its own, and nobody lays them so in a network (handbook/cost-models.md 3.3).

#include "core/record/rows/record.h"

#include <optional>

namespace nestwright {

class RecordStore;

struct NetworkBest {
  std::optional<Record> record; // the fastest verified program that a network can run
  RowId passedOver = 0;         // the task's best, where it is a template's; 0: it is not
};
NetworkBest networkBest(const RecordStore& store, RowId task);

} // namespace nestwright
