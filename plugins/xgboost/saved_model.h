#pragma once
/// \file The saved form of our models (core/model/sealed_model.h): behind the line of JSON is
/// XGBoost's own UBJ.

#include "core/model/sealed_model.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nestwright::xgboost {

/// The bytes of a model of this name.
std::string sealModel(const char* model, nlohmann::json header, std::string_view trees);
/// The inverse; throws as the one of core does.
SealedModel openModel(const char* model, std::string_view bytes);

/// The version of XGBoost that wrote it.
std::string savedBy(const nlohmann::json& header);

} // namespace nestwright::xgboost
