#include "app/cli/search_options.h"

#include "app/cli/checks.h"
#include "app/cli/choice_option.h"
#include "app/cli/target_options.h"
#include "core/plugin/plugin.h"
#include "core/search/draft/draft_use.h"
#include "core/session/run/finish/effort.h"
#include "core/session/run/memory/known_programs.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/pretrained/model_update.h"
#include "core/session/run/search_method.h"
#include "core/support/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace nestwright::cli {

namespace {

std::string methodsHelp() {
  std::string help = "Search as a paper does; other options override what it sets.";
  for (const SearchMethod& method : searchMethods())
    help += fmt::format(" {}: {}", method.name, method.purpose);
  return help;
}

std::string effortHelp() {
  std::string help = "How much to do, several options at once; others override what it sets.";
  for (const std::string& name : effortNames())
    help += fmt::format(" {}: {}", name, purpose(effortNamed(name)));
  return help;
}

std::string updateHelp() {
  std::string help = "What becomes of the trained model.";
  for (const std::string& name : modelUpdateNames())
    help += fmt::format(" {}: {}", name, purpose(*modelUpdateFromName(name)));
  return help;
}

} // namespace

template <class T>
CLI::Option* SearchOptionsGiven::option(CLI::App& verb, SessionConfig& config, const char* name,
                                        T SessionConfig::*of, const char* help) {
  CLI::Option* added = verb.add_option(name, config.*of, help)->capture_default_str();
  options_.push_back(
      {name, added, [of](SessionConfig& to, const SessionConfig& from) { to.*of = from.*of; }});
  return added;
}

template <class Enum, std::size_t count>
void SearchOptionsGiven::choice(CLI::App& verb, SessionConfig& config, const char* name,
                                Enum SessionConfig::*of, const NameTable<Enum, count>& names,
                                const char* help) {
  options_.push_back({name, addChoice(verb, name, config.*of, names, help),
                      [of](SessionConfig& to, const SessionConfig& from) { to.*of = from.*of; }});
}

void SearchOptionsGiven::add(CLI::App& verb, SessionConfig& config) {
  verb.add_option("--method", method_, methodsHelp());
  addSpace(verb, config);
  addModel(verb, config);
  addFinish(verb, config);
  addPlan(verb, config);
  addRepeats(verb, config.measure);
  options_.push_back({"--min-repeat", verb.get_option("--min-repeat"),
                      [](SessionConfig& to, const SessionConfig& from) {
                        to.measure.minRepeatSeconds = from.measure.minRepeatSeconds;
                      }});
  addEvaluator(verb, config.measure.evaluator);
  options_.push_back({"--evaluator", verb.get_option("--evaluator"),
                      [](SessionConfig& to, const SessionConfig& from) {
                        to.measure.evaluator = from.measure.evaluator;
                      }});
}

void SearchOptionsGiven::addSpace(CLI::App& verb, SessionConfig& config) {
  option(verb, config, "--trials-per-round", &SessionConfig::trialsPerRound,
         "Largest batch given to one task; over templates a plan, where nothing else is said")
      ->check(positive());
  choice(verb, config, "--space", &SessionConfig::space, kSearchSpaceNames,
         "What is searched: sketches, which rules make of any task, or templates, the "
         "configurations of AutoTVM's templates where one fits the task");
  option(verb, config, "--policy", &SessionConfig::policy,
         "Search policy: random, evolutionary and beam (which learn a cost model), or a plugin's; "
         "over templates random, annealing and contextual (which learn), genetic, grid. Or a "
         "program of yours, with its arguments in one text: \"exec:python3 my_policy.py\" is asked "
         "for the programs of each round, in lines of JSON (resources/handbook/policies.md). It "
         "holds for this run: --resume is told it again, since no file says what is run");
  option(verb, config, "--templates", &SessionConfig::templates,
         "Templates that may be searched, separated by commas (default: all)");
  option(verb, config, "--rules", &SessionConfig::rules,
         "Sketch rules, as `nestwright sketches --help` explains");
  option(verb, config, "--alternatives", &SessionConfig::alternatives,
         "Which other definitions of an operator are searched beside its own, within the same "
         "budget; the fastest runs. off: none, exact: those that sum the same products (today "
         "there are none), all: also Winograd's filtering of 3x3 convolutions, whose results "
         "differ by rounding (of the largest result 2e-6 with F(2,3), 2e-5 with F(4,3)). For "
         "processors")
      ->check(oneOf({"off", "exact", "all"}));
  addTf32(verb, config.tf32);
  option(verb, config, "--scheduler", &SessionConfig::scheduler,
         "Which task next: gradient (where the objective is expected to fall most), round-robin, "
         "or a plugin's");
}

