#pragma once
/// \file The recombinations of a file, and the networks that they measured.

#include "core/record/rows/recombination_row.h"
#include "core/record/store/rows.h"

#include <optional>
#include <vector>

namespace nestwright {

/// Recombinations and their samples.
class RecombinationRows : public Rows {
 public:
  using Rows::Rows;

  RowId add(const RecombinationRow& row);
  /// Stores status, state, times and config. Throws InputError when it is not there.
  void update(const RecombinationRow& row);
  /// Throws InputError for a number that the recombination already has.
  void addSample(const SampleRow& sample);

  /// Oldest first; 0 stands for all networks.
  std::vector<RecombinationRow> all(RowId network = 0) const;
  std::optional<RecombinationRow> one(RowId id) const;
  /// Samples with a number above `after`, in order.
  std::vector<SampleRow> samples(RowId recombination, int after = -1) const;
};

} // namespace nestwright
