#pragma once
/// \file From the features of programs to the table that models read.

#include "core/feature/schedule_primitives.h"
#include "core/feature/statement_features.h"
#include "core/model/feature_table.h"

namespace nestwright {

/// The same rows; a program without any stays one without.
FeatureTable featureTable(const FeatureMatrix& matrix);

/// One row for each step that is seen, which a model fills up with rows of zeros; a program without
/// steps has none, and is not unknown for that. Adds to `counts` what was cut or not known. Throws
/// IllegalSchedule as PrimitiveEncoder::append does.
FeatureTable primitiveTable(std::span<const Steps> programs, const PrimitiveEncoder& encoder,
                            PrimitiveCounts& counts);

} // namespace nestwright
