#pragma once
/// \file Rows of a file that options name by their ids.

#include "core/record/rows/record_query.h"

#include <string>

namespace nestwright::cli {

/// Throws InputError where the file has no such task or session as the query is restricted to.
void requireNamedRows(const std::string& database, const RecordQuery& query);

} // namespace nestwright::cli
