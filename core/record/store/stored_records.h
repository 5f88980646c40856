#pragma once
/// \file A record as it lies in its tables. What depends on other records, such as sums and bests,
/// is record_sums.h's.

#include "core/record/rows/record.h"
#include "core/record/store/imported_programs.h"
#include "core/record/store/step_shapes.h"

#include <optional>

namespace nestwright {

/// The flags and the verdict's code that the file has of a record.
int flagsOf(const Record& record);
int codeOf(const Record& record);

/// The tables that records lie in, with what was read of them lately. Valid as long as the
/// connection, which knows its place.
class StoredRecords {
 public:
  explicit StoredRecords(sqlite::Database& db) : db_(db), shapes_(db), imported_(db, shapes_) {
    imported_.addFunction();
    db.onRollBack([this] { shapes_.forget(); });
  }
  StoredRecords(const StoredRecords&) = delete;
  StoredRecords& operator=(const StoredRecords&) = delete;

  /// Throws InputError, which names the record, when what the file says of it cannot be read.
  std::optional<Record> read(RowId id);
  /// Adds the record under a new id, which is returned.
  RowId insert(const Record& record);
  /// Stores what may change of a record: its verdict, marks, repeats, and what a comparison found.
  void update(const Record& record);
  /// Adds the error and the trace that the record has, where the file has none of it.
  void insertTexts(RowId id, const Record& record);

 private:
  void readTags(Record& record);

  sqlite::Database& db_;
  StepShapes shapes_;
  ImportedPrograms imported_;
};

} // namespace nestwright
