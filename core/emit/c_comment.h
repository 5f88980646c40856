#pragma once
/// \file Texts in comments of C.

#include <string>

namespace nestwright {

/// The text in lines of a comment. The further ones begin with `prefix`, the first as it is.
std::string commentLines(const std::string& text, const std::string& prefix = " * ");

/// The text in one line, and nothing in it that would end a comment.
std::string commented(std::string text);

} // namespace nestwright
