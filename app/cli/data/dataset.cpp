#include "app/cli/data/data_options.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/dataset/choice_file.h"
#include "core/dataset/data_survey.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

struct DatasetOptions {
  DataOptions data;
  std::string output;
  bool json = false;
};

void addLeftOut(std::vector<std::vector<std::string>>& rows, const DataIntake& intake) {
  const auto row = [&](std::int64_t count, const char* what) {
    if (count > 0) rows.push_back({what, fmt::format("{}", count)});
  };
  row(intake.repeated, "records that repeat a program");
  row(intake.neverTried, "left out: never tried");
  row(intake.implausible, "left out: faster than the machine can be");
  row(intake.withoutDag, "left out: of tasks whose definition is not known");
  row(intake.withoutProgram, "left out: of templates that are not known here");
  row(intake.failuresDropped, "left out: failed programs");
}

void printSummary(const DataSurvey& survey, const RecordedData& data) {
  std::vector<std::vector<std::string>> rows = {
      {"records", fmt::format("{}", data.intake.records)},
      {"programs", fmt::format("{}", survey.all.programs)},
      {"of them failed", fmt::format("{}", survey.all.failed)},
      {"tasks", fmt::format("{}", survey.all.tasks)},
      {"tasks none of whose programs ran", fmt::format("{}", survey.allFailed)},
      {"fastest program", formatSeconds(survey.best)},
      {"median", formatSeconds(survey.median)},
      {"slowest", formatSeconds(survey.worst)}};
  addLeftOut(rows, data.intake);
  printTable({"", ""}, rows, {1});
}

void printTargets(const DataSurvey& survey, const RecordedData& data) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < data.targets.size(); ++i)
    rows.push_back({data.targets[i].id, fmt::format("{}", data.targets[i].records),
                    fmt::format("{}", survey.targets[i].programs),
                    fmt::format("{}", survey.targets[i].tasks), data.targets[i].text});
  cli::print("\n");
  printTable({"target", "records", "programs", "tasks", ""}, rows, {1, 2, 3});
}

void printLabels(const DataSurvey& survey) {
  const std::size_t most = *std::ranges::max_element(survey.labels);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
    constexpr std::size_t kWidth = 40;
    const std::size_t bar = most == 0 ? 0 : (survey.labels[bin] * kWidth + most - 1) / most;
    rows.push_back(
        {fmt::format("{:.1f} to {:.1f}", double(bin) / kLabelBins, double(bin + 1) / kLabelBins),
         fmt::format("{}", survey.labels[bin]), std::string(bar, '#')});
  }
  cli::print("\n");
  printTable({"label", "programs", ""}, rows, {1});
}

void printParts(const DataSurvey& survey, const DataParts& parts, const DataChoice& choice) {
  const auto row = [](const char* part, const PartSize& size) {
    return std::vector<std::string>{part, fmt::format("{}", size.tasks),
                                    fmt::format("{}", size.programs),
                                    fmt::format("{}", size.failed)};
  };
  cli::print("\nsplit: {}\n", name(choice.split));
  printTable({"part", "tasks", "programs", "failed"},
             {row("training", survey.train), row("validation", survey.validation),
              row("test", survey.test)},
             {1, 2, 3});
  if (parts.tooFew > 0)
    cli::print("{} with fewer than {}: not learned from\n",
               quantity(std::int64_t(parts.tooFew), "task"),
               quantity(std::int64_t(choice.leastPrograms), "program"));
  if (parts.allFailed > 0)
    cli::print("{} of which no program ran: not learned from\n",
               quantity(std::int64_t(parts.allFailed), "task"));
  if (parts.notDrawn > 0)
    cli::print("{} not drawn\n", quantity(std::int64_t(parts.notDrawn), "task"));
}

void printHeldOut(const DataSurvey& survey) {
  if (survey.heldOut.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const HeldOutNetwork& network : survey.heldOut)
    rows.push_back({network.name, fmt::format("{} of {}", network.tasksFound, network.tasks),
                    fmt::format("{}", network.programs)});
  cli::print("\n");
  printTable({"held out", "tasks found", "programs"}, rows, {1, 2});
}

/// Whether it can be trained on, and if not, why.
std::string problemOf(const RecordedData& data, const DataParts& parts, const DataChoice& choice) {
  try {
    requireUsable(data, parts, choice);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

void dataset(const DatasetOptions& options) {
  const DataChoice choice = choiceOf(options.data);
  const std::vector<RecordStore> files = openFiles(choice);
  const RecordedData data = readData(files, choice, {.threads = 0, .features = false});
  const std::vector<NetworkTasks> heldOut = networkTasks(choice.holdOut, files);
  const DataParts parts = partsOf(data, choice, heldOut);
  const DataSurvey survey = surveyOf(data, parts, heldOut);
  const std::string problem = problemOf(data, parts, choice);
  if (!options.output.empty()) writeChoice(choice, options.output);
  if (options.json) {
    nlohmann::json json = toJson(survey, data, parts, choice);
    json["problem"] = problem.empty() ? nlohmann::json() : nlohmann::json(problem);
    return printJson(json);
  }
  printSummary(survey, data);
  printTargets(survey, data);
  printLabels(survey);
  printHeldOut(survey);
  printParts(survey, parts, choice);
  if (problem.empty())
    cli::print("no task and no program stands where it should not\n");
  else
    cli::print("not to be trained on: {}\n", problem);
}

} // namespace

void addDataset(CLI::App& app) {
  auto options = std::make_shared<DatasetOptions>();
  CLI::App* verb = app.add_subcommand(
      "dataset", "Choose records that cost models learn from, and tell what is in them");
  verb->footer(
      "Programs of all files are put together, each once. Their label is the best time of their "
      "task\n"
      "over their own. A choice is kept with -o, so that others train and test on the same:\n\n"
      "  nestwright dataset --db a.nwdb b.nwdb --hold-out zoo_test -o set.json\n"
      "  nestwright dataset --data set.json --draw-tasks 100 --draw-programs 50\n\n"
      "The files are named in it, and not copied.");
  addDataOptions(*verb, options->data);
  verb->add_option("-o,--output", options->output, "Write the choice to this file");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { dataset(*options); });
}

} // namespace nestwright::cli
