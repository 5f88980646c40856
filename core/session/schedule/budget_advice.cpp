#include "core/session/schedule/budget_advice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright {

namespace {

/// With fewer trials there is no course to go by.
constexpr std::int64_t kFewestTrials = 16;
/// Back-tests, the latest ones: each costs a few looks at the course.
constexpr int kMostTests = 24;
/// How far a task's own slope counts against that of all: as much as so many e-foldings of trials.
constexpr double kLean = 0.1;
/// Actual gain over forecast before a session has a past of its own: sessions mostly fall short of
/// the forecast, and now and then find something that is worth a multiple.
constexpr double kPriorRatios[] = {0, 0.5, 1, 3};
constexpr double kPriorForecasts = 2; // as good as so many that turned out right
/// A forecast of next to nothing that was wrong says little about others.
constexpr double kMostRatio = 10;
constexpr double kLow = 0.1, kHigh = 0.9; // four times out of five

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], at - static_cast<double>(below));
}

double totalOf(const SessionStanding& standing, const std::vector<double>& weights) {
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    total += weights[i] * standing.tasks[i].seconds;
  return total;
}

/// The forecast without range or experience.
std::optional<GainForecast> extrapolate(const SessionCourse& course, const SessionStanding& now,
                                        std::int64_t further, std::vector<double> shares) {
  const double total = totalOf(now, course.weights);
  if (!std::isfinite(total) || !(total > 0)) return std::nullopt;
  const SessionStanding half = course.at(now.trials / 2);
  const std::size_t count = course.weights.size();
  std::vector<double> gained(count, 0), spent(count, 0);
  double allGained = 0, allSpent = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const TaskStanding &then = half.tasks[i], &task = now.tasks[i];
    if (then.trials == 0 || task.trials == then.trials || !std::isfinite(then.seconds)) continue;
    gained[i] = std::log(then.seconds / task.seconds);
    spent[i] = std::log(static_cast<double>(task.trials) / static_cast<double>(then.trials));
    allGained += gained[i];
    allSpent += spent[i];
  }
  const double common = allSpent > 0 ? allGained / allSpent : 0;
  if (shares.empty())
    for (std::size_t i = 0; i < count; ++i)
      shares.push_back(static_cast<double>(now.tasks[i].trials - half.tasks[i].trials));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  GainForecast forecast;
  forecast.from = now.trials, forecast.trials = further;
  for (std::size_t i = 0; i < count; ++i) {
    const double more = sum > 0 ? static_cast<double>(further) * shares[i] / sum : 0;
    const double slope = (gained[i] + kLean * common) / (spent[i] + kLean);
    const auto made = static_cast<double>(std::max<std::int64_t>(1, now.tasks[i].trials));
    const double drop = -std::expm1(-slope * std::log1p(more / made));
    forecast.taskTrials.push_back(more);
    forecast.taskGains.push_back(course.weights[i] * now.tasks[i].seconds * drop / total);
    forecast.gain.value += forecast.taskGains.back();
  }
  return forecast;
}

/// How forecasts turned out, to learn from.
struct Experience {
  double forecast = 0, actual = 0; // sums of gains
  std::vector<double> ratios;      // actual over forecast
};

/// Level and range from how such forecasts turned out before.
void learn(GainForecast& forecast, const Experience& experience) {
  const double plain = forecast.gain.value;
  if (!(plain > 0)) return;
  const double level = (experience.actual + kPriorForecasts * plain) /
                       (experience.forecast + kPriorForecasts * plain);
  std::vector<double> ratios(std::begin(kPriorRatios), std::end(kPriorRatios));
  ratios.insert(ratios.end(), experience.ratios.begin(), experience.ratios.end());
  for (double& gain : forecast.taskGains)
    gain *= level;
  const double value = std::min(1.0, plain * level);
  forecast.gain = {value, std::min(value, plain * quantile(ratios, kLow)),
                   std::clamp(plain * quantile(ratios, kHigh), value, 1.0)};
}

/// Before a task had its first trials, everything was about those.
bool hasBegun(const SessionStanding& then, const SessionStanding& now) {
  for (std::size_t i = 0; i < now.tasks.size(); ++i)
    if (then.tasks[i].trials == 0 && now.tasks[i].trials > 0) return false;
  return true;
}

/// Moments from which the way was as long as it is from now, in proportion; oldest first.
std::vector<std::int64_t> testedFrom(std::int64_t trials, std::int64_t further) {
  const double ratio = static_cast<double>(trials + further) / static_cast<double>(trials);
  std::vector<std::int64_t> moments;
  double from = static_cast<double>(trials);
  for (int i = 0; i < kMostTests; ++i) {
    from /= ratio;
    const auto moment = static_cast<std::int64_t>(std::llround(from));
    if (moment < kFewestTrials) break;
    if (moments.empty() || moment < moments.back()) moments.push_back(moment);
  }
  std::ranges::reverse(moments);
  return moments;
}

/// From stretches of the session with as many trials, or an eighth of it where that is less.
Ranged durationOf(const SessionCourse& course, std::int64_t further) {
  const std::int64_t stretch =
      std::clamp<std::int64_t>(further, 1, std::max<std::int64_t>(1, course.trials / 8));
  std::vector<double> seconds; // per trial
  double newer = course.at(course.trials).wallSeconds;
  for (std::int64_t from = course.trials - stretch; from >= 0 && seconds.size() < 8;
       from -= stretch) {
    const double older = course.at(from).wallSeconds;
    seconds.push_back((newer - older) / static_cast<double>(stretch));
    newer = older;
  }
  const auto trials = static_cast<double>(further);
  return {trials * quantile(seconds, 0.5), trials * quantile(seconds, kLow),
          trials * quantile(seconds, kHigh)};
}

} // namespace

std::optional<BudgetAdvice> adviseBudget(const SessionCourse& course, std::int64_t further,
                                         const std::vector<double>& shares) {
  if (course.trials < kFewestTrials || further < 1) return std::nullopt;
  BudgetAdvice advice;
  Experience experience;
  const SessionStanding now = course.at(course.trials);
  for (const std::int64_t from : testedFrom(course.trials, further)) {
    const SessionStanding then = course.at(from);
    if (!hasBegun(then, now)) continue;
    const auto way = static_cast<std::int64_t>(
        std::llround(static_cast<double>(from) * static_cast<double>(further) / course.trials));
    const SessionStanding after =
        course.at(std::min(course.trials, from + std::max<std::int64_t>(1, way)));
    std::optional<GainForecast> forecast = extrapolate(course, then, after.trials - from, {});
    if (!forecast || after.trials == from) continue;
    TestedForecast test;
    test.actual = 1 - totalOf(after, course.weights) / totalOf(then, course.weights);
    const double plain = forecast->gain.value;
    learn(*forecast, experience);
    test.forecast = std::move(*forecast);
    if (plain > 0) {
      experience.forecast += plain;
      experience.actual += test.actual;
      experience.ratios.push_back(std::min(kMostRatio, test.actual / plain));
    }
    advice.tests.push_back(std::move(test));
  }
  std::optional<GainForecast> forecast = extrapolate(course, now, further, shares);
  if (!forecast) return std::nullopt;
  learn(*forecast, experience);
  advice.forecast = std::move(*forecast);
  advice.seconds = durationOf(course, further);
  return advice;
}

} // namespace nestwright
