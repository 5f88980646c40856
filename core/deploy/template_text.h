#pragma once
/// \file Texts with places to fill.

#include <map>
#include <string>
#include <string_view>

namespace nestwright {

/// The template with each @KEY@ replaced by its value. Every key of the template must be there.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

/// The text as a literal of C.
std::string cString(std::string_view text);

} // namespace nestwright
