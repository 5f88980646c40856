#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/travel/seed_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright::cli {

namespace {

struct TravelOptions {
  TravelChoice choice;
  double within = 5; // percent
  std::string output;
  bool json = false;
};

/// Targets are numbered in the tables, since their names are long.
std::string numberOf(std::size_t target) {
  return fmt::format("{}", target + 1);
}

std::string tauText(double tau) {
  return std::isfinite(tau) ? fmt::format("{:.3f}", tau) : kUnknownText;
}

std::string ratioText(double ratio) {
  return std::isnan(ratio) ? "?" : std::isinf(ratio) ? "failed" : fmt::format("{:.2f}x", ratio);
}

void printTargets(const TravelTimes& times) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < times.targets.size(); ++i)
    rows.push_back({numberOf(i), times.targets[i].id, fmt::format("{}", times.targets[i].records),
                    times.targets[i].text});
  printTable({"", "target", "records", ""}, rows, {0, 2});
}

void printPairs(const TravelMap& map) {
  std::vector<std::vector<std::string>> rows;
  for (const PooledPair& pair : map.pairs) {
    const BoundedFigure& tau = pair.rankCorrelation;
    rows.push_back({fmt::format("{} and {}", numberOf(pair.a), numberOf(pair.b)),
                    tauText(tau.value),
                    std::isfinite(tau.bounds.low)
                        ? fmt::format("{:.3f} to {:.3f}", tau.bounds.low, tau.bounds.high)
                        : kUnknownText,
                    fmt::format("{}", pair.tasks), fmt::format("{}", pair.shared),
                    fmt::format("{}", pair.failedOnOne), fmt::format("{}", pair.tooFew)});
  }
  cli::print("\n");
  printTable({"targets", "Kendall's tau", "95 %", "tasks", "shared programs", "failed on one",
              "tasks with too few"},
             rows, {1, 2, 3, 4, 5, 6});
}

/// A line a task and two targets.
void printTasks(const TravelMap& map, const TravelTimes& times) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < map.tasks.size(); ++i)
    for (const TargetPair& pair : map.tasks[i].pairs)
      rows.push_back({times.tasks[i].task.name,
                      fmt::format("{} and {}", numberOf(pair.a), numberOf(pair.b)),
                      pair.rankCorrelation ? tauText(*pair.rankCorrelation) : kUnknownText,
                      fmt::format("{}", pair.shared), fmt::format("{}", pair.failedOnOne)});
  cli::print("\n");
  printTable({"task", "targets", "Kendall's tau", "shared programs", "failed on one"}, rows,
             {2, 3, 4});
}

void printTravels(const TravelMap& map, const TravelTimes& times) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> titles = {"task", "programs"};
  for (std::size_t kind = 0; kind < kTravels; ++kind)
    titles.emplace_back(name(static_cast<Travel>(kind)));
  for (std::size_t i = 0; i < map.tasks.size(); ++i) {
    rows.push_back({times.tasks[i].task.name, fmt::format("{}", times.tasks[i].programs.size())});
    for (const std::size_t count : map.tasks[i].travels.counts)
      rows.back().push_back(fmt::format("{}", count));
  }
  cli::print("\ngood means within {:g} % of the best on that target\n", map.settings.within * 100);
  printTable(titles, rows, {1, 2, 3, 4, 5, 6});
}

void printPortfolios(const TravelMap& map, const TravelTimes& times) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> titles = {"task", "program"};
  for (std::size_t target = 0; target < times.targets.size(); ++target)
    titles.push_back(fmt::format("on {}", numberOf(target)));
  titles.emplace_back("why");
  for (std::size_t i = 0; i < map.tasks.size(); ++i) {
    const TaskTimes& task = times.tasks[i];
    for (const PortfolioProgram& chosen : map.tasks[i].portfolio.programs) {
      std::vector<std::string> row = {task.task.name, task.programs[chosen.program].substr(0, 12)};
      row.resize(2 + times.targets.size());
      for (std::size_t place = 0; place < task.targets.size(); ++place)
        row[2 + task.targets[place]] = ratioText(task.slowdown(chosen.program, place));
      row.push_back(reasonText(chosen, task, times.targets, map.settings.within));
      rows.push_back(std::move(row));
    }
  }
  std::vector<int> numbers;
  for (int target = 0; target < std::ssize(times.targets); ++target)
    numbers.push_back(2 + target);
  cli::print("\nportfolio: time by the best on each target\n");
  printTable(titles, rows, numbers);
}

