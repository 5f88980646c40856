#include "core/travel/travel_map.h"

#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <cmath>

namespace nestwright {

using nlohmann::json;

template <class Io>
void fields(Io& io, BootstrapOptions& options) {
  io("resamples", options.resamples);
  io("seed", options.seed);
}

template <class Io>
void fields(Io& io, TravelSettings& settings) {
  io("within", settings.within);
  io("programs", settings.programs);
  io("least_shared", settings.leastShared);
  io.object("bootstrap", settings.bootstrap);
}

namespace {

json toJson(const TargetPair& pair, const std::vector<DataTarget>& targets) {
  return {{"a", targets[pair.a].id},
          {"b", targets[pair.b].id},
          {"shared", pair.shared},
          {"failed_on_one", pair.failedOnOne},
          {"kendall_tau", pair.rankCorrelation ? json(*pair.rankCorrelation) : json()}};
}

json toJson(const PooledPair& pair, const std::vector<DataTarget>& targets) {
  const BoundedFigure& figure = pair.rankCorrelation;
  return {{"a", targets[pair.a].id},
          {"b", targets[pair.b].id},
          {"tasks", pair.tasks},
          {"tasks_with_too_few", pair.tooFew},
          {"shared", pair.shared},
          {"failed_on_one", pair.failedOnOne},
          {"kendall_tau", finiteOrNull(figure.value)},
          {"low", finiteOrNull(figure.bounds.low)},
          {"high", finiteOrNull(figure.bounds.high)}};
}

json ratiosOf(const TaskTimes& task, std::size_t program) {
  json ratios = json::array();
  for (std::size_t target = 0; target < task.targets.size(); ++target)
    ratios.push_back(finiteOrNull(task.slowdown(program, target)));
  return ratios;
}

/// "ran", "failed" or "not measured" on each target.
json verdictsOf(const TaskTimes& task, std::size_t program) {
  json verdicts = json::array();
  for (const double seconds : task.of(program))
    verdicts.push_back(std::isnan(seconds)      ? "not measured"
                       : std::isfinite(seconds) ? "ran"
                                                : "failed");
  return verdicts;
}

json programsJson(const TaskTimes& task, const TaskTravels& travels, double within) {
  json programs = json::array();
  for (std::size_t program = 0; program < task.programs.size(); ++program)
    if (!goodTargets(task, program, within).empty())
      programs.push_back({{"program", task.programs[program]},
                          {"travels", name(travels.programs[program])},
                          {"ratios", ratiosOf(task, program)},
                          {"verdicts", verdictsOf(task, program)}});
  return programs;
}

json portfolioJson(const Portfolio& portfolio, const TaskTimes& task,
                   const std::vector<DataTarget>& targets, double within) {
  json programs = json::array(), reached = json::array();
  for (const PortfolioProgram& chosen : portfolio.programs)
    programs.push_back({{"program", task.programs[chosen.program]},
                        {"ratios", ratiosOf(task, chosen.program)},
                        {"reason", reasonText(chosen, task, targets, within)}});
  for (const PortfolioTarget& target : portfolio.targets)
    reached.push_back({{"target", targets[task.targets[target.target]].id},
                       {"covered", target.covered},
                       {"slowdown", finiteOrNull(target.slowdown)}});
  return {{"programs", std::move(programs)},
          {"targets", std::move(reached)},
          {"covers_all", portfolio.coversAll()}};
}

json taskJson(const TaskTravel& travel, const TaskTimes& task, const TravelTimes& times,
              double within) {
  json ids = json::array(), pairs = json::array(), best = json::array(), counts = json::object();
  for (const std::size_t target : task.targets)
    ids.push_back(times.targets[target].id);
  for (const double seconds : task.best)
    best.push_back(finiteOrNull(seconds));
  for (const TargetPair& pair : travel.pairs)
    pairs.push_back(toJson(pair, times.targets));
  for (std::size_t kind = 0; kind < kTravels; ++kind)
    counts[name(static_cast<Travel>(kind))] = travel.travels.counts[kind];
  return {{"task", task.task.key},
          {"name", task.task.name},
          {"targets", std::move(ids)},
          {"best_seconds", std::move(best)},
          {"measured", task.programs.size()},
          {"pairs", std::move(pairs)},
          {"counts", std::move(counts)},
          {"programs", programsJson(task, travel.travels, within)},
          {"portfolio", portfolioJson(travel.portfolio, task, times.targets, within)}};
}

} // namespace

void checkTravel(const TravelSettings& settings) {
  if (!(settings.within >= 0 && settings.within <= 10))
    throw UsageError(fmt::format("a program is good up to 0 to 1000 % above the best, not {:g} %",
                                 settings.within * 100));
  if (settings.leastShared < 2)
    throw UsageError("two targets order at least 2 shared programs; fewer have no order");
}

TravelTimes readTravelTimes(const std::vector<RecordStore>& files, const TravelChoice& choice,
                            const std::function<bool(double)>& goOn) {
  DataChoice data = choice.data;
  data.target.clear();
  data.acrossTargets = true;
  return travelTimes(readData(files, data, {.features = false, .goOn = goOn}), choice.targets);
}

TravelMap travelMap(const TravelTimes& times, const TravelSettings& settings) {
  checkTravel(settings);
  TravelMap map{settings, {}, {}};
  std::vector<std::vector<TargetPair>> pairs;
  for (const TaskTimes& task : times.tasks) {
    pairs.push_back(targetPairs(task));
    map.tasks.push_back({pairs.back(), {}, {}});
  }
  map.pairs = pooledPairs(times.targets.size(), pairs, settings.leastShared, settings.bootstrap);
  lookAgain(map, times, settings.within, settings.programs);
  return map;
}

void lookAgain(TravelMap& map, const TravelTimes& times, double within, std::size_t programs,
               const std::function<void()>& check) {
  map.settings.within = within;
  map.settings.programs = programs;
  checkTravel(map.settings);
  for (std::size_t i = 0; i < map.tasks.size(); ++i) {
    if (check) check();
    map.tasks[i].travels = travelsOf(times.tasks[i], within);
    map.tasks[i].portfolio = portfolioOf(times.tasks[i], within, programs);
  }
}

json toJson(const TravelMap& map, const TravelTimes& times) {
  json targets = json::array(), pairs = json::array(), tasks = json::array();
  for (const DataTarget& target : times.targets)
    targets.push_back({{"id", target.id}, {"text", target.text}, {"records", target.records}});
  for (const PooledPair& pair : map.pairs)
    pairs.push_back(toJson(pair, times.targets));
  for (std::size_t i = 0; i < map.tasks.size(); ++i)
    tasks.push_back(taskJson(map.tasks[i], times.tasks[i], times, map.settings.within));
  return {{"settings", toFields(map.settings)},
          {"targets", std::move(targets)},
          {"pairs", std::move(pairs)},
          {"tasks", std::move(tasks)},
          {"tasks_on_one_target", times.onOneTarget}};
}

} // namespace nestwright
