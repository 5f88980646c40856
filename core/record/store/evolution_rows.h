#pragma once
/// \file What the searches of a file's sessions saw.

#include "core/record/rows/evolution_row.h"
#include "core/record/store/rows.h"

#include <optional>
#include <vector>

namespace nestwright {

/// The generations that were bred in the rounds of sessions, as far as they are kept.
class EvolutionRows : public Rows {
 public:
  using Rows::Rows;

  /// Keeps what the search of a round saw; replaces what was kept of the same round.
  void save(const EvolutionRow& row);
  /// Forgets what was kept of a round, if anything was.
  void drop(RowId session, int round);

  /// What the search of the session's round saw, if it was kept.
  std::optional<EvolutionRow> of(RowId session, int round) const;
  /// The rounds of the session, or of its task, whose generations are kept; oldest first.
  std::vector<EvolvedRound> rounds(RowId session, RowId task = 0) const;
};

} // namespace nestwright
