#pragma once
/// \file Whether the pages of a file hang together, in words of ours.

#include "core/record/sql/sqlite.h"

#include <string>
#include <vector>

namespace nestwright::sqlite {

/// The first problems that SQLite finds in the file's pages and indexes; none when it is sound.
/// `quick` leaves out whether indexes agree with their tables, and tells the first problem alone.
std::vector<std::string> integrityProblems(Database& db, bool quick = false);

/// A sentence for each problem that SQLite words in this text, which may have several lines.
std::vector<std::string> integrityInWords(std::string_view text);

} // namespace nestwright::sqlite
