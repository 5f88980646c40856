#pragma once
/// \file A record as JSON: one line of `nestwright query --lines` and of the window's export.

#include "core/record/store/store.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwright {

/// All of the record that people ask for; times in seconds, null without one.
nlohmann::json toJson(const Record& record);

} // namespace nestwright
