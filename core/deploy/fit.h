#pragma once
/// \file Whether what was tuned still fits the machine: how many of a subject's tasks were tuned on
/// a processor like this one.

#include "core/support/row_id.h"
#include "core/target/target.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// In the order in which they are worth having.
enum class TaskFit : std::uint8_t {
  Never,      // no verified record, or only of machines whose programs this one cannot run
  Compatible, // tuned on another processor, all of whose features this one has
  Here,       // tuned on this target
};
/// "never", "compatible", "here"
const char* name(TaskFit fit);

struct FittingTask {
  std::string name;
  double weight = 1;
  TaskFit fit = TaskFit::Never;
  std::string target; // text of the target that it was tuned on, the best there is
  double seconds = 0; // of the best there; 0: none
  RowId record = 0;   // that one; 0: none
};

struct FitReport {
  std::string subject;            // its complete text
  std::string target;             // TargetFacts::text of the machine
  std::vector<FittingTask> tasks; // that are searched

  std::size_t count(TaskFit fit) const;
  double tunedShare() const; // of tasks tuned here; 1 without any
};

/// Of the subject's searched tasks; throws as resolveSubject() does.
FitReport fitOf(const std::string& subject, const RecordStore& store, const TargetFacts& machine);

nlohmann::json toJson(const FitReport& report);

} // namespace nestwright
