#include "app/cli/checks.h"
#include "app/cli/data/data_options.h"
#include "app/cli/data/figure_text.h"
#include "app/cli/data/size_grid.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/session/insight/judge_models.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace nestwright::cli {

namespace {

struct EvaluateOptions {
  DataOptions data;
  GridOptions grid;
  std::vector<std::string> models, networks;
  std::vector<std::size_t> ks = {1, 5, 10, 20};
  BootstrapOptions bootstrap;
  unsigned threads = 0;
  bool perTask = false, json = false;
};

/// What the figures are printed of: the groups, or the models where there are none.
struct Compared {
  std::vector<std::string> names;
  const ModelComparison& comparison;
};

Compared comparedOf(const ModelEvaluation& evaluation) {
  const bool grouped = !evaluation.groups.empty();
  Compared compared{{}, grouped ? evaluation.groupComparison : evaluation.comparison};
  for (const ModelGroup& group : evaluation.groups)
    compared.names.push_back(group.name);
  if (!grouped)
    for (const JudgedModel& model : evaluation.models)
      compared.names.push_back(model.name);
  return compared;
}

void printFigures(const ModelEvaluation& evaluation) {
  const Compared compared = comparedOf(evaluation);
  std::vector<std::string> headers = {"figure"};
  std::vector<int> right;
  for (const std::string& name : compared.names) {
    right.push_back(static_cast<int>(headers.size()));
    headers.push_back(name);
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < compared.comparison.ids.size(); ++i) {
    rows.push_back({inWords(compared.comparison.ids[i], evaluation)});
    for (const BoundedFigures& figures : compared.comparison.models)
      rows.back().push_back(boundedText(figures[i]));
  }
  printTable(headers, rows, right);
}

/// Between the models that were asked for; all pairs are in the JSON.
void printDifferences(const ModelEvaluation& evaluation) {
  const Compared compared = comparedOf(evaluation);
  for (const ModelComparison::Difference& difference : compared.comparison.differences) {
    const std::string &a = compared.names[difference.a], &b = compared.names[difference.b];
    if (isYardstick(a) || isYardstick(b)) continue;
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < difference.figures.size(); ++i) {
      const BoundedFigure& figure = difference.figures[i];
      const bool isClear = figure.bounds.low > 0 || figure.bounds.high < 0;
      rows.push_back({inWords(compared.comparison.ids[i], evaluation), boundedText(figure),
                      isClear ? "without 0" : ""});
    }
    cli::print("\n{} less {}, on the same tasks:\n", a, b);
    printTable({"figure", "difference", ""}, rows, {1});
  }
}

void printTasks(const ModelEvaluation& evaluation, const RecordedData& data) {
  std::vector<std::string> headers = {"task", "programs", "failed", "best"};
  std::vector<int> right = {1, 2, 3};
  for (const JudgedModel& model : evaluation.models) {
    right.push_back(static_cast<int>(headers.size()));
    headers.push_back(model.name);
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t t = 0; t < evaluation.tasks.size(); ++t) {
    const TaskFigures& any = evaluation.models.front().tasks[t];
    rows.push_back({data.tasks[evaluation.tasks[t]].name, fmt::format("{}", any.programs),
                    fmt::format("{}", any.failed), formatSeconds(any.bestSeconds)});
    for (const JudgedModel& model : evaluation.models)
      rows.back().push_back(
          fmt::format("{:.4f}", any.bestSeconds / model.tasks[t].at.front().pickedSeconds));
  }
  cli::print("\ntop-{} of each task\n", evaluation.ks.front());
  printTable(headers, rows, right);
}

void printNotes(const Judgement& judgement) {
  const ModelEvaluation& evaluation = judgement.evaluation;
  for (const UnseenSteps& unseen : judgement.unseen)
    cli::print("{}: {}\n", unseen.name, unseen.what);
  for (const TestedNetwork& network : evaluation.networks)
    if (network.tested < network.tasks)
      cli::print("{}: {} of its {} with records that ran; the rest is left out\n", network.name,
                 network.tested, quantity(std::int64_t(network.tasks), "task"));
  if (evaluation.tasks.size() == 1)
    cli::print("one task says nothing of others: there are no intervals\n");
  if (evaluation.allFailed > 0)
    cli::print("{} left out: no program ran\n",
               quantity(std::int64_t(evaluation.allFailed), "task"));
  for (const JudgedModel& model : evaluation.models)
    if (!model.seen)
      cli::print("{} does not say which tasks it learned from: it may have seen these\n",
                 model.name);
    else if (*model.seen > 0)
      cli::print("{} learned from {} of the {} here: its figures say nothing of new ones\n",
                 model.name, *model.seen, quantity(std::ssize(evaluation.tasks), "task"));
}

/// A model, or "mlp=a.nwm,b.nwm": several that are judged as one, too. A file that is there under
/// the whole text is that file.
void addModels(JudgeWish& wish, const std::string& text) {
  const std::size_t mark = text.find('=');
  if (mark == std::string::npos || std::filesystem::exists(text)) {
    if (!isYardstick(text)) wish.models.push_back(text);
    return;
  }
  ModelGroup group{text.substr(0, mark), {}};
  if (group.name.empty() || isYardstick(group.name))
    throw UsageError(fmt::format("--models {}: give the models another name before the =", text));
  for (const std::string& model : CLI::detail::split(text.substr(mark + 1), ',')) {
    if (model.empty() || isYardstick(model))
      throw UsageError(fmt::format("--models {}: after the = stand files or sessions, with commas "
                                   "between",
                                   text));
    group.models.push_back(wish.models.size());
    wish.models.push_back(model);
  }
  wish.groups.push_back(std::move(group));
}

