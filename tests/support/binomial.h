#pragma once
/// \file How likely a count is: for tests of what is drawn at random.

#include <QString>

#include <algorithm>
#include <cmath>

namespace nestwright::test {

/// The probability that `draws` independent draws, each a hit with `probability`, give a count as
/// far from the expected one as `hits` or farther; both sides.
inline double countProbability(int hits, int draws, double probability) {
  const double mean = draws * probability;
  const int outwards = hits < mean ? -1 : 1;
  double tail = 0;
  for (int k = hits; k >= 0 && k <= draws; k += outwards) {
    // 0 * log(0) counts as 0: what never happens did not happen.
    const double hit = k == 0 ? 0 : k * std::log(probability);
    const double miss = k == draws ? 0 : (draws - k) * std::log1p(-probability);
    tail += std::exp(std::lgamma(draws + 1.0) - std::lgamma(k + 1.0) -
                     std::lgamma(draws - k + 1.0) + hit + miss);
  }
  return std::min(1.0, 2 * tail);
}

/// Empty when the count can be believed, else what is wrong with it. A right program is doubted
/// once in a thousand million seeds; with a fixed seed, never or always.
inline QString doubt(int hits, int draws, double probability) {
  constexpr double kTooUnlikely = 1e-9;
  const double likely = countProbability(hits, draws, probability);
  if (likely >= kTooUnlikely) return {};
  return QStringLiteral("%1 of %2 where %3 were expected (probability %4)")
      .arg(hits)
      .arg(draws)
      .arg(draws * probability)
      .arg(likely);
}

} // namespace nestwright::test
