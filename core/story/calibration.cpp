#include "core/story/calibration.h"

#include "core/search/expected_improvement.h"

#include <cmath>
#include <limits>

namespace nestwright {
namespace {

/// A forest whose trees all agree is right when it is as near as their numbers are.
constexpr double kRounding = 1e-6;

double shareOf(std::size_t part, std::size_t whole) {
  return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}

void add(Calibration& to, const Calibration& other) {
  to.programs += other.programs;
  to.within1 += other.within1;
  to.within2 += other.within2;
}

} // namespace

double Calibration::share1() const {
  return shareOf(within1, programs);
}
double Calibration::share2() const {
  return shareOf(within2, programs);
}

Calibration calibrationOf(const std::vector<const PredictedProgram*>& programs) {
  Calibration calibration;
  for (const PredictedProgram* program : programs) {
    if (!program->comparable() || !program->deviation) continue;
    const double away = std::abs(program->surprise()), sigma = *program->deviation;
    ++calibration.programs;
    if (away <= sigma + kRounding) ++calibration.within1;
    if (away <= 2 * sigma + kRounding) ++calibration.within2;
  }
  return calibration;
}

Sureness surenessOf(const Calibration& calibration) {
  constexpr double kMargin = 0.1; // of the share: nearer is as sure as it should be
  constexpr double kZ = 1.96;     // 95 % of a normal distribution
  if (calibration.programs == 0) return Sureness::TooFew;
  const auto n = static_cast<double>(calibration.programs);
  const double share = calibration.share1();
  const double middle = (share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half =
      kZ / (1 + kZ * kZ / n) * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  if (share < kNormalWithin1 - kMargin)
    return middle + half < kNormalWithin1 ? Sureness::TooSure : Sureness::TooFew;
  if (share > kNormalWithin1 + kMargin)
    return middle - half > kNormalWithin1 ? Sureness::Unsure : Sureness::TooFew;
  return half <= kMargin ? Sureness::AsShould : Sureness::TooFew;
}

std::vector<RoundCalibration> calibrations(const Predictions& predictions, RowId task) {
  std::vector<RoundCalibration> rounds;
  Calibration soFar;
  for (const int round : predictions.rounds(task)) {
    const Calibration own = calibrationOf(predictions.between(round, round, task));
    if (own.programs == 0) continue;
    add(soFar, own);
    rounds.push_back({round, own, soFar});
  }
  return rounds;
}

std::optional<double> improvementOf(const PredictedProgram& program) {
  if (!program.deviation) return std::nullopt;
  return expectedImprovement(program.predicted, *program.deviation, 1);
}

} // namespace nestwright
