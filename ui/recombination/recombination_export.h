#pragma once
/// \file The samples of a recombination as a table for files.

#include "ui/kit/exportable.h"

namespace nestwright::ui {

class RecombinationControl;

/// A row for each sample; the last columns are the records that it took, one for each task.
ExportTable sampleTable(const RecombinationControl& control);

} // namespace nestwright::ui
