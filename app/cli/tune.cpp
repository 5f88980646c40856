#include "app/cli/checks.h"
#include "app/cli/ended_well.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/precision.h"
#include "app/cli/prepare.h"
#include "app/cli/search_options.h"
#include "app/cli/session_result.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/exec_policy/exec_policy.h"
#include "core/plugin/target_named.h"
#include "core/record/file/file_system.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/session/insight/missing_instruction.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/search_survey.h"
#include "core/session/run/session.h"
#include "core/session/run/session_template.h"
#include "core/session/run/subject.h"
#include "core/session/run/trouble.h"
#include "core/session/run/tuning_state.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/run_command.h"
#include "core/support/units.h"
#include "core/target/target.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct TuneOptions {
  std::string precision = "float32";
  SessionConfig config;
  SearchOptionsGiven search;
  std::vector<std::string> latencies;  // NAME=TIME, of f2
  std::vector<std::string> references; // NAME=TIME, of f3
  std::string database;
  std::string workerCommand;
  double policySeconds = PolicyLaunch().answerSeconds;
  std::vector<int> pinned, paused, freed; // indices of tasks in the session
  bool resume = false;
  bool json = false;
  bool events = false;
};

/// "resnet18:batch=1" and "models/net.onnx" as file names; several are joined by "+".
std::string defaultDatabase(const std::vector<std::string>& subjects) {
  std::string all;
  for (const std::string& subject : subjects) {
    const std::string name =
        std::filesystem::path(subject.substr(0, subject.find_first_of(":#"))).stem();
    all += (all.empty() ? "" : "+") + name;
  }
  return all.empty() ? "session.nwdb" : all + ".nwdb";
}

void readObjective(TuneOptions& options) {
  SessionConfig& config = options.config;
  const ObjectiveKind kind = config.objective.kind;
  if (!options.latencies.empty() && kind != ObjectiveKind::LatencyRequirement)
    throw UsageError("--latency belongs to --objective f2");
  if (!options.references.empty() && kind != ObjectiveKind::SpeedUp)
    throw UsageError("--reference belongs to --objective f3");
  for (const std::vector<std::string>* texts : {&options.latencies, &options.references})
    for (const std::string& text : *texts) {
      const SubjectSeconds given = parseSubjectSeconds(config.subjects, text);
      std::vector<double>& seconds = config.objective.networkSeconds;
      seconds.resize(std::max(seconds.size(), given.subject + 1), 0);
      seconds[given.subject] = given.seconds;
    }
}

std::string progressText(const Progress& p, const std::string& subject) {
  std::string best = "searching";
  if (std::isfinite(p.totalSeconds)) {
    best = fmt::format("best {}", formatSeconds(p.totalSeconds));
    if (std::isfinite(p.naiveTotalSeconds))
      best += fmt::format(" ({:.0f}x naive)", p.naiveTotalSeconds / p.totalSeconds);
  }
  if (p.networks.size() > 1)
    for (const NetworkProgress& network : p.networks)
      best += fmt::format(" · {}", formatSeconds(network.totalSeconds));
  return fmt::format("{} {}/{}  {}  {:.1f} trials/s  {} errors  {} left", subject, p.trials,
                     p.budget, best, p.trialsPerSecond, p.errors, formatDuration(p.secondsLeft));
}

/// What the file says of the worker that measured so far is worth knowing, but never obeyed.
void noteRecordedCommand(const SessionRow& row) {
  const std::string command = recordedWorkerCommand(configJson(row));
  if (command.empty()) return;
  cli::print(
      stderr,
      "note: by the file, programs of session {} were measured by \"{}\". Commands of a file "
      "are not run; --worker-command gives yours, if that is what you want.\n",
      row.id, command);
}

