#pragma once
/// \file The saved form of our models: a line of JSON, then XGBoost's own UBJ. A hash guards both;
/// what comes with a right hash is looked at all the same, for documents come from other people.

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nestwright::xgboost {

/// The bytes of a model of this name. `header` gets the kind, the version of the form and of
/// XGBoost, and the hash.
std::string sealModel(const char* model, nlohmann::json header, std::string_view trees);

struct SavedModel {
  nlohmann::json header;
  std::string_view trees; // into the bytes
};
/// The inverse. Throws InputError for bytes that are no model of this name, damaged, or of another
/// form, naming both versions (C42).
SavedModel openModel(const char* model, std::string_view bytes);

/// A field of the header. Throws InputError.
template <class T>
T savedField(const char* model, const nlohmann::json& header, const char* field) {
  try {
    return header.at(field).get<T>();
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("the saved {} model's {} cannot be read ({})", model, field, e.what()));
  }
}

/// How the model was trained, so that another version's defaults do not change how it goes on
/// (C43); but what its caller sets, whose options these are, stays. Throws InputError.
nlohmann::json savedOptions(const char* model, const nlohmann::json& header,
                            const nlohmann::json& given);

/// How many columns the header says that rows have. Throws InputError for none or for more than
/// could be.
std::size_t savedColumns(const char* model, const nlohmann::json& header, const char* field);

/// The version of XGBoost that wrote it.
std::string savedBy(const nlohmann::json& header);

} // namespace nestwright::xgboost
