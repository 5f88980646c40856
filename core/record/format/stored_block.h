#pragma once
/// \file A block of imported records where it lies in a file.

#include "core/record/format/imported_block.h"
#include "core/record/sql/sqlite.h"
#include "core/support/row_id.h"

#include <optional>
#include <string>

namespace nestwright {

struct StoredBlock {
  RowId first = 0;       // of its records, whose ids follow one another
  RowId source = 0;      // that they were imported from
  std::string bytes;     // as they lie in the file
  ImportedBlock content; // decoded

  bool holds(RowId record) const;
  /// The part of a record that it holds.
  const ImportedItem& item(RowId record) const;
};

/// The block that holds the imported record, or nothing where the file has none. Throws InputError
/// when the block is damaged or has not as many records as it says.
std::optional<StoredBlock> findBlock(sqlite::Database& db, RowId record);

/// The same; throws InputError where the file has none, too.
StoredBlock blockOf(sqlite::Database& db, RowId record);

} // namespace nestwright