/// Says what a history teaches of each task, before a file is made. Throws InputError where no
/// session can begin with it.
void requireHistory(const SessionConfig& config, const WorkerLaunch& launch) {
  const SearchSurvey survey = surveySearch(config, launch);
  for (const std::string& problem : {survey.machineProblem, survey.historyProblem})
    if (!problem.empty()) throw InputError(problem);
  for (const TaughtTask& of : survey.history.tasks)
    cli::print(stderr, "history of {} ({}): {} of other tasks{}\n", of.task, of.searched,
               quantity(std::int64_t(of.records), "record"),
               of.isEnough() ? ""
                             : fmt::format(", too few to learn from (it takes {})", kLeastHistory));
}

/// Says what a trained model knows of the tasks, before a file is made. Throws InputError where no
/// session can begin with it.
void requirePretrained(const SessionConfig& config, const WorkerLaunch& launch) {
  const SearchSurvey survey = surveySearch(config, launch);
  if (!survey.pretrainedProblem.empty()) throw InputError(survey.pretrainedProblem);
  if (survey.knowledge) // else the machine is not there, which is said when the session is made
    cli::print(stderr, "{} is {}\n", config.pretrained, sentence(*survey.knowledge));
}

/// Says which seeds cannot be taken, before a file is made. Throws InputError where none can.
void requireSeeds(const SessionConfig& config, const WorkerLaunch& launch) {
  const SearchSurvey survey = surveySearch(config, launch);
  for (const std::string& problem : {survey.machineProblem, survey.seedsProblem})
    if (!problem.empty()) throw InputError(problem);
  cli::print(stderr, "measured first: {} of {} of {}\n", survey.seeds.count(),
             quantity(std::int64_t(survey.seeds.count() + survey.seeds.unusable.size()), "seed"),
             config.seeds);
  for (const std::string& line : unusableText(survey.seeds))
    cli::print(stderr, "left out: {}\n", line);
}

/// Says of a new session what it remembers.
void noteMemory(const RecordStore& store, RowId id) {
  const SessionRow row = sessionRow(store, id);
  const TuningState state = tuningStateFromText(row.schedulerState);
  std::size_t programs = 0, tasks = 0;
  for (const auto& [task, memory] : state.tasks) {
    programs += memory.remembered.size() + memory.rememberedParents.size();
    tasks += memory.remembered.empty() && memory.rememberedParents.empty() ? 0 : 1;
  }
  if (programs == 0) return;
  cli::print(stderr, "remembered from earlier sessions: {} for {} of {}{}\n",
             quantity(std::int64_t(programs), "program"), tasks,
             quantity(std::ssize(store.sessions().tasks(id)), "task"),
             configOf(row).memoryModel ? ", and the cost model begins with their records" : "");
}

/// The program that is the policy, if one was given; the settings get its name.
PolicyLaunch takePolicyProgram(TuneOptions& options) {
  SessionConfig& config = options.config;
  if (!isExecPolicy(config.policy)) return {};
  PolicyLaunch launch = policyLaunchFromText(config.policy);
  if (findProgram(launch.command.front()).empty())
    throw UsageError(fmt::format("--policy exec: there is no program {}; it is the first word "
                                 "behind the colon, its arguments follow it",
                                 launch.command.front()));
  launch.answerSeconds = options.policySeconds;
  config.policy = execPolicyName(launch.command);
  return launch;
}

/// A session that goes on needs its policy's program again, since no file says what is run, and
/// takes none where it has another policy.
void requirePolicyProgram(const SessionRow& row, const PolicyLaunch& launch) {
  const std::string& policy = configOf(row).policy;
  if (isExecPolicy(policy))
    if (const std::string why = whyNotAsked(policy, launch); !why.empty())
      throw UsageError(fmt::format("session {}: {}", row.id, why));
  if (!isExecPolicy(policy) && !launch.command.empty())
    throw UsageError(fmt::format("session {} is searched by the policy {}, and keeps it when it is "
                                 "resumed: leave --policy out",
                                 row.id, policy));
}

