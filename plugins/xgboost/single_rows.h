#pragma once
/// \file Programs of templates: one row of features each, of lengths that differ.

#include "core/model/data_set.h"

#include <vector>

namespace nestwright::xgboost {

/// The rows of the table, each `columns` wide: shorter ones are filled up with zeros, and of longer
/// ones is kept what a model of this width can have learned from. A program without a row has
/// zeros. Throws InputError where one has several.
std::vector<float> singleRows(const FeatureTable& table, std::size_t columns);

/// Which programs a model of templates learns from: those of which there are features, failed ones
/// too, the newest `most` of them; oldest first.
std::vector<std::size_t> learnable(const DataSet& set, std::size_t most);

} // namespace nestwright::xgboost