void SearchOptionsGiven::addFinish(CLI::App& verb, SessionConfig& config) {
  verb.add_option("--effort", effort_, effortHelp())->check(CLI::IsMember(effortNames()));
  option(verb, config, "--draft", &SessionConfig::draft,
         "Where programs are scored in closed form, without a cost model: off, first (while there "
         "is none: the best of many draws are measured), all (also later: it thins a generation "
         "before the model scores it)")
      ->check(CLI::IsMember(draftUseNames()));
  choice(
      verb, config, "--ahead", &SessionConfig::ahead, kAheadNames,
      "Whether a round is proposed while the one before it is measured, by the cost model of the "
      "round before that: on or off. Of sketches, and of policies of ours; beside the timing "
      "only on a GPU, else beside the building");
  option(
      verb, config, "--polish", &SessionConfig::polish,
      "Of the budget, so many trials for each task change one decision after another of the bests "
      "at the end, where it pays most; 0: none")
      ->check(CLI::NonNegativeNumber);
  option(verb, config, "--stop-gain", &SessionConfig::stopGain,
         "End when less than this share of the total is expected to be left to gain; 0: never")
      ->check(CLI::Range(0.0, 0.99));
}

void SearchOptionsGiven::addModel(CLI::App& verb, SessionConfig& config) {
  option(verb, config, "--model", &SessionConfig::model,
         "Cost model: xgboost, mlp, lstm, tlp or mtl-tlp for programs of sketches; autotvm, forest "
         "or treegru for configurations of templates");
  option(verb, config, "--features", &SessionConfig::features,
         "What the cost model reads: paper (Ansor's 164), lowered (of the program as executed), "
         "paper,lowered, or steps (the schedule steps, as tlp reads them)")
      ->check(oneOf({"paper", "lowered", "paper,lowered", "steps"}));
  option(verb, config, "--template-features", &SessionConfig::templateFeatures,
         "What the cost model of configurations reads: itervar (of loops and accesses), knob, "
         "curve, or tree (the loop nest itself), which is what treegru reads");
  option(verb, config, "--history", &SessionConfig::history,
         "Record files with other tasks' measurements of the same templates on this target (with "
         "the features curve: of any), from which the model autotvm learns before it begins; at "
         "least 500. Logs are imported into such a file first")
      ->allow_extra_args(false);
  option(verb, config, "--warmup", &SessionConfig::warmup,
         "Programs that ran before the cost model learns; until then search is random, or follows "
         "the trained model")
      ->check(notNegative());
  addPretrained(verb, config);
}

void SearchOptionsGiven::addPretrained(CLI::App& verb, SessionConfig& config) {
  option(
      verb, config, "--pretrained", &SessionConfig::pretrained,
      "A trained model, which scores from the first round on: a file (`nestwright train` writes "
      "it), or a session that learned one (a.nwdb#2); it says which cost model and features, and "
      "unless a policy is named the search is the evolutionary one");
  option(verb, config, "--update", &SessionConfig::update, updateHelp().c_str());
  verb.add_flag("--local-per-task", config.localPerTask,
                "With --update local: a difference model for each task, not one for all");
  option(verb, config, "--local", &SessionConfig::local,
         "With --update local: what learns the difference, trees or mlp");
}

void SearchOptionsGiven::requireTogether(const SessionConfig& config) const {
  const bool begins = !config.pretrained.empty();
  for (const char* of : {"--update", "--local"})
    if (isGiven(of) && !begins)
      throw UsageError(fmt::format("{} says what becomes of a trained model: give one with "
                                   "--pretrained",
                                   of));
  for (const char* said : {"--model", "--features"})
    if (isGiven(said) && begins)
      throw UsageError(fmt::format("a trained model says itself which cost model it is and what it "
                                   "reads: leave {} out",
                                   said));
}

