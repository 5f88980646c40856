#pragma once
/// \file How values stand in the columns of a file. Part of the file format.

#include "core/record/rows/session_status.h"
#include "core/record/sql/sqlite.h"
#include "core/support/row_id.h"

#include <string>
#include <string_view>

namespace nestwright {

/// 0 in a row stands for "none", which is NULL in the file.
void bindReference(sqlite::Statement& statement, int index, RowId id);

/// A text, packed when that makes it smaller.
void bindPacked(sqlite::Statement& statement, int index, std::string_view text);
std::string readPacked(const sqlite::Statement& row, int column);

/// A programId as the bytes of its hash, or a text that is no hash.
void bindProgramId(sqlite::Statement& statement, int index, const std::string& program);
std::string readProgramId(const sqlite::Statement& row, int column);

/// Throws InputError for a text that is no status.
SessionStatus readStatus(const sqlite::Statement& row, int column);

} // namespace nestwright
