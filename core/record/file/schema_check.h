#pragma once
/// \file What a file's schema is next to ours: which objects do not belong there, and why the file
/// cannot be written then.

#include "core/record/sql/sqlite.h"

#include <string>
#include <vector>

namespace nestwright {

/// How the schema of a file differs from what its version has.
struct SchemaDifference {
  /// "the trigger 'a'", "the changed table 'b'": what is not ours. Never run or read.
  std::vector<std::string> foreign;
  /// "'tag' is a view": tables and columns that reading needs, and that are not there as such.
  std::vector<std::string> unreadable;
};

/// Compares the schema with that of the file's version. Of a version newer than this program knows,
/// only what reading needs is compared. Missing indexes are no difference: a large import does
/// without one for a while.
SchemaDifference schemaDifference(sqlite::Database& database);

/// Whether a program from before the first release wrote the file. Its version says nothing: files
/// of that time counted from 1 to 11, and those of today begin at 1 again.
bool isOfBeforeTheRelease(sqlite::Database& database);

/// Why the file cannot be written, and what to do; empty when it can. It is of a newer version, or
/// has objects that are not ours.
std::string readOnlyReason(sqlite::Database& database);

} // namespace nestwright
