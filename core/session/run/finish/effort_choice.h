#pragma once
/// \file What choosing an effort comes to before there is a session: which settings, and how long
/// they will take.

#include "core/session/run/finish/effort.h"

#include <optional>

namespace nestwright {

/// The settings of the effort. It belongs to our own search: a paper's method, and templates, are
/// left for that.
SessionConfig withChosenEffort(SessionConfig config, Effort effort, std::size_t tasks);

/// The effort that the settings are just those of; none for a choice of one's own.
std::optional<Effort> effortOf(const SessionConfig& config, std::size_t tasks);

/// What a trial takes where no session on the target tells: 584 of ResNet-50 with the effort quick
/// took 0.14 to 0.2 s each on two idle cores of 2.6 GHz; the rest is for other machines.
inline constexpr double kAssumedSecondsPerTrial = 0.5;

struct EffortPromise {
  std::int64_t trials = 0;  // of the session
  double seconds = 0;       // that they take
  bool mayEndEarly = false; // the seconds are the most then
  bool isAssumed = false;   // kAssumedSecondsPerTrial
};
/// `secondsPerTrial`: what sessions on the target took so far, 0 where none did.
EffortPromise promiseOf(const SessionConfig& config, Effort effort, std::size_t tasks,
                        double secondsPerTrial);

} // namespace nestwright
