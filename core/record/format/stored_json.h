#pragma once
/// \file Reading the JSON that a document keeps in columns of text. A document may be damaged or
/// come from anywhere, so that whatever is wrong with it is told in a sentence.

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nestwright {

/// The value of a text that the document holds. `what` names it in the sentence: "the settings of
/// session 3". Throws InputError when the text is no JSON.
nlohmann::json storedJson(const std::string& text, std::string_view what);

/// What `read` makes of JSON that the document holds. Throws InputError, which names it by `what`,
/// when something in it is missing or of another type.
template <class Read>
auto readStored(std::string_view what, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("{} cannot be read ({}): the file was altered or is damaged", what, e.what()));
  }
}

} // namespace nestwright
