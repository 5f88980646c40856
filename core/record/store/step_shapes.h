#pragma once
/// \file The shapes of steps that records share; see step_codec.h.

#include "core/support/row_id.h"

#include <string>
#include <unordered_map>

namespace nestwright {

namespace sqlite {
class Database;
}

/// Remembers those seen lately, so that most records need no look into the table.
class StepShapes {
 public:
  explicit StepShapes(sqlite::Database& db) : db_(db) {}

  /// Finds the shape, or adds it.
  RowId id(const std::string& shape);
  /// Throws InputError when the file does not have it.
  const std::string& of(RowId id);
  /// After a transaction was undone, which may have added some.
  void forget();

 private:
  sqlite::Database& db_;
  std::unordered_map<std::string, RowId> ids_;
  std::unordered_map<RowId, std::string> shapes_;
};

} // namespace nestwright
