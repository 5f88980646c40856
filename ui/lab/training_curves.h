#pragma once
/// \file The curves of trainings, several over one another: losses, and what the validation's tasks
/// get from the model.

#include "ui/charts/series_plot.h"
#include "ui/lab/training_list.h"

namespace nestwright::ui {

/// Losses of those that are shown: dashed of what is learned from, solid of the validation. Where
/// their losses are of different names, as shares of the first pass. `chosen` is the one whose
/// passes can be walked through; `marked` the pass that is looked at, -1: none.
SeriesScene lossScene(const std::vector<Training>& trainings, int chosen, double marked);
/// Top-1 (solid) and top-5 (dashed) on the validation.
SeriesScene scoreScene(const std::vector<Training>& trainings, int chosen, double marked);

/// All passes of those that are shown.
ExportTable curveTable(const std::vector<Training>& trainings);

} // namespace nestwright::ui
