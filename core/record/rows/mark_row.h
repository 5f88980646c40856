#pragma once
/// \file A moment of a session's past that somebody marked.

#include "core/support/row_id.h"

#include <cstdint>
#include <string>

namespace nestwright {

/// A moment of a session's past, with a sentence for those who replay it.
struct MarkRow {
  RowId id = 0; // 0: a new one
  RowId session = 0;
  double wallSeconds = 0;  // on the session's own clock
  std::int64_t trials = 0; // made until then
  std::string sentence;
};

} // namespace nestwright
