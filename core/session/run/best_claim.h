#pragma once
/// \file When a program may be called the new best (C31): one measurement below the best so far is
/// a claim; noise makes many of those. A claim that is not clear is settled by measuring both
/// programs again in turns.

#include <cstddef>
#include <limits>
#include <vector>

namespace nestwright {

/// Seconds of the claimant and of the best so far, pair by pair as they were measured in turns.
struct PairedTimes {
  std::vector<double> claimant, best;
};

/// The first so many of them, or all.
PairedTimes firstPairs(const PairedTimes& pairs, std::size_t count);

enum class ClaimVerdict { Open, Confirmed, Rejected };

/// When a claim is judged, by the mean gain of its pairs (the logarithm of best over claimant) in
/// units of its standard error.
struct ClaimStage {
  int pairs = 0;
  double confirmedAbove = 0, rejectedUpTo = 0;
};
/// Ascending; the last judgement is final. Confirmed are those of which a paired t-test leaves at
/// most one chance in a thousand that the claimant is no faster, which three pairs cannot tell. Of
/// a program that is no faster, half the claims end after three pairs and all of them after six on
/// average.
inline constexpr ClaimStage kClaimStages[] = {{3, std::numeric_limits<double>::infinity(), 0},
                                              {6, 5.893, 1},
                                              {12, 4.025, 2},
                                              {24, 3.485, 3.485}};

/// What the pairs so far say: of more than a stage has and fewer than the next, as at that stage.
ClaimVerdict judgeClaim(const PairedTimes& pairs);

/// True when a time is so far below the best, in all repeats, that it need not be measured again.
bool isClearlyFaster(const std::vector<double>& repeats, double bestSeconds);

} // namespace nestwright
