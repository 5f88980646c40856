#pragma once
/// \file A record as JSON: one line of `nestwright query --lines` and of the window's export.

#include "core/record/rows/record.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace nestwright {

/// All of the record that people ask for; times in seconds, null without one.
nlohmann::json toJson(const Record& record);
/// The same in one line, with the task's name as `task_name`.
std::string recordLine(const Record& record, const std::string& taskName);

} // namespace nestwright
