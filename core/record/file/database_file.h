#pragma once
/// \file From a path to a connection: what the file is gets established before anything is written.

#include "core/record/file/open_mode.h"
#include "core/record/sql/sqlite.h"

#include <string>

namespace nestwright {

/// Opens the file as RecordStore::open promises: connected, checked, migrated, set up. Throws
/// InputError when it cannot be ours; then nothing on the disk has changed.
sqlite::Database openDatabaseFile(const std::string& path, OpenMode mode);

/// Why nothing can be written where the file is, with what to do; empty where it can.
std::string readOnlyPlace(const std::string& path);

/// Makes an empty file one of ours, with nothing in its tables.
void fillNewFile(const std::string& path);

} // namespace nestwright
