#pragma once
/// \file The programs of imported records for connections that are no RecordStore.

#include "core/record/sql/sqlite.h"

namespace nestwright {

/// Lets statements of the connection call kImportedProgram (filter_sql.h). Opens its file once more
/// when one does.
void addImportedProgram(sqlite::Database& db);

} // namespace nestwright
