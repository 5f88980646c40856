#pragma once
/// \file What the log of an imported record said beside the program and its times.

#include "core/record/rows/record.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace nestwright {

/// As the log had it, an object where nobody changed it; an empty one for a record measured here.
nlohmann::ordered_json logOf(const Record& record);

/// One thing that a log said, as it is shown: a text, or else JSON.
struct LogFact {
  std::string name, value;
};
/// In the log's order, but for what it left empty and a template's configuration, which is the
/// program. Throws InputError where the trace is damaged.
std::vector<LogFact> importedFacts(const Record& record);

} // namespace nestwright
