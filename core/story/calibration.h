#pragma once
/// \file Whether a cost model is as sure as it should be: how often what was measured lies within
/// one and two standard deviations of what it expected.

#include "core/story/predictions.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright {

/// Shares of a normal distribution within one and two standard deviations.
inline constexpr double kNormalWithin1 = 0.6827, kNormalWithin2 = 0.9545;

struct Calibration {
  std::size_t programs = 0;             // that ran, and of which a deviation is known
  std::size_t within1 = 0, within2 = 0; // of these
  double share1() const;                // NaN without programs
  double share2() const;
};
/// Failed programs, from which no model learns, are left out.
Calibration calibrationOf(const std::vector<const PredictedProgram*>& programs);

enum class Sureness : std::uint8_t {
  TooFew,   // programs to tell
  TooSure,  // clearly fewer within one deviation than of a normal distribution
  AsShould, // about as many
  Unsure    // clearly more
};
/// By what lies within one standard deviation. As many as of a normal distribution is a tenth of
/// all programs more or less; how far the share itself is known is the Wilson interval of a
/// binomial proportion, 95 % (Wilson 1927).
Sureness surenessOf(const Calibration& calibration);

struct RoundCalibration {
  int round = 0;
  Calibration own;   // of the round alone
  Calibration soFar; // of it and all rounds before it
};
/// Of the rounds with programs that have a deviation, ascending; of one task, or of all for 0.
std::vector<RoundCalibration> calibrations(const Predictions& predictions, RowId task);

/// How much faster than the fastest it was expected to be, as a share; nothing where the model did
/// not say how sure it was.
std::optional<double> improvementOf(const PredictedProgram& program);

} // namespace nestwright
