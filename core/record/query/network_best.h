#pragma once
/// \file Which of a task's programs a network runs. A template's expects its inputs in layouts of
/// its own, and nobody lays them so in a network (handbook/cost-models.md 3.3); one that rounds to
/// TF32 gives another answer, which has to be asked for (handbook/cuda.md 10.3).

#include "core/record/rows/record.h"

#include <cstdint>
#include <optional>

namespace nestwright {

class RecordStore;

/// Why a task's best is not what a network runs.
enum class NetworkRefusal : std::uint8_t { None, Template, Tf32 };
const char* name(NetworkRefusal why); // "", "template", "tf32"

/// Of one record. `tf32`: programs that round to TF32 may run.
NetworkRefusal networkRefusal(const Record& record, bool tf32);

struct NetworkBest {
  std::optional<Record> record;              // the fastest verified program that may run
  RowId passedOver = 0;                      // the task's best, where it may not; 0: it may
  NetworkRefusal why = NetworkRefusal::None; // likewise
};
NetworkBest networkBest(const RecordStore& store, RowId task, bool tf32 = false);

} // namespace nestwright
