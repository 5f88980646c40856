#include "core/session/race/race_result.h"

#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/session/race/signed_rank.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/support/student_t.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright {

namespace {

double bestAt(const RaceCourse& course, double x) {
  const auto after = std::ranges::upper_bound(course.bests, x, {}, &BestStep::x);
  return after == course.bests.begin() ? kInfinity : std::prev(after)->seconds;
}

RaceCourse courseOf(const RecordStore& store, const RaceSession& session, const Race& race) {
  RaceCourse course;
  course.session = session.session;
  course.status = session.status;
  course.hasEnded = race.hasEnded(session);
  std::int64_t after = 0;
  constexpr int kPage = 100000;
  for (bool more = true; more;) {
    const std::vector<CurvePoint> page = store.trials().curve(session.session, after, kPage);
    for (const CurvePoint& point : page) {
      after = point.trial;
      if (point.onDemand) continue; // a person's, and no part of the race
      ++course.trials;
      course.reached = race.isByTime() ? point.wallSeconds : double(course.trials);
      if (point.verdict != Verdict::Ok) {
        ++course.errors;
      } else if (!point.doubtful &&
                 (course.bests.empty() || point.seconds < course.bests.back().seconds)) {
        course.bests.push_back({course.reached, point.seconds});
      }
    }
    more = std::ssize(page) == kPage;
  }
  return course;
}

/// The logarithm of how many times as fast the left one is in the end; infinite where the other has
/// no program, 0 where neither has.
double logRatio(const RaceCourse& left, const RaceCourse& right) {
  if (left.bests.empty() || right.bests.empty())
    return left.bests.empty() == right.bests.empty() ? 0
           : left.bests.empty()                      ? -kInfinity
                                                     : kInfinity;
  return std::log(right.bests.back().seconds / left.bests.back().seconds);
}

RaceDuel duelOf(const RaceResult& result, std::size_t left, std::size_t right) {
  RaceDuel duel;
  duel.left = left, duel.right = right;
  std::vector<double> ratios, finite;
  for (std::size_t task = 0; task < result.race.tasks.size(); ++task)
    for (std::size_t seed = 0; seed < result.race.seeds.size(); ++seed) {
      const RaceCourse &l = result.course(left, task, seed), &r = result.course(right, task, seed);
      if (!l.hasEnded || !r.hasEnded) continue;
      ratios.push_back(logRatio(l, r));
      if (std::isfinite(ratios.back()))
        finite.push_back(ratios.back());
      else
        ++duel.unmatched;
    }
  duel.pairs = static_cast<int>(ratios.size());
  duel.leftWins = static_cast<int>(std::ranges::count_if(ratios, [](double r) { return r > 0; }));
  duel.rightWins = static_cast<int>(std::ranges::count_if(ratios, [](double r) { return r < 0; }));
  const MeanInterval mean = meanInterval(finite);
  duel.ratio = std::exp(mean.mean);
  duel.low = std::exp(mean.mean - mean.half);
  duel.high = std::exp(mean.mean + mean.half);
  const SignedRank rank = signedRank(ratios);
  duel.p = rank.p;
  duel.leansLeft = rank.side > 0;
  return duel;
}

} // namespace

std::optional<std::size_t> RaceCurve::at(double where) const {
  const auto after = std::ranges::upper_bound(x, where);
  if (after == x.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - x.begin()) - 1;
}

RaceCurve meanCurve(const std::vector<RaceCourse>& courses, double flops) {
  RaceCurve curve;
  curve.sessions = courses.size();
  double begin = 0, end = 0;
  std::set<double> steps;
  for (const RaceCourse& course : courses) {
    if (course.bests.empty()) return curve;
    begin = std::max(begin, course.bests.front().x);
    end = std::max(end, course.reached);
    for (const BestStep& step : course.bests)
      steps.insert(step.x);
  }
  if (courses.empty()) return curve;
  steps.insert(end);
  for (auto x = steps.lower_bound(begin); x != steps.end(); ++x) {
    std::vector<double> logs;
    for (const RaceCourse& course : courses)
      logs.push_back(std::log(flops / bestAt(course, *x)));
    const MeanInterval of = meanInterval(logs);
    curve.x.push_back(*x);
    curve.mean.push_back(std::exp(of.mean));
    curve.low.push_back(std::exp(of.mean - of.half));
    curve.high.push_back(std::exp(of.mean + of.half));
  }
  return curve;
}

const RaceCourse& RaceResult::course(std::size_t racer, std::size_t task, std::size_t seed) const {
  return courses[(racer * race.tasks.size() + task) * race.seeds.size() + seed];
}