void SearchOptionsGiven::addPlan(CLI::App& verb, SessionConfig& config) {
  option(verb, config, "--epsilon", &SessionConfig::epsilon,
         "Share of a round, or of a plan, that is drawn at random");
  option(
      verb, config, "--population", &SessionConfig::population,
      "Programs of a generation of the evolutionary policy at most: it breeds 32 for each program "
      "that a round measures, and at least 256; by the paper's rules always all of them");
  option(verb, config, "--generations", &SessionConfig::generations,
         "Generations that it breeds for a round");
  option(verb, config, "--plan", &SessionConfig::plan,
         "Configurations of a template that are chosen at once");
  option(verb, config, "--chains", &SessionConfig::chains, "Chains of an annealing");
  option(verb, config, "--beam", &SessionConfig::beam,
         "Incomplete programs that the policy beam keeps");
  option(verb, config, "--diversity", &SessionConfig::diversity,
         "Weight of values of knobs that a plan does not have yet, beside the scores; 0: scores "
         "alone");
  option(verb, config, "--diversity-ratio", &SessionConfig::diversityRatio,
         "How many times as many configurations a diverse plan is chosen from");
  choice(verb, config, "--energy", &SessionConfig::energy, kImprovementScaleNames,
         "What the contextual policy anneals: the improvement relative to the best, or raw, in "
         "FLOP/s, as it was published");
  choice(verb, config, "--exploration", &SessionConfig::exploration, kExplorationNames,
         "What share of a plan the contextual policy draws at random: contextual, by how unsure "
         "the cost model is, or fixed, --epsilon");
}

void addMemory(CLI::App& verb, SessionConfig& config) {
  config.memory = {kOwnMemory};
  verb.add_option("--memory", config.memory,
                  "Where programs of earlier sessions are looked for, to begin with: \"this\", the "
                  "session's own record file, or other record files, once for each; \"off\": "
                  "nowhere. Of searches over sketches. What was found is kept with the session "
                  "(default: this)")
      ->allow_extra_args(false);
}

void settleMemory(SessionConfig& config) {
  if (config.memory == std::vector<std::string>{"off"}) config.memory.clear();
  checkMemory(config);
  const bool ofOthers =
      std::ranges::any_of(config.memory, [](const auto& file) { return file != kOwnMemory; });
  if (ofOthers && config.space == SearchSpace::Templates)
    throw UsageError("programs of sketches are remembered, of which a search over templates has "
                     "no use: leave --memory out");
}

bool SearchOptionsGiven::isGiven(const char* name) const {
  return std::ranges::any_of(options_, [&](const Known& known) {
    return known.name == name && known.option->count() > 0;
  });
}

std::vector<std::string> SearchOptionsGiven::differing(const SessionConfig& given,
                                                       const SessionConfig& kept) const {
  std::vector<std::string> names;
  for (const Known& known : options_) {
    SessionConfig changed = kept;
    known.takeOver(changed, given);
    if (known.option->count() > 0 && changed != kept) names.push_back(known.name);
  }
  return names;
}

void SearchOptionsGiven::settle(SessionConfig& config, bool trialsGiven) const {
  // A trained model is there to be asked.
  if (!config.pretrained.empty() && method_.empty() && !isGiven("--policy"))
    config.policy = "evolutionary";
  requireTogether(config);
  if (!method_.empty()) {
    const SessionConfig method = withMethod(config, method_);
    for (const Known& known : options_)
      if (known.option->count() == 0) known.takeOver(config, method);
  }
  if (!effort_.empty()) {
    if (!method_.empty() || config.space == SearchSpace::Templates)
      throw UsageError("--effort is about our own search over sketches: leave it out, or --method "
                       "and --space");
    const SessionConfig effort =
        withEffort(config, effortNamed(effort_), countSessionTasks(config));
    for (const Known& known : options_)
      if (known.option->count() == 0) known.takeOver(config, effort);
    if (!trialsGiven) config.trials = effort.trials;
  }
  if (config.space != SearchSpace::Templates) return;
  if (!isGiven("--model")) config.model = usualModel(config);
  if (!isGiven("--template-features") && searchPolicy(config.policy).learns)
    config.templateFeatures = usualTemplateFeatures(config);
  if (!isGiven("--trials-per-round") && config.plan > 0) config.trialsPerRound = config.plan;
  if (!isGiven("--warmup")) config.warmup = 0; // the first round, of the size of a plan, is random
}

} // namespace nestwright::cli
