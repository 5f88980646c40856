#pragma once
/// \file From the features of programs to the table that models read.

#include "core/feature/statement_features.h"
#include "core/model/feature_table.h"

namespace nestwright {

/// The same rows; a program without any stays one without.
FeatureTable featureTable(const FeatureMatrix& matrix);

} // namespace nestwright
