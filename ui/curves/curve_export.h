#pragma once
/// \file The tuning curves as a table, and the choices of their view as JSON.

#include "core/story/curve_data.h"
#include "core/story/session_contents.h"
#include "ui/kit/exportable.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwright::ui {

/// One row for each improvement of a task, and of the weighted total (task "total").
ExportTable curveTable(const TuningHistory& history, const std::vector<TaskEntry>& tasks);

nlohmann::json toJson(const CurveOptions& options);
/// What is missing or wrong becomes the default.
CurveOptions curveOptionsFromJson(const nlohmann::json& json);

} // namespace nestwright::ui
