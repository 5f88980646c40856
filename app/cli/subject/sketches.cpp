#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/space_options.h"
#include "app/cli/verbs.h"
#include "core/space/derivation.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

using nlohmann::json;

json sketchesJson(const std::vector<Sketch>& sketches) {
  json result = json::array();
  for (const Sketch& sketch : sketches) {
    json rules = json::array();
    for (const RuleFiring& firing : sketch.firings)
      rules.push_back({{"stage", firing.stage}, {"rule", firing.rule}, {"reason", firing.reason}});
    result.push_back({{"steps", toJson(sketch.state.steps())},
                      {"rules", rules},
                      {"loop_nest", printLoopNest(sketch.state)}});
  }
  return result;
}

void printSketches(const SubjectTask& task, const std::vector<Sketch>& sketches) {
  cli::print("{}\n{} sketches\n", print(task.dag), sketches.size());
  int number = 0;
  for (const Sketch& sketch : sketches) {
    cli::print("\nSketch {}\n", ++number);
    for (const RuleFiring& firing : sketch.firings)
      cli::print("  {}: {} ({})\n", firing.stage, firing.rule, firing.reason);
    cli::print("{}", printLoopNest(sketch.state));
  }
}

struct Options {
  SpaceGiven space;
  int cores = 0;
  bool json = false, derivation = false;
};

json derivationJson(const DerivationTree& tree) {
  json nodes = json::array();
  for (const DerivationNode& node : tree.nodes) {
    json answers = json::array();
    for (const RuleAnswer& answer : node.answers)
      answers.push_back({{"rule", answer.rule},
                         {"answer", inWords(answer.answer)},
                         {"reason", answer.reason},
                         {"results", answer.results}});
    nodes.push_back({{"parent", node.parent},
                     {"note", node.note},
                     {"stage", node.stageName},
                     {"answers", answers},
                     {"sketch", node.sketch},
                     {"steps", toJson(node.steps)}});
  }
  return nodes;
}

/// How rules work, below the options of `sketches --help`.
constexpr const char* kAboutRules =
    "Rules are asked stage by stage, from the last stage to the first, in the order of --rules. "
    "\"paper\" stands for those of the Ansor paper: always inline, simplify compute with constant "
    "tensor, reduction factorization, add cache stage, multi-level tiling with fusion, multi-level "
    "tiling, skip; for a GPU add cache read and special compute location come first, and "
    "cross-thread reduction takes the place of reduction factorization. \"nestwright\" stands for "
    "our "
    "own, which add sketches that the paper's space "
    "lacks: packed panel copies an operand that is read again and again from rows far apart, or "
    "across its rows, piece by piece into contiguous memory that stays in the L2 cache, as matrix "
    "libraries do; inline padding stores no padding that changes nothing in the sum or the maximum "
    "that reads it, so that the lowering leaves the terms behind it out. --rules paper gives "
    "exactly the paper's sketches. Another name stands for the "
    "rules of the plugin of that name: they sit in the "
    "same list, and where they come first they may skip the rest. plugins/example_rule is an "
    "example to start from: --rules example_rule,nestwright,paper cuts element-wise stages into "
    "strips of one "
    "vector register.";

void sketches(const Options& given) {
  auto [options, rules] = spaceOf(given.space);
  const SubjectTask task = taskOf(given.space);
  if (given.cores > 0) {
    if (options.target.gpu)
      throw UsageError("--cores is for targets with cores; how many threads a GPU's kernels have, "
                       "their programs say");
    options.target.cores = given.cores;
  }
  if (given.derivation) {
    const DerivationTree tree = deriveSketches(task.dag, options, rules);
    if (given.json)
      printJson(derivationJson(tree));
    else
      cli::print("{}{} sketches\n{}", print(task.dag), tree.sketches, printDerivation(tree));
    return;
  }
  const std::vector<Sketch> found = generateSketches(task.dag, options, rules);
  if (found.empty())
    throw UsageError(fmt::format("the rules \"{}\" leave no sketch of {}: for some stage none "
                                 "fires; add \"paper\" behind them",
                                 given.space.rules, given.space.subject));
  if (given.json)
    printJson(sketchesJson(found));
  else
    printSketches(task, found);
}

} // namespace

void addSketches(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("sketches", "The sketches of a task and the rules that made each");
  addSpaceOptions(*verb, options->space);
  verb->add_option("--cores", options->cores,
                   "Assume a target with this many cores (0: those of --threads)")
      ->check(notNegative());
  verb->add_flag("--derivation", options->derivation,
                 "Show the whole derivation: at each stage every rule, its answer and why");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->footer(kAboutRules);
  verb->callback([options] { sketches(*options); });
}

} // namespace nestwright::cli
