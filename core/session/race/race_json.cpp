#include "core/session/race/race_result.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright {

namespace {

using nlohmann::json;

constexpr double kGiga = 1e9;

json curveJson(const RaceCurve& curve) {
  json points = json::array();
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    points.push_back({{"x", curve.x[i]},
                      {"gflops", curve.mean[i] / kGiga},
                      {"low", curve.low[i] / kGiga},
                      {"high", curve.high[i] / kGiga}});
  return points;
}

json racerJson(const RaceResult& result, std::size_t racer, std::size_t task) {
  const double flops = result.race.tasks[task].flops;
  json sessions = json::array();
  for (std::size_t seed = 0; seed < result.race.seeds.size(); ++seed) {
    const RaceCourse& course = result.course(racer, task, seed);
    const bool any = !course.bests.empty();
    sessions.push_back(
        {{"session", course.session},
         {"seed", result.race.seeds[seed]},
         {"status", name(course.status)},
         {"trials", course.trials},
         {"errors", course.errors},
         {"best_seconds", any ? json(course.bests.back().seconds) : json()},
         {"gflops", any ? json(flops / course.bests.back().seconds / kGiga) : json()}});
  }
  const RaceCurve curve = result.curve(racer, task);
  return {{"racer", result.race.racers[racer]},
          {"curve", curveJson(curve)},
          {"curve_of_sessions", curve.sessions},
          {"sessions", std::move(sessions)}};
}

json duelJson(const RaceDuel& duel, const std::vector<std::string>& racers) {
  const bool any = duel.pairs > duel.unmatched;
  const auto known = [&](double value) { return any ? json(value) : json(); };
  return {{"left", racers[duel.left]},
          {"right", racers[duel.right]},
          {"pairs", duel.pairs},
          {"left_wins", duel.leftWins},
          {"right_wins", duel.rightWins},
          {"without_a_program", duel.unmatched},
          {"ratio", known(duel.ratio)},
          {"low", known(duel.low)},
          {"high", known(duel.high)},
          {"p", duel.p},
          {"p_adjusted", duel.adjusted},
          {"significant", duel.isSignificant()},
          {"faster", duel.isSignificant() ? json(racers[duel.winner()]) : json()}};
}

} // namespace

json toJson(const RaceResult& result) {
  const Race& race = result.race;
  json tasks = json::array(), duels = json::array();
  for (std::size_t task = 0; task < race.tasks.size(); ++task) {
    json racers = json::array();
    for (std::size_t racer = 0; racer < race.racers.size(); ++racer)
      racers.push_back(racerJson(result, racer, task));
    tasks.push_back({{"task", race.tasks[task].task},
                     {"spec", race.specs[task]},
                     {"name", race.tasks[task].name},
                     {"flops", race.tasks[task].flops},
                     {"racers", std::move(racers)}});
  }
  for (const RaceDuel& duel : result.duels)
    duels.push_back(duelJson(duel, race.racers));
  return {{"race", race.name},
          {"racers", race.racers},
          {"seeds", race.seeds},
          {"budget",
           {{race.isByTime() ? "seconds" : "trials",
             race.isByTime() ? json(race.budget.maxSeconds) : json(race.budget.trials)}}},
          {"over", race.isOver()},
          {"ended_sessions", result.ended()},
          {"interval", "95 %, Student's t of the logarithms over seeds"},
          {"test", "Wilcoxon's signed ranks over tasks and seeds, two-sided, adjusted after Holm"},
          {"tasks", std::move(tasks)},
          {"wins", std::move(duels)}};
}

} // namespace nestwright
