#pragma once
/// \file Regular expressions in a record filter: a text between slashes, "/^conv.*(1x1|3x3)/". They
/// are RE2's, which take time in proportion to the text, whatever somebody types. Letter case does
/// not matter.

#include "core/record/sql/sqlite.h"

#include <string_view>

namespace nestwright {

/// Whether the value of a filter is one: it begins and ends with a slash, with something between.
bool isRegularExpression(std::string_view text);
/// Throws InputError with what is wrong in it.
void checkRegularExpression(std::string_view text);

/// An SQL function of such a text and a column: whether the expression is found in the column.
inline constexpr const char* kFitsExpression = "fits_expression";
/// Lets statements of the connection call it.
void addRegularExpressions(sqlite::Database& db);

} // namespace nestwright
