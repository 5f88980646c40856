#pragma once
/// \file The targets of a file.

#include "core/record/rows/target_row.h"
#include "core/record/store/rows.h"

#include <vector>

namespace nestwright {

/// The machines that tasks are tuned for, each once.
class TargetRows : public Rows {
 public:
  using Rows::Rows;

  /// Finds it by key, or adds it; ids are stable.
  RowId add(const TargetRow& row);
  std::vector<TargetRow> all() const;
};

} // namespace nestwright