RaceCurve RaceResult::curve(std::size_t racer, std::size_t task) const {
  std::vector<RaceCourse> ended, begun;
  for (std::size_t seed = 0; seed < race.seeds.size(); ++seed) {
    const RaceCourse& of = course(racer, task, seed);
    if (of.hasEnded)
      ended.push_back(of);
    else if (!of.bests.empty() && (begun.empty() || of.reached > begun.front().reached))
      begun = {of};
  }
  return meanCurve(ended.empty() ? begun : ended, race.tasks[task].flops);
}

std::size_t RaceResult::ended() const {
  return static_cast<std::size_t>(std::ranges::count_if(courses, &RaceCourse::hasEnded));
}

double RaceResult::used() const {
  if (courses.empty()) return 0;
  const double budget = race.isByTime() ? race.budget.maxSeconds : double(race.budget.trials);
  double used = 0;
  for (const RaceCourse& of : courses)
    used += of.hasEnded || budget <= 0 ? 1 : std::min(1.0, of.reached / budget);
  return used / double(courses.size());
}

RaceResult raceResult(const RecordStore& store, const Race& race) {
  RaceResult result{race, {}, {}};
  for (std::size_t racer = 0; racer < race.racers.size(); ++racer)
    for (std::size_t task = 0; task < race.tasks.size(); ++task)
      for (std::size_t seed = 0; seed < race.seeds.size(); ++seed) {
        const RaceSession* session = race.find(racer, task, seed);
        result.courses.push_back(session ? courseOf(store, *session, race) : RaceCourse());
      }
  std::vector<double> ps;
  for (std::size_t left = 0; left < race.racers.size(); ++left)
    for (std::size_t right = left + 1; right < race.racers.size(); ++right) {
      result.duels.push_back(duelOf(result, left, right));
      ps.push_back(result.duels.back().p);
    }
  const std::vector<double> adjusted = holmAdjusted(ps);
  for (std::size_t i = 0; i < adjusted.size(); ++i)
    result.duels[i].adjusted = adjusted[i];
  return result;
}

std::string inWords(const RaceDuel& duel, const std::vector<std::string>& racers) {
  const bool leftFirst = duel.ratio >= 1;
  const std::string& faster = racers[leftFirst ? duel.left : duel.right];
  const std::string& slower = racers[leftFirst ? duel.right : duel.left];
  if (duel.pairs == 0) return fmt::format("{} and {} have no pair yet", faster, slower);
  if (duel.pairs == duel.unmatched)
    return fmt::format("only one of {} and {} has programs that ran", faster, slower);
  const double ratio = leftFirst ? duel.ratio : 1 / duel.ratio;
  const double low = leftFirst ? duel.low : 1 / duel.high;
  const double high = leftFirst ? duel.high : 1 / duel.low;
  std::string text = fmt::format("{} is {:.3g}× as fast as {}", faster, ratio, slower);
  if (duel.pairs - duel.unmatched > 1)
    text += fmt::format(" (95 %: {:.3g}× to {:.3g}×)", low, high);
  if (duel.pairs < kFewestPairs)
    return text + fmt::format("; {} cannot tell that from chance, it takes {}",
                              quantity(duel.pairs, "pair"), kFewestPairs);
  if (!duel.isSignificant()) return text + "; that may be chance";
  if (racers[duel.winner()] == faster) return text + "; that is no chance";
  return text +
         fmt::format(" in the mean, and beyond chance {} is faster by the ranks of the pairs",
                     racers[duel.winner()]);
}

std::string summary(const RaceResult& result) {
  const std::vector<std::string>& racers = result.race.racers;
  if (result.duels.size() == 1) return inWords(result.duels.front(), racers);
  std::vector<std::string> certain;
  int most = 0;
  for (const RaceDuel& duel : result.duels) {
    most = std::max(most, duel.pairs);
    if (!duel.isSignificant()) continue;
    certain.push_back(
        fmt::format("{} is faster than {}", racers[duel.winner()], racers[duel.loser()]));
  }
  if (!certain.empty()) return fmt::format("beyond chance {}", fmt::join(certain, ", "));
  if (most == 0) return "no two racers have ended with the same task and seed yet";
  if (most < kFewestPairs)
    return fmt::format("{} of each two racers cannot tell a difference from chance, it takes {}",
                       quantity(most, "pair"), kFewestPairs);
  return "no two racers differ beyond what may be chance";
}

} // namespace nestwright
