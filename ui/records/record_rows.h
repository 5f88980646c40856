#pragma once
/// \file What a table shows of records, kept for those that were looked at lately.

#include "core/record/rows/record.h"

#include <QString>

#include <unordered_map>
#include <vector>

namespace nestwright::ui {

/// A record without its steps, repeats, trace and error.
struct RecordRow {
  nestwright::Record record;
  double seconds = 0, spread = 0;
  QString sentence;  // of an error
  bool tf32 = false; // its program rounds float32 factors to TF32
};

RecordRow rowOf(nestwright::Record record);
std::vector<RecordRow> rowsOf(std::vector<nestwright::Record> records);

/// Some thousand rows by their record; those that nobody looks at go.
class RecordRowCache {
 public:
  /// Null when it is not there; valid until the next call.
  const RecordRow* find(RowId record);
  void add(RecordRow row);
  void clear();

 private:
  static constexpr std::size_t kMost = 8000; // twice as many stay at most
  std::unordered_map<RowId, RecordRow> young_, old_;
};

} // namespace nestwright::ui
