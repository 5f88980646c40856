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
