#pragma once
/// \file What further trials are worth: a forecast of how much faster the weighted total will
/// become, from the course of the session so far, and how well such forecasts held in its past.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace nestwright {

/// One task at some moment of a session.
struct TaskStanding {
  std::int64_t trials = 0;                                  // it got until then
  double seconds = std::numeric_limits<double>::infinity(); // best, or naive without one
};

/// Where a session stood after some of its trials.
struct SessionStanding {
  std::int64_t trials = 0;
  double wallSeconds = 0;
  std::vector<TaskStanding> tasks; // always the same ones in the same order
};

/// A session's course: where it stood after any number of trials up to now.
struct SessionCourse {
  std::int64_t trials = 0;     // now
  std::vector<double> weights; // of the tasks in the total
  std::function<SessionStanding(std::int64_t trials)> at;
};

/// A value with the range that it is expected in four times out of five.
struct Ranged {
  double value = 0, low = 0, high = 0;
};

/// How much lower the total will be, as a share of what it is at the time of the forecast.
struct GainForecast {
  std::int64_t from = 0, trials = 0; // made then, and further ones
  Ranged gain;
  std::vector<double> taskGains;  // each task's part of `gain.value`
  std::vector<double> taskTrials; // of the further trials, that each is expected to get
};

/// A forecast that the session itself has proved right or wrong.
struct TestedForecast {
  GainForecast forecast;
  double actual = 0; // gain
  bool held() const { return actual >= forecast.gain.low && actual <= forecast.gain.high; }
};

struct BudgetAdvice {
  GainForecast forecast;
  Ranged seconds; // that the further trials will take
  /// The same forecast made from earlier moments of the session, each with what was known then;
  /// oldest first.
  std::vector<TestedForecast> tests;
};

/// What `further` trials after the session's last one are worth. Each task's logarithm of the best
/// is taken to fall in proportion to the logarithm of its trials, as records of random draws do, as
/// steeply as it did over the last half of the session (tasks with little to go by lean on all the
/// others); the range and the level come from how earlier forecasts over as long a way turned out.
/// `shares`: of the further trials, by task; empty: as in the last half. Nothing before there are
/// trials enough, or where no total is known.
std::optional<BudgetAdvice> adviseBudget(const SessionCourse& course, std::int64_t further,
                                         const std::vector<double>& shares = {});

} // namespace nestwright
