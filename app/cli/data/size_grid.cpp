#include "app/cli/data/size_grid.h"

#include "app/cli/data/figure_text.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "core/support/error.h"
#include "core/support/process.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

namespace nestwright::cli {

namespace {

using Sizes = std::vector<std::size_t>;

/// "100,200,all" as numbers; 0 stands for all.
Sizes sizesOf(const std::string& text, const std::string& list) {
  Sizes sizes;
  for (const std::string& part : CLI::detail::split(list, ',')) {
    std::size_t size = 0;
    if (part != "all" && (!CLI::detail::lexical_cast(part, size) || size == 0))
      throw UsageError(fmt::format("--grid {}: \"{}\" is no number of them; write numbers, or all, "
                                   "with commas between",
                                   text, part));
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

void readSizes(const std::vector<std::string>& texts, SizeStudyWish& wish) {
  for (const std::string& text : texts) {
    const std::size_t mark = text.find('=');
    const std::string what = text.substr(0, mark);
    if (mark == std::string::npos || (what != "tasks" && what != "programs"))
      throw UsageError(
          fmt::format("--grid takes tasks=100,200 and programs=50,100, and not \"{}\"", text));
    (what == "tasks" ? wish.tasks : wish.programs) = sizesOf(text, text.substr(mark + 1));
  }
}

std::string sizeText(std::size_t size) {
  return size == 0 ? "all" : fmt::format("{}", size);
}

void printFigure(const std::vector<SizeCell>& cells, const ModelEvaluation& evaluation,
                 const FigureId& id) {
  Sizes tasks, programs;
  for (const SizeCell& cell : cells) {
    if (std::ranges::find(tasks, cell.tasks) == tasks.end()) tasks.push_back(cell.tasks);
    if (std::ranges::find(programs, cell.programs) == programs.end())
      programs.push_back(cell.programs);
  }
  std::vector<std::string> headers = {"tasks \\ programs"};
  std::vector<int> right = {0};
  for (const std::size_t size : programs) {
    right.push_back(static_cast<int>(headers.size()));
    headers.push_back(sizeText(size));
  }
  const ModelComparison& comparison = evaluation.groupComparison;
  const auto place =
      static_cast<std::size_t>(std::ranges::find(comparison.ids, id) - comparison.ids.begin());
  std::map<std::pair<std::size_t, std::size_t>, std::string> texts;
  std::vector<std::string> others;
  for (std::size_t g = 0; g < evaluation.groups.size(); ++g) {
    const std::size_t first = evaluation.groups[g].models.front();
    const std::string text = boundedText(comparison.models[g][place]);
    if (first < cells.size())
      texts[{cells[first].tasks, cells[first].programs}] = text;
    else
      others.push_back(fmt::format("{} {}", evaluation.groups[g].name, text));
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t size : tasks) {
    rows.push_back({sizeText(size)});
    for (const std::size_t of : programs)
      rows.back().push_back(texts[{size, of}]);
  }
  cli::print("\n{} by the size of the training part\n", inWords(id, evaluation));
  printTable(headers, rows, right);
  cli::print("beside it {}\n", fmt::join(others, ", "));
}

} // namespace

void addGridOptions(CLI::App& verb, GridOptions& options) {
  CLI::Option* grid = verb.add_option(
      "--grid", options.sizes,
      "Train a model for each number of tasks and of programs of each, and judge them: "
      "tasks=100,200,400 programs=50,100,200");
  verb.add_option("--grid-folder", options.folder,
                  "The folder that keeps the models of --grid; the same command goes on where it "
                  "was")
      ->needs(grid);
  verb.add_option("--grid-seeds", options.seeds, "Seeds of --grid, a model for each (0)")
      ->delimiter(',')
      ->needs(grid);
  addModelOptions(verb, options.train);
  for (const char* name :
       {"--model", "--loss", "--epochs", "--batch", "--learning-rate", "--keep", "--set"})
    verb.get_option(name)->needs(grid);
}

std::vector<SizeCell> trainGrid(const GridOptions& options, const DataChoice& data,
                                unsigned threads) {
  SizeStudyWish study;
  readSizes(options.sizes, study);
  study.seeds = options.seeds;
  study.folder = options.folder;
  if (study.folder.empty())
    throw UsageError("--grid keeps its models in a folder: name it with --grid-folder");
  study.model = options.train.wish;
  study.model.data = data;
  study.model.threads =
      static_cast<int>(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency()));
  for (const auto& [name, value] : options.train.changes)
    setOption(study.model, name, value);
  PauseOnSignal signals;
  standBack(study.model.niceness);
  std::stop_source stop;
  signals.watch([&stop] { stop.request_stop(); });
  ProgressLine line;
  std::string cellText;
  ModelObserver observer;
  observer.phase = [&](TrainingPhase phase, double done) {
    if (phase == TrainingPhase::Reading) line.show(done, 1, "reading records");
  };
  observer.progressed = [&](const TrainingProgress& progress) {
    line.show(progress.epoch, progress.epochs,
              fmt::format("{}  {:.0f} programs/s  {} left", cellText, progress.programsPerSecond,
                          formatDuration(progress.secondsLeft)));
  };
  const auto began = [&](std::size_t index, std::size_t count, const SizeCell& cell) {
    line.clear();
    cellText = fmt::format("model {} of {}: {}", index + 1, count, nameOf(cell));
    cli::print(stderr, "{}\n", cellText);
  };
  return studySizes(study, observer, began, stop.get_token());
}

std::vector<ModelGroup> groupsOf(const std::vector<SizeCell>& cells) {
  std::vector<ModelGroup> groups;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string name = sizeOf(cells[i]);
    const auto known = std::ranges::find(groups, name, &ModelGroup::name);
    if (known == groups.end())
      groups.push_back({name, {i}});
    else
      known->models.push_back(i);
  }
  return groups;
}

void printGrid(const std::vector<SizeCell>& cells, const ModelEvaluation& evaluation) {
  printFigure(cells, evaluation, {Figure::PairwiseAccuracy});
  for (const std::size_t k : evaluation.ks) {
    printFigure(cells, evaluation, {Figure::MeanOfNetworks, k});
    printFigure(cells, evaluation, {Figure::RatioOfSums, k});
  }
  for (const SizeCell& cell : cells)
    if (cell.tasks > cell.file.tasks.size())
      cli::print("there are no {} tasks to learn from: \"{}\" has {}\n", cell.tasks, nameOf(cell),
                 cell.file.tasks.size());
}

nlohmann::json gridJson(const std::vector<SizeCell>& cells) {
  nlohmann::json list = nlohmann::json::array();
  for (const SizeCell& cell : cells)
    list.push_back({{"name", nameOf(cell)},
                    {"tasks", cell.tasks},
                    {"programs", cell.programs},
                    {"seed", cell.seed},
                    {"file", cell.path},
                    {"learned_tasks", cell.file.tasks.size()},
                    {"learned_programs", cell.file.programs},
                    {"seconds", cell.file.seconds}});
  return list;
}

} // namespace nestwright::cli
