#pragma once
/// \file Whether saved trees may be given to XGBoost. It trusts what it reads: lengths that lead
/// beyond the bytes, and nodes and features that are not there, are read all the same. Saved models
/// come with documents of other people, so that everything is looked at before.

#include <cstddef>
#include <string_view>

namespace nestwright::xgboost {

/// Throws InputError with the reason when the bytes are not, or not completely, trees over rows of
/// `columns` features in the UBJ form of XGBoost 1.7.
void requireSoundTrees(std::string_view ubj, std::size_t columns);

} // namespace nestwright::xgboost
