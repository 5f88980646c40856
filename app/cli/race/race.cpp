#include "app/cli/checks.h"
#include "app/cli/ended_well.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/prepare.h"
#include "app/cli/race/race_report.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/record/file/file_system.h"
#include "core/record/store/store.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/session/race/race_run.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/run_command.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace nestwright::cli {

namespace {

struct RaceOptions {
  RaceWish wish;
  std::vector<std::string> policies; // as they were given
  std::string database = "race.nwdb", workerCommand;
  double policySeconds = PolicyLaunch().answerSeconds;
  bool resume = false, json = false;
  CLI::Option *trials = nullptr, *seconds = nullptr, *seeds = nullptr;
};

/// The policies as racers; those that are programs must be there.
void takeRacers(RaceOptions& options) {
  for (const std::string& text : options.policies) {
    Racer racer = racerFromText(text);
    if (!racer.launch.command.empty()) {
      racer.launch.answerSeconds = options.policySeconds;
      if (findProgram(racer.launch.command.front()).empty())
        throw UsageError(fmt::format("--policy exec: there is no program {}; it is the first word "
                                     "behind the colon, its arguments follow it",
                                     racer.launch.command.front()));
    }
    options.wish.racers.push_back(std::move(racer));
  }
}

/// What was given beside --resume must be what the race has.
void requireSame(const RaceOptions& options, const Race& race) {
  const RaceWish& wish = options.wish;
  const auto refuse = [&](const std::string& what, const std::string& of) {
    throw UsageError(
        fmt::format("{} holds the race {} {} {}; leave that out, or begin another race "
                    "in another file",
                    options.database, race.name, what, of));
  };
  if (!wish.tasks.empty() && raceTasks(wish.tasks) != race.specs)
    refuse("of the tasks", fmt::format("{}", fmt::join(race.specs, ", ")));
  std::vector<std::string> labels;
  for (const Racer& racer : wish.racers)
    labels.push_back(racer.label);
  const bool onlyPrograms = std::ranges::all_of(
      wish.racers, [](const Racer& racer) { return !racer.launch.command.empty(); });
  for (const std::string& label : labels)
    if (std::ranges::find(race.racers, label) == race.racers.end())
      refuse("between", fmt::format("{}", fmt::join(race.racers, " and ")));
  if (!onlyPrograms && labels.size() != race.racers.size())
    refuse("between", fmt::format("{}", fmt::join(race.racers, " and ")));
  if (options.seeds->count() > 0 && std::cmp_not_equal(wish.seeds, race.seeds.size()))
    refuse("with", quantity(std::ssize(race.seeds), "seed"));
  if (race.isByTime() ? options.trials->count() > 0 : options.seconds->count() > 0)
    refuse("whose budget is", race.isByTime() ? "seconds" : "trials");
  for (const std::string& racer : race.racers)
    if (isExecPolicy(racer) && std::ranges::find(labels, racer) == labels.end())
      throw UsageError(
          fmt::format("{} races in {}, and no file says what is run: name it again with "
                      "--policy",
                      racer, options.database));
}

/// The race to run: a new one, or the newest of the file when resuming.
std::string chooseRace(RecordStore& store, const RaceOptions& options, const WorkerLaunch& launch) {
  const std::vector<Race> races = racesOf(store);
  if (races.empty() && options.resume && options.wish.racers.empty())
    throw InputError(fmt::format("there is no race to resume in {}", store.path()));
  if (races.empty() && options.resume)
    cli::print(stderr, "there is no race to resume in {}: starting a new one\n", store.path());
  if (races.empty()) return createRace(store, options.wish, launch);
  const Race& race = races.front();
  if (!options.resume)
    throw UsageError(fmt::format("{} holds the race {} between {}: go on with it with --resume, or "
                                 "give the new one a file of its own with --db",
                                 options.database, race.name, fmt::join(race.racers, " and ")));
  requireSame(options, race);
  return race.name;
}

RaceStart startOf(const RaceOptions& options, const WorkerLaunch& launch) {
  RaceStart start;
  start.launch = launch;
  for (const Racer& racer : options.wish.racers)
    if (!racer.launch.command.empty()) start.policies[racer.label] = racer.launch;
  if (!options.resume) return start;
  const SessionConfig& config = options.wish.config;
  if (options.trials->count() > 0) start.trials = config.trials;
  if (options.seconds->count() > 0) start.maxSeconds = config.maxSeconds;
  return start;
}

/// Shows where the race is, and says what people have to know.
class RaceProgress {
 public:
  void operator()(const Race& race, const RaceMoment& moment, const Event& event) {
    const RaceEntry& entry = moment.session->entry;
    if (const auto* progress = std::get_if<Progress>(&event)) {
      const double flops = race.tasks[static_cast<std::size_t>(entry.taskNumber)].flops;
      const std::string best = std::isfinite(progress->totalSeconds)
                                   ? formatFlopRate(flops / progress->totalSeconds)
                                   : "searching";
      line_.show(moment.share, 1,
                 fmt::format("heat {} of {}: {}  {} trials  {}", moment.heat, moment.heats,
                             entry.racer, progress->trials, best));
    } else if (const auto* machine = std::get_if<EnvironmentChecked>(&event);
               machine && !checked_) {
      checked_ = true;
      for (const std::string& advice : environmentAdvice(machine->findings))
        line_.note(advice);
    } else if (const auto* talked = std::get_if<PolicyTalked>(&event);
               talked && talked->talk.given < talked->talk.asked) {
      line_.note(
          fmt::format("{}, round {}: {}", entry.racer, talked->talk.round, sentence(talked->talk)));
    }
  }
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  bool checked_ = false; // the machine, once
};

void race(RaceOptions& options) {
  PauseOnSignal signals;
  takeRacers(options);
  RaceWish& wish = options.wish;
  if (options.seconds->count() > 0 && options.trials->count() == 0)
    wish.config.trials = kNoTrialLimit;
  const WorkerLaunch launch = workerLaunchFromText(options.workerCommand);
  const bool goesOn = options.resume && std::filesystem::exists(options.database);
  if (!goesOn && options.resume && wish.tasks.empty() && wish.racers.empty())
    throw InputError(fmt::format("there is no race to resume: no file {}", options.database));
  if (!goesOn) checkRace(wish); // before a file is made
  prepareForWriting(options.database, OpenMode::Create);
  RecordStore store = RecordStore::open(options.database, OpenMode::Create);
  if (const std::string note = fileSystemNote(options.database); !note.empty())
    cli::print(stderr, "{}\n", note);
  const std::string name = chooseRace(store, options, launch);
  const Race race = raceNamed(store, name);
  RaceProgress progress;
  RaceRun run(options.database, race, startOf(options, launch),
              [&](const RaceMoment& moment, const Event& event) { progress(race, moment, event); });
  signals.watch([&run] { run.stop(); });
  const RaceEnd end = run.run();
  progress.clear();
  requireEndedWell(end.status, end.cause, end.reason);
  const Race after = raceNamed(store, name);
  const RaceResult result = raceResult(store, after);
  reportFailures(store, after);
  if (options.json) return printRaceJson(result, options.database, end.status);
  printRace(result);
  if (end.status == SessionStatus::Paused)
    cli::print("\n{} of {} sessions have ended; go on with: nestwright race --db {} --resume\n",
               result.ended(), result.courses.size(), options.database);
}

std::string policyHelp() {
  return fmt::format(
      "What races, at least two: a policy as `nestwright tune` takes it, or a method (ansor, "
      "autotvm, adatune), with settings of its own behind commas, as in "
      "evolutionary,draft=first,polish=20. They may be {}. A program of yours races as "
      "\"exec:python3 my_policy.py\", and is named again with --resume",
      fmt::join(racerSettings(), ", "));
}

void addHow(CLI::App& verb, RaceOptions& options) {
  SessionConfig& config = options.wish.config;
  verb.add_option("--trials-per-round", config.trialsPerRound,
                  "Programs of a round, which is a turn")
      ->check(positive())
      ->capture_default_str();
  verb.add_option("--rules", config.rules, "Sketch rules, as `nestwright sketches --help` explains")
      ->capture_default_str();
  addTf32(verb, config.tf32);
  addTarget(verb, config.target, "What the programs are for")->capture_default_str();
  addLowering(verb, config.target);
  addInstructionSet(verb, config.target);
  addDevice(verb, config.measure.device);
  verb.add_option("--threads", config.measure.threads, "Threads of the kernels; 0: all cores")
      ->check(notNegative());
  addEvaluator(verb, config.measure.evaluator);
  addRepeats(verb, config.measure);
  verb.add_option("--machine", config.machine,
                  "Who measures: recorded:FILE.nwdb has the records of that file answer in place "
                  "of this machine, at once");
  addWorkerCommand(verb, options.workerCommand);
  verb.add_option("--policy-seconds", options.policySeconds,
                  "Seconds that a program of yours may take for each answer")
      ->check(positive())
      ->capture_default_str();
}

} // namespace

