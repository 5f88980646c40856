#pragma once
/// \file A record put together from the tables that it lies in.

#include "core/record/rows/record.h"
#include "core/record/store/imported_programs.h"
#include "core/record/store/step_shapes.h"

#include <optional>

namespace nestwright {

class RecordReader {
 public:
  explicit RecordReader(sqlite::Database& db) : db_(db), shapes_(db), imported_(db, shapes_) {
    imported_.addFunction();
  }

  /// Throws InputError, which names the record, when what the file says of it cannot be read.
  std::optional<Record> read(RowId id);
  StepShapes& shapes() { return shapes_; }

 private:
  void readTags(Record& record);

  sqlite::Database& db_;
  StepShapes shapes_;
  ImportedPrograms imported_;
};

} // namespace nestwright
