#pragma once
/// \file The tables of a `.nwdb` file and their versions.

#include "core/record/sql/sqlite.h"

#include <cstdint>
#include <span>

namespace nestwright {

/// SQLite's application id of our files: "NwDb".
inline constexpr std::int64_t kApplicationId = 0x4e774462;

/// What makes version `version` out of the one before.
struct Migration {
  int version;
  const char* sql;
};

/// All steps from the empty file to the version that this build writes, oldest first.
std::span<const Migration> migrations();

/// The schema version that this build writes.
int schemaVersion();

/// Brings the file to the last version of the list in one transaction; when a step fails, the file
/// is as it was.
void migrate(sqlite::Database& database, std::span<const Migration> list);

} // namespace nestwright
