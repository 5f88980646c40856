#pragma once
/// \file Cells of comma-separated tables (RFC 4180) that a spreadsheet shows and does not run.

#include <string>
#include <string_view>

namespace nestwright {

/// The text, guarded when a spreadsheet would take it for a formula: a text that begins with = + -
/// @, a tab or a carriage return and is no number gets an apostrophe in front, as OWASP advises
/// ("CSV Injection"). One that begins with apostrophes before such a character gets one more, so
/// that withoutFormulaGuard() gives every text back.
std::string withFormulaGuard(std::string_view text);
/// The inverse, for whoever reads such a table.
std::string withoutFormulaGuard(std::string_view cell);

/// A guarded cell as it stands between commas: in quotes where it has to be.
std::string csvField(std::string_view text);

/// A line in front of the table, such as where it comes from: "# " and the text, with what its
/// commas part guarded like cells, quoted ones included, and line ends as blanks.
std::string csvRemark(std::string_view text);

} // namespace nestwright
