#pragma once
/// \file Reading the JSON that a document keeps in columns of text. A document may be damaged or
/// come from anywhere, so that whatever is wrong with it is told in a sentence.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace nestwright {

/// The value of a text that the document holds. `what` names it in the sentence: "the settings of
/// session 3". Throws InputError when the text is no JSON.
nlohmann::json storedJson(const std::string& text, std::string_view what);

} // namespace nestwright