/// Where the portfolios have too few programs.
void printNotCovered(const TravelMap& map, const TravelTimes& times) {
  for (std::size_t i = 0; i < map.tasks.size(); ++i)
    for (const PortfolioTarget& target : map.tasks[i].portfolio.targets)
      if (!target.covered)
        cli::print(
            "not covered with {}: {} on {}, where the portfolio gives {}\n",
            quantity(std::int64_t(map.settings.programs), "program"), times.tasks[i].task.name,
            times.targets[times.tasks[i].targets[target.target]].id, ratioText(target.slowdown));
}

void printMap(const TravelMap& map, const TravelTimes& times) {
  printTargets(times);
  printPairs(map);
  printTasks(map, times);
  printTravels(map, times);
  printPortfolios(map, times);
  printNotCovered(map, times);
  if (times.onOneTarget > 0)
    cli::print("left out, since on one target alone: {}\n",
               quantity(std::int64_t(times.onOneTarget), "task"));
}

void travel(TravelOptions& options) {
  options.choice.settings.within = options.within / 100;
  checkTravel(options.choice.settings);
  const std::vector<RecordStore> files = openFiles(options.choice.data);
  const TravelTimes times = readTravelTimes(files, options.choice);
  if (const std::string problem = travelProblem(times, options.choice.data.files.front());
      !problem.empty())
    throw InputError(problem);
  const TravelMap map = travelMap(times, options.choice.settings);
  if (!options.output.empty()) writeSeeds(portfolioSeeds(map, times, files), options.output);
  if (options.json) return printJson(toJson(map, times));
  printMap(map, times);
}

} // namespace

void addTravel(CLI::App& app) {
  auto options = std::make_shared<TravelOptions>();
  DataChoice& data = options->choice.data;
  TravelSettings& settings = options->choice.settings;
  CLI::App* verb = app.add_subcommand(
      "travel", "Tell which programs are good on several targets, and choose a few for a new one");
  verb->footer(
      "For tasks whose programs were measured on several targets, as `nestwright measure` brings\n"
      "them over:\n\n"
      "  nestwright measure --db a.nwdb --isa sse4.2\n"
      "  nestwright travel --db a.nwdb -o seeds.json\n"
      "  nestwright tune resnet18 --isa avx2 --seeds seeds.json\n\n"
      "A portfolio is chosen greedily. It takes at most 1 + 1/2 + ... + 1/n times as many "
      "programs\n"
      "as the least that cover n targets, and k programs cover at least 63 % of what k can.");
  verb->add_option("--db", data.files, "Record files")->required();
  verb->add_option("--target", options->choice.targets,
                   "Only these targets: their ids, or parts of them or of their texts; at least "
                   "two are compared");
  verb->add_option("--task", data.tasks, "Only these tasks, by name or key");
  verb->add_option("--filter", data.filter,
                   "Only records that this is true of, as `nestwright query` takes it");
  verb->add_option_function<std::string>(
      "--label", [&data](const std::string& label) { data.label = labelTimeNamed(label); },
      "The time of a record: centre (the median of its repeats; default) or mean");
  verb->add_option("--within", options->within,
                   "A program is good on a target up to so many percent above the best there")
      ->check(between(0.0, 1000.0))
      ->capture_default_str();
  verb->add_option("--programs", settings.programs,
                   "Programs of a task's portfolio at most; 0: as many as cover all targets")
      ->capture_default_str();
  verb->add_option("--least-shared", settings.leastShared,
                   "A task counts for two targets where so many programs ran on both")
      ->check(between(2, 1e12))
      ->capture_default_str();
  verb->add_option("--bootstrap", settings.bootstrap.resamples,
                   "Resamples of the tasks for the intervals; 0: none")
      ->capture_default_str();
  verb->add_option("--seed", settings.bootstrap.seed, "Seed of the resamples")
      ->capture_default_str();
  verb->add_option("-o,--output", options->output,
                   "Write the portfolios' programs to this file, for `nestwright tune --seeds`");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { travel(*options); });
}

} // namespace nestwright::cli
