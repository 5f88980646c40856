#pragma once
/// \file When a program may be called the new best (C31): one measurement below the best so far is
/// a claim; noise makes many of those. A claim that is not clear is settled by measuring both
/// programs again in turns.

#include <vector>

namespace nestwright {

/// Seconds of the claimant and of the best so far, pair by pair as they were measured in turns.
struct PairedTimes {
  std::vector<double> claimant, best;
};

enum class ClaimVerdict { Open, Confirmed, Rejected };

/// Pairs after which a claim is judged, ascending; the last judgement is final. A claim is lost
/// with the first pair in which it is not faster.
inline constexpr int kClaimStages[] = {2, 5, 10};

/// What the pairs so far say. Confirmed when the claimant was faster in all pairs and a paired
/// t-test of the logarithms leaves at most one chance in a thousand that it is no faster.
ClaimVerdict judgeClaim(const PairedTimes& pairs);

/// True when a time is so far below the best, in all repeats, that it need not be measured again.
bool isClearlyFaster(const std::vector<double>& repeats, double bestSeconds);

} // namespace nestwright
