#pragma once
/// \file JSON documents of our own: files that say of which kind and version they are.

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nestwright {

struct DocumentForm {
  const char* kind = "";  // "nestwright seeds"
  int version = 1;        // the newest, and the one that is read
  const char* words = ""; // "the seeds are"
  const char* notOne =
      ""; // of another kind: "these are no seeds; `nestwright travel -o` writes some"
};

/// The fields with the kind and version of the form.
nlohmann::json asDocument(nlohmann::json fields, const DocumentForm& form);
/// Throws InputError unless the document is of the form; of another version, naming both (C42).
void requireForm(const nlohmann::json& document, const DocumentForm& form);

/// Throws InputError that names the file, also where it is no JSON, or nested deeper than any of
/// ours.
nlohmann::json readDocument(const std::string& file);
/// What a file of it has; bytes that are no UTF-8 become U+FFFD.
std::string documentText(const nlohmann::json& document);
/// Whole or not at all, as documentText(). `draft` says what it is, as DraftFile
/// takes it. Throws SystemError.
void writeDocument(const std::string& file, std::string_view draft, const nlohmann::json& document);

} // namespace nestwright
