#pragma once
/// \file Wilcoxon's signed-rank test: whether paired differences lean to one side by more than
/// chance does (Wilcoxon 1945). It asks nothing of how they are distributed but that, were there no
/// difference, each would be as likely to have the other sign.

#include <span>
#include <vector>

namespace nestwright {

struct SignedRank {
  double p = 1; // two-sided
  /// The side to which they lean: 1 or -1, where the ranks of positive or of negative ones add up
  /// to more; 0 where to the same. Neither their mean nor their number need lean there, too.
  int side = 0;
};

/// Of differences; infinite ones count as the largest. Zeros are left out, and equal sizes share
/// their ranks; given these the distribution is exact up to 50 differences, beyond it is the normal
/// approximation with its corrections for ties and continuity. Without any p is 1.
SignedRank signedRank(std::span<const double> differences);

/// With so few pairs no result is significant at 5 %: with five all on one side p is 2 / 2⁵.
inline constexpr int kFewestPairs = 6;

/// The p-values of several tests made larger, so that the chance of one false alarm among all is
/// what it would be for one (Holm 1979); in their order.
std::vector<double> holmAdjusted(std::span<const double> ps);

} // namespace nestwright
