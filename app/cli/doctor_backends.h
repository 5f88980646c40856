#pragma once
/// \file What the backends found of themselves, for `nestwright doctor`.

#include "core/plugin/plugin.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <vector>

namespace nestwright::cli {

/// By backend, of those that need something which could be missing. Devices are asked for by
/// processes of their own.
using BackendSurveys = std::vector<std::pair<std::string, BackendSurvey>>;
BackendSurveys surveyBackends(const std::vector<PluginStatus>& plugins);

/// {"cuda": [{"what": "NVRTC", "fact": ..., "advice": ..., "found": true, ...}, ...]}
nlohmann::json surveysJson(const BackendSurveys& surveys);
void printSurveys(const BackendSurveys& surveys);

} // namespace nestwright::cli