/// A session that goes on keeps its settings; which of those that were given are not taken is said.
void noteKeptSettings(const SessionRow& row, const TuneOptions& options) {
  if (const std::vector<std::string> names =
          options.search.differing(options.config, configOf(row));
      !names.empty())
    cli::print(stderr, "note: session {} goes on with the settings that it has: {} {} not taken\n",
               row.id, fmt::join(names, ", "), names.size() == 1 ? "is" : "are");
}

/// The session to run: an unfinished one when resuming, else a new one.
RowId chooseSession(RecordStore& store, const TuneOptions& options, const WorkerLaunch& launch,
                    const PolicyLaunch& policy) {
  if (options.resume) {
    if (const std::optional<SessionRow> row = resumableSession(store, options.config.subjects)) {
      requirePolicyProgram(*row, policy);
      noteKeptSettings(*row, options);
      noteRecordedCommand(*row);
      return row->id;
    }
    cli::print(stderr, "Nothing to resume for {} in {}: starting a new session.\n",
               subjectText(options.config), store.path());
  }
  const RowId id = createSession(store, options.config, launch);
  noteMemory(store, id);
  return id;
}

/// Pins and pauses the tasks of these indices, as `nestwright tasks` counts them.
void steerTasks(const RecordStore& store, RowId id, const TuneOptions& options, Session& session) {
  const std::vector<TaskRow> tasks = store.sessions().tasks(id);
  const auto set = [&](const std::vector<int>& indices, const char* option, TaskMode mode) {
    for (const int index : indices) {
      if (index < 0 || index >= static_cast<int>(tasks.size()))
        throw UsageError(fmt::format("{} {}: the session has the tasks 0 to {}", option, index,
                                     tasks.size() - 1));
      session.post(SetTaskMode{tasks[static_cast<std::size_t>(index)].id, mode},
                   Sender::CommandLine);
    }
  };
  set(options.freed, "--free-task", TaskMode::Free);
  set(options.pinned, "--pin", TaskMode::Pinned);
  set(options.paused, "--pause-task", TaskMode::Paused);
}

/// One line of JSON, flushed at once: a script that reads it knows the record is in the file.
void printEvent(const Event& event) {
  json line = toJson(event);
  line["event"] = kind(event);
  cli::print("{}\n", jsonLine(line));
  std::fflush(stdout);
}

/// A budget of 0 stands for as many trials as the templates of the tasks have configurations.
void settleTrials(SessionConfig& config) {
  if (config.trials > 0) return;
  if (config.space != SearchSpace::Templates)
    throw UsageError("sketches have no end of programs: --trials all goes with --space templates");
  std::vector<ComputeDag> tasks;
  for (const Subject& subject : subjectsOf(config))
    for (const SubjectTask& task : subject.tasks)
      tasks.push_back(task.dag);
  const std::int64_t all =
      configurationsOf(tasks, templateNames(config.templates), templateMachine(config.target));
  config.trials = std::max<std::int64_t>(1, all);
}

/// Kernels run on this machine unless others start the workers.
void requireThreads(const TuneOptions& options) {
  const int cores = hostTarget().cores;
  if (options.workerCommand.empty() && options.config.measure.threads > cores)
    throw UsageError(fmt::format("--threads: this machine gives us {}, and kernels cannot have "
                                 "more threads",
                                 quantity(cores, "core")));
}

