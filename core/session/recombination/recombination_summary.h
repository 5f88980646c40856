#pragma once
/// \file What the samples of a recombination say: noise, best so far, and whether the winner is
/// one.

#include "core/record/rows/recombination_row.h"
#include "core/session/recombination/recombination_plan.h"
#include "core/session/run/best_claim.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// "open", "confirmed", "rejected"; as the file has it.
const char* name(ClaimVerdict verdict);

/// A sample that was measured again in turns with the per-task bests.
struct WinnerClaim {
  int sample = 0;
  PairedTimes pairs; // claimant: the sample; best: the per-task bests
  ClaimVerdict verdict = ClaimVerdict::Open;
};

/// What the file keeps of a recombination beside its samples.
struct RecombinationState {
  std::vector<TaskCandidates> candidates;
  std::vector<WinnerClaim> claims; // in the order in which they were looked into
};
std::string toText(const RecombinationState& state);
/// Throws InputError when the text is damaged.
RecombinationState recombinationStateFromText(const std::string& text);

/// A ratio of two latencies with its 95 % confidence interval.
struct Gain {
  double ratio = 1, low = 1, high = 1; // above 1: faster
};
/// Of the claimant over the best, from pairs measured in turns (Student's t on the logarithms).
Gain pairedGain(const PairedTimes& pairs);

/// Seconds of a sample: the median of its repeats; infinity when it failed.
double secondsOf(const SampleRow& sample);
/// True for the per-task bests, at first and measured again.
bool isBaseline(const SampleRow& sample);

struct RecombinationSummary {
  int samples = 0, failed = 0; // combinations measured, the per-task bests not counted
  double baselineSeconds = 0;  // median over all measurements of the per-task bests; infinity
                               // before the first
  double noiseSeconds = 0;     // standard deviation of one measurement
  double drift = 0;            // last measurement of the per-task bests / the first, minus 1
  std::optional<int> fastest;  // number of the fastest sample that is no baseline
  double fastestSeconds = 0;
  std::optional<int> winner; // the sample that was confirmed to be faster than the baseline
  std::optional<Gain> gain;  // of the winner, or else of the claim looked into last
};
RecombinationSummary summarise(const std::vector<SampleRow>& samples,
                               const std::vector<WinnerClaim>& claims);

} // namespace nestwright
