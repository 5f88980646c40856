#pragma once
/// \file The saved form of cost models: a line of JSON, then bytes that the model's library
/// understands. A hash guards both; what comes with a right hash is to be looked at all the same,
/// for documents come from other people.

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace nestwright {

/// Whose form it is.
struct ModelForm {
  int format = 1;          // raised when older programs could not read it
  std::string libraryKey;  // of the writer's version in the header: "xgboost"
  std::string libraryName; // as it is told: "XGBoost"
  std::string libraryVersion;
};
/// Of bytes that Nestwright writes itself.
ModelForm ownForm(int format);

/// The bytes of a model of this name. `header` gets the kind, the versions of the form and of the
/// library, and the hash.
std::string sealModel(const ModelForm& form, const std::string& model, nlohmann::json header,
                      std::string_view bytes);

struct SealedModel {
  nlohmann::json header;
  std::string_view bytes; // into those that were opened
};
/// The inverse. Throws InputError for bytes that are no model of this name, damaged, or of another
/// form, naming both versions (C42).
SealedModel openModel(const ModelForm& form, const std::string& model, std::string_view bytes);

/// A field of the header. Throws InputError.
template <class T>
T savedField(const std::string& model, const nlohmann::json& header, const char* field) {
  try {
    return header.at(field).get<T>();
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("the saved {} model's {} cannot be read ({})", model, field, e.what()));
  }
}

/// How the model was trained, so that another version's defaults do not change how it goes on
/// (C43); but what its caller sets, whose options these are, stays. Throws InputError.
nlohmann::json savedOptions(const std::string& model, const nlohmann::json& header,
                            const nlohmann::json& given);

/// How many columns the header says that rows have. Throws InputError for none or for more than
/// could be.
std::size_t savedColumns(const std::string& model, const nlohmann::json& header, const char* field);

} // namespace nestwright
