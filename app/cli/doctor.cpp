#include "app/cli/doctor_backends.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/deploy/write_library.h"
#include "core/learn/learner.h"
#include "core/plugin/plugin.h"
#include "core/record/file/schema.h"
#include "core/result/evaluator.h"
#include "core/support/quantity.h"
#include "core/support/run_command.h"
#include "core/support/units.h"
#include "core/support/version.h"
#include "core/target/environment.h"
#include "core/target/instruction_set.h"
#include "core/template/task_template.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::cli {

namespace {

using nlohmann::json;

json pluginsJson(const std::vector<PluginStatus>& plugins) {
  json list = json::array();
  for (const PluginStatus& plugin : plugins)
    list.push_back({{"name", plugin.name},
                    {"path", plugin.path},
                    {"loaded", plugin.loaded},
                    {"reason", plugin.reason},
                    {"version", plugin.version},
                    {"purpose", plugin.purpose}});
  return list;
}

json targetJson(const TargetFacts& facts) {
  return {{"text", facts.text()},      {"model", facts.modelName},
          {"cores", facts.cores},      {"vector_bytes", facts.vectorBytes},
          {"l1_bytes", facts.l1Bytes}, {"l2_bytes", facts.l2Bytes},
          {"l3_bytes", facts.l3Bytes}, {"memory_bytes", facts.memoryBytes}};
}

void printPlugins(const std::vector<PluginStatus>& plugins) {
  bool missing = false;
  for (const PluginStatus& plugin : plugins) {
    missing |= !plugin.loaded;
    std::string text = plugin.loaded ? fmt::format("{}: {}", plugin.version, plugin.purpose)
                                     : fmt::format("NOT LOADED: {}", plugin.reason);
    if (!plugin.loaded && !plugin.path.empty()) text += fmt::format(" ({})", plugin.path);
    cli::print("plugin     {:<8} {}\n", plugin.name, text);
  }
  if (!missing) return;
  cli::print("           looked for in\n");
  for (const std::string& folder : pluginFolders())
    cli::print("             {}\n", folder);
}

void printDot(const std::string& dot) {
  if (dot.empty())
    cli::print(
        "graphviz   NOT FOUND: the workbench lays out the task graph with Graphviz's program "
        "dot; without it the graph is a table. Debian: apt-get install graphviz\n");
  else
    cli::print("graphviz   {}: lays out the task graph in the workbench\n", dot);
}

void printTools(const CTools& tools) {
  const std::string missing = missingTools(tools);
  if (missing.empty())
    cli::print("cc         {} ({}): compiles and links what deploy writes\n", tools.compiler,
               tools.version);
  else
    cli::print("cc         NOT FOUND: {}\n", missing);
}

/// Who trains neural cost models, or why nobody does.
struct LearnerFinding {
  LearnerHello hello;
  std::string problem; // empty: it works
};

LearnerFinding findLearner() {
  try {
    return {Learner().hello(), {}};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

json learnerJson(const LearnerFinding& finding) {
  return {{"works", finding.problem.empty()},
          {"reason", finding.problem},
          {"version", finding.hello.version},
          {"torch", finding.hello.torch},
          {"blas", finding.hello.blas}};
}

void printLearner(const LearnerFinding& finding) {
  if (finding.problem.empty())
    cli::print("learner    {} (libtorch {}, {}): trains neural cost models\n",
               finding.hello.version, finding.hello.torch, finding.hello.blas);
  else
    cli::print(
        "learner    NOT THERE: neural cost models cannot be trained or used; everything else "
        "works. {}\n",
        finding.problem);
}

json environmentJson(const std::vector<EnvironmentFinding>& findings) {
  json list = json::array();
  for (const EnvironmentFinding& finding : findings)
    list.push_back(
        {{"what", name(finding.what)}, {"fact", finding.fact}, {"advice", finding.advice}});
  return list;
}

void printEnvironment(const std::vector<EnvironmentFinding>& findings) {
  for (const EnvironmentFinding& finding : findings) {
    cli::print("{:<10} {}\n", name(finding.what), finding.fact);
    if (!finding.advice.empty()) cli::print("           {}\n", finding.advice);
  }
}

json evaluatorsJson() {
  json list = json::array();
  for (const EvaluatorInfo& evaluator : evaluatorInfos())
    list.push_back(
        {{"name", evaluator.name}, {"example", evaluator.example}, {"purpose", evaluator.purpose}});
  return list;
}

json templatesJson() {
  json list = json::array();
  for (const TemplateKind& kind : knownTemplates())
    list.push_back(
        {{"name", kind.name}, {"purpose", kind.purpose}, {"executable", isExecutable(kind)}});
  return list;
}

/// Those that a session can search; of the others logs are understood.
void printTemplates() {
  std::vector<std::string> names;
  for (const TemplateKind& kind : knownTemplates())
    if (isExecutable(kind)) names.emplace_back(kind.name);
  cli::print("templates  {}\n", fmt::join(names, ", "));
}

void printEvaluators() {
  for (const EvaluatorInfo& evaluator : evaluatorInfos())
    cli::print("evaluator  {}\n           {}\n", evaluator.example, evaluator.purpose);
}

/// What --isa may be here.
std::vector<std::string> instructionSetsOf(const TargetFacts& machine) {
  std::vector<std::string> sets = instructionSetNames();
  std::erase_if(
      sets, [&](const std::string& set) { return !canRun(machine, instructionSetFromName(set)); });
  return sets;
}

bool isLoaded(const std::vector<PluginStatus>& plugins, const char* name) {
  return std::ranges::any_of(
      plugins, [&](const PluginStatus& plugin) { return plugin.loaded && plugin.name == name; });
}

/// What can be done here, in a sentence.
std::string headline(const std::vector<PluginStatus>& plugins) {
  const bool llvm = isLoaded(plugins, "llvm"), cuda = isLoaded(plugins, "cuda");
  if (llvm && cuda) return "Programs can be made for this machine's processor and for GPUs.";
  if (llvm)
    return "Programs can be made for this machine's processor, and without the cuda plugin "
           "for no GPU.";
  constexpr const char* kMissing =
      "the llvm plugin needs Debian's libllvm19; from the source tree: packaging/dev build";
  if (cuda)
    return fmt::format("Programs can be made for GPUs, and none for this machine's processor: {}",
                       kMissing);
  return fmt::format("Nothing can be compiled or measured here: {}", kMissing);
}

void doctor(bool asJson) {
  const std::vector<PluginStatus> plugins = pluginStatus();
  const bool llvm = isLoaded(plugins, "llvm");
  const TargetFacts facts = llvm ? backend("llvm").target(0) : hostTarget();
  const std::string dot = findProgram("dot");
  const CTools tools = findCTools();
  if (asJson) {
    printJson({{"version", version()},
               {"schema_version", schemaVersion()},
               {"plugins", pluginsJson(plugins)},
               {"backends", surveysJson(surveyBackends(plugins))},
               {"summary", headline(plugins)},
               {"templates", templatesJson()},
               {"evaluators", evaluatorsJson()},
               {"learner", learnerJson(findLearner())},
               {"dot", dot.empty() ? json(nullptr) : json(dot)},
               {"c_compiler", tools.compiler.empty() ? json(nullptr) : json(tools.compiler)},
               {"target", targetJson(facts)},
               {"instruction_sets", instructionSetsOf(facts)},
               {"environment", environmentJson(checkEnvironment())}});
    return;
  }
  cli::print("{} (record files of schema version {})\n", versionText(), schemaVersion());
  cli::print("machine    {}: {}, {}-byte vectors, L1 {}, L2 {}, L3 {}, memory {}\n",
             facts.modelName, quantity(facts.cores, "core"), facts.vectorBytes,
             formatBytes(static_cast<double>(facts.l1Bytes)),
             formatBytes(static_cast<double>(facts.l2Bytes)),
             formatBytes(static_cast<double>(facts.l3Bytes)),
             formatBytes(static_cast<double>(facts.memoryBytes)));
  cli::print("target     {}, for --isa {}\n", facts.text(),
             fmt::join(instructionSetsOf(facts), ", "));
  printEnvironment(checkEnvironment());
  printPlugins(plugins);
  printLearner(findLearner());
  printSurveys(surveyBackends(plugins));
  printTemplates();
  printEvaluators();
  printDot(dot);
  printTools(tools);
  cli::print("{}\n", headline(plugins));
}

} // namespace

void addDoctor(CLI::App& app) {
  auto asJson = std::make_shared<bool>(false);
  CLI::App* verb =
      app.add_subcommand("doctor", "What is installed, what is missing, and how to get it");
  verb->add_flag("--json", *asJson, "Print as one JSON document");
  verb->callback([asJson] { doctor(*asJson); });
}

} // namespace nestwright::cli