void addRace(CLI::App& app) {
  auto options = std::make_shared<RaceOptions>();
  RaceWish& wish = options->wish;
  wish.config.trials = 200;
  CLI::App* verb = app.add_subcommand(
      "race", "Let search policies race: the same tasks, equal budgets, several seeds, in turns");
  verb->footer(
      "Each policy on each task with each seed is a session of the file that knows nothing of the\n"
      "others. With one seed and task their rounds take turns, so that a drift of the machine "
      "hits\n"
      "all alike; then comes the next task, and then the next seed. Ctrl+C pauses.\n\n"
      "Printed are the geometric mean over seeds of the best throughput, with a 95 % interval, "
      "and\n"
      "for each two policies how often each was faster in the end, with the p-value of Wilcoxon's\n"
      "signed ranks over all tasks and seeds. The window shows the curves: panel Compare, Races.");
  verb->add_option("task", wish.tasks,
                   "Tasks as `nestwright tune` takes them; a network stands for all of its tasks");
  verb->add_option("--policy", options->policies, policyHelp())->allow_extra_args(false);
  options->seeds = verb->add_option("--seeds", wish.seeds,
                                    "How many seeds, of which each gives every "
                                    "policy a session on every task")
                       ->check(positive())
                       ->capture_default_str();
  verb->add_option("--seed", wish.config.seed, "The first of them; the others follow it")
      ->capture_default_str();
  options->trials = verb->add_option("--trials", wish.config.trials, "Budget of each session")
                        ->check(positive())
                        ->capture_default_str();
  options->seconds = verb->add_option("--seconds", wish.config.maxSeconds,
                                      "Or seconds as its budget: of its own turns")
                         ->check(positive())
                         ->excludes(options->trials);
  verb->add_option("--db", options->database, "Record file")->capture_default_str();
  verb->add_flag("--resume", options->resume,
                 "Go on with the file's race where it was left, or print what came of it; with "
                 "another --trials or --seconds it goes on to that");
  addHow(*verb, *options);
  verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->callback([options] { race(*options); });
}

} // namespace nestwright::cli
