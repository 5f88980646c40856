#pragma once
/// \file Rows that could be read of a damaged file, made to belong together again.

#include "core/record/sql/sqlite.h"

#include <atomic>
#include <string>
#include <vector>

namespace nestwright {

class StoredRecords;

/// Drops what names rows that are lost or cannot be understood, and makes again what can be: a
/// session gets `lostConfig` for its settings. What was lost is given back, a sentence each; once
/// `stop` is true, records are no longer looked at. `stored` reads those of the file.
std::vector<std::string> makeSound(sqlite::Database& db, StoredRecords& stored,
                                   const std::string& lostConfig, const std::atomic<bool>& stop);

} // namespace nestwright