void tune(TuneOptions& options, bool trialsGiven) {
  PauseOnSignal signals;
  const PolicyLaunch policy = takePolicyProgram(options);
  options.search.settle(options.config, trialsGiven);
  settleMemory(options.config);
  settleTrials(options.config);
  for (std::string& subject : options.config.subjects)
    subject = withPrecision(subject, options.precision);
  readObjective(options);
  const WorkerLaunch launch = workerLaunchFromText(options.workerCommand);
  if (options.database.empty()) options.database = defaultDatabase(options.config.subjects);
  checkConfig(options.config); // before a file is made
  requireThreads(options);
  const bool goesOn = options.resume && std::filesystem::exists(options.database);
  if (!options.config.history.empty() && !goesOn) requireHistory(options.config, launch);
  if (!options.config.pretrained.empty() && !goesOn) requirePretrained(options.config, launch);
  if (!options.config.seeds.empty() && !goesOn) requireSeeds(options.config, launch);
  prepareForWriting(options.database, OpenMode::Create);
  RecordStore store = RecordStore::open(options.database, OpenMode::Create);
  if (const std::string note = fileSystemNote(options.database); !note.empty())
    cli::print(stderr, "{}\n", note);
  const RowId id = chooseSession(store, options, launch, policy);
  if (options.workerCommand.empty() && !namesGpu(options.config.target))
    if (const std::string note =
            missingInstruction(subjectsOf(options.config), targetNamed(options.config.target));
        !note.empty())
      cli::print(stderr, "note: {}\n", note);

  std::mutex mutex;
  Progress last;
  std::string reason;
  PauseCause cause = PauseCause::None;
  ProgressLine line;
  const auto observe = [&](const Event& event) {
    const std::lock_guard lock(mutex);
    if (options.events) printEvent(event);
    if (const auto* progress = std::get_if<Progress>(&event)) {
      last = *progress;
      line.show(static_cast<double>(last.trials), static_cast<double>(last.budget),
                progressText(last, subjectText(options.config)));
    } else if (const auto* state = std::get_if<StateChanged>(&event)) {
      reason = state->reason, cause = state->cause;
    } else if (const auto* machine = std::get_if<EnvironmentChecked>(&event)) {
      for (const std::string& advice : environmentAdvice(machine->findings))
        line.note(advice);
    } else if (const auto* talked = std::get_if<PolicyTalked>(&event);
               talked && talked->talk.given < talked->talk.asked) {
      line.note(fmt::format("round {}: {}", talked->talk.round, sentence(talked->talk)));
    }
  };
  Session session(options.database, id, observe, nullptr, launch, policy);
  signals.watch([&session] { session.post(Pause{}, Sender::Signal); });
  const auto post = [&](const Command& command) { session.post(command, Sender::CommandLine); };
  if (options.resume && trialsGiven) post(SetTrialBudget{options.config.trials});
  if (options.resume && options.config.maxSeconds > 0)
    post(SetTimeBudget{options.config.maxSeconds});
  steerTasks(store, id, options, session);
  post(Start{});
  const SessionStatus status = session.wait();
  const std::lock_guard lock(mutex);
  line.clear();
  requireEndedWell(status, cause, reason);
  if (options.json) {
    printJson(resultJson(store, id, last));
  } else if (!options.events) {
    printSummary(store, id, last);
    if (status == SessionStatus::Paused)
      cli::print("paused; go on with: nestwright tune {} --db {} --resume\n",
                 fmt::join(options.config.subjects, " "), options.database);
  }
  reportUntuned(store, id);
}

} // namespace

