#include "core/session/recombination/recombination_summary.h"

#include "core/execute/network_runner.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr NameTable<ClaimVerdict, 3> kVerdicts = {{"open", "confirmed", "rejected"}};

ClaimVerdict claimVerdict(const std::string& text) {
  if (const auto verdict = kVerdicts.find(text)) return *verdict;
  throw InputError(fmt::format("damaged recombination: a claim is '{}'", text));
}

/// The claim as it is stored: its times were measured in turns.
WinnerClaim claimFrom(const json& stored) {
  WinnerClaim claim{stored.at("sample"),
                    {stored.at("claimant").get<std::vector<double>>(),
                     stored.at("best").get<std::vector<double>>()},
                    claimVerdict(stored.at("verdict"))};
  if (claim.pairs.claimant.size() != claim.pairs.best.size())
    throw InputError(fmt::format("damaged recombination: a claim has {} beside {}",
                                 quantity(std::ssize(claim.pairs.claimant), "time"),
                                 claim.pairs.best.size()));
  return claim;
}

double deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values)
    mean += value / static_cast<double>(values.size());
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// Of the median of one sample's repeats, from how these scatter.
double noiseOfMedian(const std::vector<double>& repeats) {
  constexpr double kMedianOverMean = 1.2533; // standard errors, of a normal distribution
  return kMedianOverMean * deviation(repeats) / std::sqrt(static_cast<double>(repeats.size()));
}

/// What measuring the per-task bests again shows includes drift and the luck of a process; before
/// there are enough of them, the repeats within the samples have to do.
double noiseOf(const std::vector<SampleRow>& samples, const std::vector<double>& baseline) {
  std::vector<double> within;
  for (const SampleRow& sample : samples)
    if (sample.seconds.size() > 2) within.push_back(noiseOfMedian(sample.seconds));
  const double inside = within.empty() ? 0 : median(within);
  return baseline.size() > 2 ? std::max(inside, deviation(baseline)) : inside;
}

} // namespace

const char* name(ClaimVerdict verdict) {
  return kVerdicts.of(verdict);
}

std::string toText(const RecombinationState& state) {
  json claims = json::array();
  for (const WinnerClaim& claim : state.claims)
    claims.push_back({{"sample", claim.sample},
                      {"claimant", claim.pairs.claimant},
                      {"best", claim.pairs.best},
                      {"verdict", name(claim.verdict)}});
  return json{{"candidates", toJson(state.candidates)}, {"claims", claims}}.dump();
}

RecombinationState recombinationStateFromText(const std::string& text) {
  try {
    const json state = json::parse(text);
    RecombinationState result{candidatesFromJson(state.at("candidates")), {}};
    for (const json& claim : state.at("claims"))
      result.claims.push_back(claimFrom(claim));
    return result;
  } catch (const json::exception& e) {
    throw InputError(fmt::format("damaged recombination: {}", e.what()));
  }
}

Gain pairedGain(const PairedTimes& pairs) {
  // Two-sided 95 % points of Student's t by degrees of freedom, 1 to 9.
  constexpr double kCritical[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  const std::size_t count = pairs.claimant.size();
  NW_ASSERT(count == pairs.best.size(), "{} times beside {}", count, pairs.best.size());
  if (count == 0) return {};
  std::vector<double> gains;
  double mean = 0;
  for (std::size_t i = 0; i < count; ++i) {
    gains.push_back(std::log(pairs.best[i] / pairs.claimant[i]));
    mean += gains.back() / static_cast<double>(count);
  }
  if (count == 1) return {std::exp(mean), 0, kInfinity};
  const double half = kCritical[std::min(count - 2, std::size(kCritical) - 1)] * deviation(gains) /
                      std::sqrt(static_cast<double>(count));
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

double secondsOf(const SampleRow& sample) {
  return sample.verdict == Verdict::Ok && !sample.seconds.empty() ? median(sample.seconds)
                                                                  : kInfinity;
}

bool isBaseline(const SampleRow& sample) {
  return sample.draw < 0;
}

RecombinationSummary summarise(const std::vector<SampleRow>& samples,
                               const std::vector<WinnerClaim>& claims) {
  RecombinationSummary summary;
  summary.fastestSeconds = kInfinity;
  std::vector<double> baseline;
  for (const SampleRow& sample : samples) {
    const double seconds = secondsOf(sample);
    if (isBaseline(sample)) {
      if (std::isfinite(seconds)) baseline.push_back(seconds);
      continue;
    }
    ++summary.samples;
    summary.failed += !std::isfinite(seconds);
    if (seconds >= summary.fastestSeconds) continue;
    summary.fastest = sample.sample;
    summary.fastestSeconds = seconds;
  }
  summary.baselineSeconds = baseline.empty() ? kInfinity : median(baseline);
  if (!baseline.empty()) summary.drift = baseline.back() / baseline.front() - 1;
  summary.noiseSeconds = noiseOf(samples, baseline);
  for (const WinnerClaim& claim : claims) {
    if (!claim.pairs.best.empty()) summary.gain = pairedGain(claim.pairs);
    if (claim.verdict == ClaimVerdict::Confirmed) summary.winner = claim.sample;
  }
  return summary;
}

} // namespace nestwright
