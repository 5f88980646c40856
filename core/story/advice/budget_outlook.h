#pragma once
/// \file What the rest of a session's budget, and some more minutes, are worth, as its curves tell.

#include "core/session/schedule/budget_advice.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright {

class LiveSession;
class TuningHistory;

/// The course of a session as its curves know it, with the naive time for a task without a best.
/// Looks at `history` whenever it is asked: use it before that changes.
SessionCourse courseOf(const TuningHistory& history);

struct BudgetOutlook {
  std::vector<RowId> tasks;    // of the forecasts, in their order
  std::int64_t trialsLeft = 0; // of the budget, as far as a time budget leaves room for them
  /// About those; nothing when none are left, or too little is known.
  std::optional<BudgetAdvice> rest;
  /// In the minutes, at the present pace; 0 when that is not known.
  std::int64_t trialsInMinutes = 0;
  /// About as many further trials: after the session's last one when the budget is used up, else
  /// beyond the budget, together with its rest.
  std::optional<BudgetAdvice> extended;

  /// The task that a further trial is worth most for, as far as is known; 0 for none.
  RowId bestPlace() const;
};

/// Of a session as it is steered now. Takes a millisecond or so, however long the session is.
BudgetOutlook budgetOutlook(const LiveSession& session, int minutes);

} // namespace nestwright
