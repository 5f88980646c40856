#pragma once
/// \file Two records side by side: `show RECORD --diff RECORD2`.

#include "core/support/row_id.h"

#include <string>

namespace nestwright::cli {

struct DiffOptions {
  std::string database, otherDatabase; // the second may be empty: the same file
  RowId record = 0, other = 0;
  bool steps = false, loops = false, ir = false, source = false, assembly = false;
  bool json = false;
};

/// Prints the latencies with their difference and what differs in the parts that were asked for;
/// steps and loops where none was.
void showDiff(DiffOptions options);

} // namespace nestwright::cli
