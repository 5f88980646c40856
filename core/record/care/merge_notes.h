#pragma once
/// \file Notes of one `.nwdb` file on their way into another.

#include "core/record/care/merge_rows.h"

namespace nestwright {

/// Takes over what people wrote on sessions, tasks and records that have their places. Where both
/// files have another note on the same one, the lines of both are there, each once and sorted, so
/// that the order in which files come together does not matter. Within a transaction.
void mergeNotes(MergeFiles& files);

} // namespace nestwright
