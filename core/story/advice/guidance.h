#pragma once
/// \file What to look at next, by rules: each finds a place where something is lost, says what is
/// to be gained there, as a share of the present total, and what may be done. A plain value of what
/// is known of a session, so that the window, the command line and tests say the same.

#include "core/session/schedule/budget_advice.h"
#include "core/story/advice/measuring_health.h"
#include "core/story/live_session.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright {

enum class GuidanceKind : std::uint8_t {
  NoProgram,     // a task's trials all failed
  Noise,         // what it measures now scatters so much that chance decides on bests
  BudgetSpent,   // what is left of the budget is worth nothing
  BehindSibling, // a task of the same operator runs at a much higher rate
  BelowRoof,     // the task with the largest distance from what the machine could do
  Contested,     // programs that look faster than bests are not settled
};
inline constexpr int kGuidanceKinds = 6;

struct Guidance {
  GuidanceKind kind = GuidanceKind::BelowRoof;
  RowId task = 0;    // 0: of the session as a whole
  RowId sibling = 0; // for BehindSibling
  /// How much lower the total would be, as a share of it, at most: for a roof, if the task reached
  /// it; for the budget, by what is left of it. 0 where nobody can tell.
  double gain = 0;
  double reached = 0;      // of the roof, or of the sibling's rate
  std::int64_t trials = 0; // that failed, that are contested, or that are left
};

/// What the rules go by, beside the session itself.
struct GuidanceFacts {
  MeasuringHealth health;
  std::optional<BudgetAdvice> rest; // of the budget
};

/// What the rules find, the most urgent first: what keeps a task or a best from being known, then
/// by gain. Empty while too little is known, and for an import.
std::vector<Guidance> guidance(const LiveSession& session, const GuidanceFacts& facts);

} // namespace nestwright