void addTune(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  SessionConfig& config = options->config;
  CLI::App* verb = app.add_subcommand("tune", "Search for fast programs of a network or task");
  verb->footer(
      "The exit code is 0 when the session ended or was paused, and 1 when a task could not\n"
      "be tuned: its naive program, which all others are compared with, fails.\n"
      "The other tasks are tuned all the same, and --resume tries the failed ones again.");
  verb->add_option("subject", config.subjects,
                   "Network (resnet18:batch=1, model.onnx), task (matmul:m=512,n=512,k=512, "
                   "resnet18#3) or a file with a compute DAG (my_operator.dag); several are tuned "
                   "together in one session, and a task that two of them share is tuned once")
      ->required();
  addPrecision(*verb, options->precision);
  CLI::Option* trials =
      verb->add_option("--trials", config.trials,
                       "Programs to measure in all; \"all\": every configuration of the templates")
          ->transform(CLI::Transformer(std::map<std::string, std::string>{{"all", "0"}}))
          ->check(notNegative())
          ->capture_default_str();
  verb->add_option("--seconds", config.maxSeconds, "Wall-clock budget in seconds (0: none)")
      ->check(notNegative());
  options->search.add(*verb, config);
  verb->add_option_function<std::string>(
      "--objective",
      [&config](const std::string& text) { config.objective.kind = objectiveFromName(text); },
      "What the gradient scheduler minimises: f1 the total latency of all networks, f2 as f1, but "
      "nothing is gained below a network's required latency (--latency), f3 the geometric mean of "
      "the networks' speed-ups against references (--reference), f4 as f1, but a task that has "
      "stopped improving is left alone (--stop-after-rounds) (default f1)");
  verb->add_option("--latency", options->latencies,
                   "f2: what a network must reach, as in resnet18=10ms; once for each network, the "
                   "others count with their latency. The session ends when all are met")
      ->allow_extra_args(false);
  verb->add_option("--reference", options->references,
                   "f3: the latency that a network's speed-up is measured against, as in "
                   "bert_base=40ms (default: its naive programs)")
      ->allow_extra_args(false);
  verb->add_option("--stop-after-rounds", config.objective.stopAfterRounds,
                   "f4: rounds without improvement after which a task counts as finished")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--seed", config.seed,
                   "Seed of all random choices: with the same seed, --threads and measurements the "
                   "same programs are tried in the same order")
      ->capture_default_str();
  verb->add_option("--seeds", config.seeds,
                   "Measure the programs of this file first: `nestwright travel -o` writes one. "
                   "Those of other tasks, and those that are illegal on the target, are left out "
                   "and told. A session that is resumed keeps the seeds that it began with");
  addMemory(*verb, config);
  addTarget(*verb, config.target, "What to tune for")->capture_default_str();
  addLowering(*verb, config.target);
  addInstructionSet(*verb, config.target);
  addDevice(*verb, config.measure.device);
  verb->add_option("--threads", config.measure.threads,
                   "Threads of the tuned kernels (0: all cores). They are part of the target: "
                   "another number is another search space with other programs and records of its "
                   "own, whatever the seed")
      ->check(notNegative());
  verb->add_option("--run-timeout", config.measure.runTimeoutSeconds,
                   "Seconds that one measurement may take")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--build-timeout", config.measure.buildTimeoutSeconds,
                   "Seconds that one compilation may take")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--check-share", config.checkShare,
                   "Share of programs whose answers are compared with the naive program's although "
                   "they are no faster than the best, beside the first of each sketch; 0: none")
      ->check(between(0.0, 1.0))
      ->capture_default_str();
  verb->add_option("--stop-after-failures", config.stopFailures,
                   "A task pauses itself when so many of its last 32 programs fail for one cause; "
                   "0: never")
      ->check(between(0, config.stopWindow))
      ->capture_default_str();
  verb->add_flag("--flush-cache", config.measure.flushCache, "Flush the caches between repeats");
  verb->add_option("--machine", config.machine,
                   "Who measures: recorded:FILE.nwdb has the records of that file answer in place "
                   "of this machine, at once; what it gives never counts as measured");
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_option(
          "--policy-seconds", options->policySeconds,
          "Seconds that the program of --policy exec:... may take for each answer; a round "
          "without one is drawn at random")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--db", options->database, "Record file (default: the subject's name + .nwdb)");
  verb->add_flag(
      "--resume", options->resume,
      "Go on with the file's session of this subject where it was left; begin one where there "
      "is none, so that scripts may say it each time");
  verb->add_option("--pin", options->pinned,
                   "Give every round to this task (its number in the session, from 0); several "
                   "pinned ones share them. Lasts over --resume, until --free-task")
      ->allow_extra_args(false);
  verb->add_option("--pause-task", options->paused, "Give no rounds to this task, likewise")
      ->allow_extra_args(false);
  verb->add_option("--free-task", options->freed, "Let the scheduler decide on this task again")
      ->allow_extra_args(false);
  CLI::Option* json =
      verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->add_flag("--events", options->events,
                 "Print every event as a line of JSON as soon as it is stored")
      ->excludes(json);
  verb->callback([options, trials] { tune(*options, trials->count() > 0); });
}

} // namespace nestwright::cli
