#pragma once
/// \file The marked moments of a file's sessions.

#include "core/record/rows/mark_row.h"
#include "core/record/store/rows.h"

#include <vector>

namespace nestwright {

/// Moments of a session's course that people marked.
class MarkRows : public Rows {
 public:
  using Rows::Rows;

  /// Adds the mark, or changes it when it has an id, which is returned.
  RowId save(const MarkRow& mark);
  void remove(RowId mark);

  /// The session's marks by time.
  std::vector<MarkRow> of(RowId session) const;
};

} // namespace nestwright
