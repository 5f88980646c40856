#pragma once
/// \file Texts of others on a terminal. A name in a document, a log or a model may hold anything;
/// what steers a terminal, or turns the order of its letters, must be seen and not obeyed.

#include <string>
#include <string_view>

namespace nestwright {

/// The text with its control characters written out: those of ASCII, of Latin-1 and of writing
/// directions as \u001b, bytes that are no UTF-8 as \xff. Line feeds and tabs stay. Escapes are as
/// in JSON, so that a JSON document stays one.
std::string printable(std::string_view text);

/// The same for a text that takes one line, such as a name: line feeds and tabs are written out,
/// too.
std::string printableLine(std::string_view text);

} // namespace nestwright
