#pragma once
/// \file Which records networks run with.

#include "core/record/rows/network_choice.h"
#include "core/record/store/rows.h"

#include <optional>

namespace nestwright {

/// What each network runs with on each target.
class ChoiceRows : public Rows {
 public:
  using Rows::Rows;

  /// Replaces the network's choice on this target.
  void keep(const NetworkChoice& choice);
  void drop(RowId network, RowId target);

  std::optional<NetworkChoice> of(RowId network, RowId target) const;
};

} // namespace nestwright
