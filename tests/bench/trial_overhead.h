#pragma once
/// \file What a trial costs beside the kernels that it runs: a real tuning session, and what its
/// time went into.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace nestwright::bench {

struct OverheadOptions {
  std::string policy = "evolutionary";
  int trials = 200, trialsPerRound = 16;
  double repeatSeconds = 0.02; // least time of each of three repeats
  unsigned threads = 0;        // of the kernels; 0: all cores
  std::string ahead = "off";   // SessionConfig::ahead
  std::string draft = "off";   // SessionConfig::draft
  std::string target = "llvm"; // SessionConfig::target
  int builders = 0;            // that compile; 0: all cores
};

/// Seconds of a whole session.
struct TrialOverhead {
  std::int64_t trials = 0, errors = 0;
  double wall = 0, kernels = 0;
  double sample = 0;   // drawing programs at random, and asking the file for parents
  double evolve = 0;   // making programs from others
  double features = 0; // of the programs that evolution looked at
  double predict = 0;  // their scores
  double train = 0;    // features of what was measured, and learning from it
  double compile = 0;  // while programs were built and none was timed
  double measure = 0;  // loading, frames to and from workers, waiting; without kernels
  double store = 0;
  double rest = 0;      // of the wall time: start, scheduling, stopping
  double longRound = 0; // the longest round's time beside kernels
  double beside = 0;    // proposals beside the measuring of other rounds: no part of the wall time
  /// (wall - kernels) / trials
  double perTrial() const;
};

/// Tunes the operator in a file of its own, which is removed. Throws SystemError when the session
/// does not finish.
TrialOverhead trialOverhead(const std::string& task, const OverheadOptions& options);

/// All members by name, in seconds, and the overhead of one trial.
nlohmann::json toJson(const TrialOverhead& overhead);

} // namespace nestwright::bench
