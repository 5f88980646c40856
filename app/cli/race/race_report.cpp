#include "app/cli/race/race_report.h"

#include "app/cli/output.h"
#include "core/session/race/signed_rank.h"
#include "core/session/run/task_failure.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

/// Where the curves are read, shares of the budget.
constexpr double kPlaces[] = {0.125, 0.25, 0.5, 1};

std::string placeText(const Race& race, double share) {
  return race.isByTime() ? formatBudget(share * race.budget.maxSeconds)
                         : fmt::format("{:.0f} trials", share * double(race.budget.trials));
}

std::string intervalText(const RaceCurve& curve) {
  if (curve.empty() || curve.sessions < 2) return kUnknownText;
  return fmt::format("{} to {}", formatFlopRate(curve.low.back()),
                     formatFlopRate(curve.high.back()));
}

void printTask(const RaceResult& result, std::size_t task) {
  const Race& race = result.race;
  std::vector<std::string> headers{race.tasks[task].name};
  for (const double place : kPlaces)
    headers.push_back(placeText(race, place));
  headers.insert(headers.end(), {"95 % of the last", "seeds"});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t racer = 0; racer < race.racers.size(); ++racer) {
    const RaceCurve curve = result.curve(racer, task);
    std::vector<std::string> row{race.racers[racer]};
    for (const double place : kPlaces) {
      const auto at =
          curve.at(place * (race.isByTime() ? race.budget.maxSeconds : double(race.budget.trials)));
      row.push_back(at ? formatFlopRate(curve.mean[*at]) : kUnknownText);
    }
    row.push_back(intervalText(curve));
    row.push_back(fmt::format("{}", curve.sessions));
    rows.push_back(std::move(row));
  }
  printTable(headers, rows, {1, 2, 3, 4, 5, 6});
  cli::print("\n");
}

std::string ratioText(const RaceDuel& duel) {
  return duel.pairs > duel.unmatched ? fmt::format("{:.3f}×", duel.ratio) : kUnknownText;
}

} // namespace

void printRace(const RaceResult& result) {
  const Race& race = result.race;
  for (std::size_t task = 0; task < race.tasks.size(); ++task)
    printTask(result, task);
  std::vector<std::vector<std::string>> rows;
  for (const RaceDuel& duel : result.duels)
    rows.push_back({race.racers[duel.left], race.racers[duel.right],
                    fmt::format("{} : {}", duel.leftWins, duel.rightWins),
                    fmt::format("{}", duel.pairs), ratioText(duel),
                    duel.pairs - duel.unmatched > 1
                        ? fmt::format("{:.3f}× to {:.3f}×", duel.low, duel.high)
                        : kUnknownText,
                    fmt::format("{:.3g}", duel.p), fmt::format("{:.3g}", duel.adjusted)});
  printTable({"racer", "against", "wins", "pairs", "as fast", "95 %", "p", "p after Holm"}, rows,
             {2, 3, 4, 5, 6, 7});
  cli::print("\n");
  for (const RaceDuel& duel : result.duels)
    cli::print("{}\n", inWords(duel, race.racers));
}

void printRaceJson(const RaceResult& result, const std::string& database, SessionStatus status) {
  nlohmann::json json = toJson(result);
  json["db"] = database;
  json["status"] = name(status);
  printJson(json);
}

void reportFailures(const RecordStore& store, const Race& race) {
  for (const RaceSession& session : race.sessions)
    if (session.status == SessionStatus::Failed)
      cli::print(stderr, "{} on {} failed (session {}): {}\n", session.entry.racer,
                 race.tasks[static_cast<std::size_t>(session.entry.taskNumber)].name,
                 session.session, inWords(untunedTasks(store, session.session)));
}

} // namespace nestwright::cli
