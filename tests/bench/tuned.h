#pragma once
/// \file Our side of the kernel benchmark: what a real tuning session finds for an operator.

#include "core/record/rows/record.h"
#include "core/session/run/session.h"
#include "tests/bench/contender.h"

#include <optional>
#include <vector>

namespace nestwright::bench {

/// The session's fastest verified program and what the session cost.
struct Tuned {
  Record record;
  std::int64_t trials = 0, errors = 0;
  double wallSeconds = 0, kernelSeconds = 0;
  /// Of the session's time beside its kernels, a trial's share.
  double overheadPerTrial() const;
};

/// Runs a session of exactly these choices in the file until it has `config.trials` trials, or for
/// `config.maxSeconds` more (0: as long as it takes); goes on with the one that the file has, and
/// starts none when it is complete. Nothing when no program was verified. `target` is what
/// config.target is known to be; without it workers are asked. Throws SystemError when the session
/// fails.
std::optional<Tuned> tune(const std::string& database, const SessionConfig& config,
                          const WorkerLaunch& launch, const TargetFacts* target = nullptr);

/// The best time after each trial of that session, seconds; infinity before the first that ran.
/// Empty where the file has no such session.
std::vector<double> bestAfterTrials(const std::string& database, const SessionConfig& config);

/// The fastest verified record of the operator in the file, of any session.
std::optional<Tuned> bestOf(const std::string& database, const SessionConfig& config);

/// The program as a contender.
Contender nestwrightContender(const InputSets& inputs, const Steps& steps, int threads);

} // namespace nestwright::bench
