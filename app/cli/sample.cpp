#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/sample_checks.h"
#include "app/cli/space_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/schedule/bounds.h"
#include "core/space/kernel_decisions.h"
#include "core/space/survey.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct SampleGiven {
  SpaceGiven space;
  std::uint64_t count = 100, seed = 0;
  std::string workerCommand;
  bool compile = false, emulate = false, run = false, json = false;
};

double perSecond(double count, double seconds) {
  return seconds > 0 ? count / seconds : 0;
}

std::map<std::string, std::uint64_t> countsByName(const Survey& survey) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [kind, count] : survey.refusals)
    counts[name(kind)] += count;
  return counts;
}

/// Programs that have what the paper's have not, by what it is.
std::map<std::string, std::uint64_t> featureCounts(const Survey& survey,
                                                   const SpaceOptions& options) {
  std::map<std::string, std::uint64_t> counts;
  for (const State& program : survey.programs)
    for (const std::string& feature : kernelFeatures(program, inferBounds(program), options))
      ++counts[feature];
  return counts;
}

json surveyJson(const SubjectTask& task, const SpaceOptions& options, std::size_t sketches,
                const Survey& survey, const SampleChecks& checks) {
  const auto legal = static_cast<double>(survey.programs.size());
  json result = {
      {"task", task.name},
      {"target", options.target.text()},
      {"sketches", sketches},
      {"drawn", survey.drawn},
      {"legal", survey.programs.size()},
      {"refused", countsByName(survey)},
      {"features", featureCounts(survey, options)},
      {"seconds", survey.seconds},
      {"legal_per_second", perSecond(legal, survey.seconds)},
      {"drawn_per_second", perSecond(static_cast<double>(survey.drawn), survey.seconds)}};
  if (checks.compile) result["compile"] = toJson(*checks.compile);
  if (checks.emulate) result["emulate"] = toJson(*checks.emulate);
  if (checks.run) result["run"] = toJson(*checks.run);
  return result;
}

void printSurvey(const SubjectTask& task, const SpaceOptions& options, std::size_t sketches,
                 const Survey& survey, const SampleChecks& checks) {
  const auto legal = static_cast<double>(survey.programs.size());
  const auto drawn = static_cast<double>(survey.drawn);
  cli::print("{} for {}\n", task.name, options.target.text());
  cli::print("{} sketches, {} drawn, {} legal ({:.1f} %)\n", sketches,
             quantity(std::int64_t(survey.drawn), "program"), survey.programs.size(),
             100 * legal / std::max(drawn, 1.0));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [kind, count] : survey.refusals)
    rows.push_back({name(kind), std::to_string(count)});
  if (!rows.empty()) printTable({"refused for", "programs"}, rows, {1});
  rows.clear();
  for (const auto& [feature, count] : featureCounts(survey, options))
    rows.push_back({feature, std::to_string(count)});
  if (!rows.empty()) printTable({"legal ones with", "programs"}, rows, {1});
  cli::print("{:.0f} legal programs a second on one core\n", perSecond(legal, survey.seconds));
  if (checks.compile) cli::print("{}\n", inWords(*checks.compile));
  if (checks.emulate) cli::print("{}\n", inWords(*checks.emulate));
  if (checks.run) cli::print("{}\n", inWords(*checks.run));
}

void sample(const SampleGiven& given) {
  const WorkerLaunch launch = workerLaunchFromText(given.workerCommand);
  if (!given.run && !given.workerCommand.empty())
    throw UsageError("--worker-command belongs to --run: nothing is measured without it");
  const auto [options, rules] = spaceOf(given.space, launch);
  const SubjectTask task = taskOf(given.space);
  const std::vector<Sketch> sketches = generateSketches(task.dag, options, rules);
  if (sketches.empty())
    throw UsageError(fmt::format("the rules \"{}\" leave no sketch of {}", given.space.rules,
                                 given.space.subject));
  const Survey survey =
      surveyPrograms(workloadKey(task.dag), sketches, options, given.seed, given.count);
  SampleChecks checks;
  if (given.compile) checks.compile = compileAll(survey.programs, options.target);
  if (given.emulate) checks.emulate = emulateAll(survey.programs, options.target);
  if (given.run) checks.run = runAll(survey.programs, options.target, given.space.device, launch);
  if (given.json)
    printJson(surveyJson(task, options, sketches.size(), survey, checks));
  else
    printSurvey(task, options, sketches.size(), survey, checks);
  if (survey.programs.size() < given.count)
    throw InputError(shortageText(survey.programs.size(), survey.drawn, countsByName(survey)));
}

} // namespace

void addSample(CLI::App& app) {
  auto options = std::make_shared<SampleGiven>();
  CLI::App* verb = app.add_subcommand(
      "sample", "Draw random programs of a task: how many are legal, and why others are not");
  addSpaceOptions(*verb, options->space);
  verb->add_option("--count", options->count, "Draw until so many programs are legal")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "What the draws start from")->capture_default_str();
  verb->add_flag("--compile", options->compile,
                 "Compile them; for a GPU, compare their registers with the estimate");
  verb->add_flag("--emulate", options->emulate,
                 "Run them, threads and barriers and all, and compare with the definition; for a "
                 "GPU, and for small tasks: the emulator takes microseconds for an operation");
  verb->add_flag("--run", options->run,
                 "Run them where they are for, and compare with the naive program");
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { sample(*options); });
}

} // namespace nestwright::cli
