#pragma once
/// \file The machine that a task is tuned for.

#include "core/support/row_id.h"

#include <string>

namespace nestwright {

struct TargetRow {
  RowId id = 0;
  std::string key;   // TargetFacts::id()
  std::string text;  // as in public records
  std::string facts; // all facts as JSON
};

} // namespace nestwright
