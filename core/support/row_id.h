#pragma once
/// \file How rows of a document are named.

#include <cstdint>

namespace nestwright {

/// Of a task, a record, a session …; 0 stands for none.
using RowId = std::int64_t;

} // namespace nestwright
