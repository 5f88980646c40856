#pragma once
/// \file The networks of a file.

#include "core/record/rows/network_row.h"
#include "core/record/store/rows.h"

#include <vector>

namespace nestwright {

/// The networks that sessions tune, each once.
class NetworkRows : public Rows {
 public:
  using Rows::Rows;

  /// Finds it by name and spec, or adds it; ids are stable.
  RowId add(const NetworkRow& row);
  std::vector<NetworkRow> all() const;
};

} // namespace nestwright