/// What the intervals are made of.
std::string boundsText(const ModelEvaluation& evaluation, const BootstrapOptions& bootstrap) {
  if (bootstrap.resamples == 0 || evaluation.tasks.size() < 2) return {};
  const bool seeds = std::ranges::any_of(
      evaluation.groups, [](const ModelGroup& group) { return group.models.size() > 1; });
  return seeds ? "; in brackets 95 % by bootstrap over tasks and seeds"
               : "; in brackets 95 % by bootstrap over tasks";
}

void evaluate(const EvaluateOptions& options) {
  const DataChoice choice = choiceOf(options.data);
  if (std::ranges::find(options.ks, std::size_t{0}) != options.ks.end() || options.ks.empty())
    throw UsageError("--k takes numbers of favourites from 1 on");
  std::vector<SizeCell> cells;
  try {
    if (!options.grid.sizes.empty()) cells = trainGrid(options.grid, choice, options.threads);
  } catch (const LearnerStopped&) {
    return cli::print(stderr, "paused; the same command goes on\n");
  }
  JudgeWish wish;
  wish.choice = choice;
  wish.networks = options.networks;
  wish.ks = options.ks;
  wish.bootstrap = options.bootstrap;
  wish.threads = options.threads;
  wish.groups = groupsOf(cells);
  for (const SizeCell& cell : cells)
    wish.models.push_back(cell.path);
  for (const std::string& text : options.models)
    addModels(wish, text);
  Judgement judgement = judgeModels(wish);
  ModelEvaluation& evaluation = judgement.evaluation;
  for (std::size_t i = 0; i < cells.size(); ++i)
    evaluation.models[i].name = nameOf(cells[i]);
  if (options.json) {
    nlohmann::json json = toJson(evaluation, judgement.data);
    json["choice"] = toJson(choice);
    json["resamples"] = options.bootstrap.resamples;
    json["unseen"] = nlohmann::json::array();
    for (const UnseenSteps& unseen : judgement.unseen)
      json["unseen"].push_back({{"model", unseen.name}, {"what", unseen.what}});
    if (!cells.empty()) json["grid"] = gridJson(cells);
    return printJson(json);
  }
  cli::print("{}; {}, {}{}\n\n", quantity(std::ssize(judgement.programs), "program"),
             quantity(std::ssize(evaluation.tasks), "task"),
             quantity(std::ssize(evaluation.networks), "network"),
             boundsText(evaluation, options.bootstrap));
  if (!cells.empty()) {
    printGrid(cells, evaluation);
    return printNotes(judgement);
  }
  printFigures(evaluation);
  printDifferences(evaluation);
  if (options.perTask) printTasks(evaluation, judgement.data);
  cli::print("\n");
  printNotes(judgement);
}

} // namespace

void addEvaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* verb = app.add_subcommand(
      "evaluate", "Compare cost models on records, by what searches need of them");
  verb->footer(
      "Models are files, or sessions that learned one (a.nwdb#2, or a.nwdb for the newest). "
      "random\n"
      "and oracle always stand beside them. What is tested on is the test part of the choice of\n"
      "data, or all of it where the choice has no split. The score of a network is its best time "
      "by\n"
      "that of each task's fastest among the model's k favourites, where a failed one counts "
      "100,000\n"
      "times the best; of several networks TenSet takes the mean of the scores, and TLP divides "
      "the\n"
      "sums of the times:\n\n"
      "  nestwright evaluate --data set.json --models a.nwm b.nwdb#2 --networks zoo_test\n\n"
      "Models that differ by their seeds alone are judged as one under a name: the mean of their\n"
      "figures, with intervals over tasks and seeds:\n\n"
      "  nestwright evaluate --data set.json --models mlp=m0.nwm,m1.nwm,m2.nwm trees.nwm\n\n"
      "What is worth collecting, more tasks or more programs of each, --grid answers: it trains a\n"
      "model for each size, of the same tasks and programs as far as the smaller one goes:\n\n"
      "  nestwright evaluate --data set.json --model mlp --epochs 20 --grid tasks=100,200,400\n"
      "    programs=50,100,200 --grid-seeds 0,1,2 --grid-folder sizes");
  addDataOptions(*verb, options->data, {.networks = false});
  addGridOptions(*verb, options->grid);
  verb->add_option("--models", options->models,
                   "Files, sessions, random, oracle; NAME=FILE,FILE,…: some that differ by their "
                   "seeds, judged as one");
  verb->add_option(
      "--networks", options->networks,
      "Networks or sets of them by whose tasks and weights models are scored (default: "
      "those that are held out, or those of the files' sessions)");
  verb->add_option("--k", options->ks, "Numbers of favourites, with commas between (1,5,10,20)")
      ->delimiter(',');
  verb->add_option("--bootstrap", options->bootstrap.resamples,
                   "Resamples of the intervals; 0: none")
      ->check(notNegative())
      ->capture_default_str();
  verb->add_option("--bootstrap-seed", options->bootstrap.seed,
                   "Seed of the resamples, and of the yardstick random")
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "Threads that compute features; 0: all cores")
      ->check(notNegative());
  verb->add_flag("--per-task", options->perTask, "List the tasks, too");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { evaluate(*options); });
}

} // namespace nestwright::cli
