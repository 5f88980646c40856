#pragma once
/// \file When a program may be called the new best (C31): one measurement below the best so far is
/// a claim; noise makes many of those. A claim that is not clear is settled by measuring both
/// programs again in turns.

#include <cstddef>
#include <vector>

namespace nestwright {

/// Seconds of the claimant and of the best so far, pair by pair as they were measured in turns.
struct PairedTimes {
  std::vector<double> claimant, best;
};

/// The first so many of them, or all.
PairedTimes firstPairs(const PairedTimes& pairs, std::size_t count);

enum class ClaimVerdict { Open, Confirmed, Rejected };

/// Pairs after which a claim is judged, ascending; the last judgement is final. Of a program that
/// is no faster, half the claims end after two pairs and all of them after four on average, at most
/// ten; a session looks into one claim a round at most.
inline constexpr int kClaimStages[] = {2, 5, 10};

/// What the pairs so far say, by the mean gain (the logarithm of best over claimant) and its
/// standard error. Confirmed when a paired t-test leaves at most one chance in a thousand that the
/// claimant is no faster. Rejected when the mean is not above 0 after two pairs, not above its
/// error after five (hopeless: fewer than one in a hundred such claims would be confirmed), or not
/// significant after ten.
ClaimVerdict judgeClaim(const PairedTimes& pairs);

/// True when a time is so far below the best, in all repeats, that it need not be measured again.
bool isClearlyFaster(const std::vector<double>& repeats, double bestSeconds);

} // namespace nestwright
