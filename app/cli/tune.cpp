#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/session/session.h"
#include "core/support/error.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct TuneOptions {
  SessionConfig config;
  std::string database;
  bool resume = false;
  bool json = false;
  bool events = false;
};

/// JSON has no infinity; null stands for "not known".
json number(double value) {
  return std::isfinite(value) && value > 0 ? json(value) : json(nullptr);
}

/// "resnet18:batch=1" and "models/net.onnx" as file names.
std::string defaultDatabase(const std::string& subject) {
  std::string name = std::filesystem::path(subject.substr(0, subject.find_first_of(":#"))).stem();
  return name.empty() ? "session.nwdb" : name + ".nwdb";
}

std::string progressText(const Progress& p, const std::string& subject) {
  std::string best = "searching";
  if (std::isfinite(p.totalSeconds)) {
    best = fmt::format("best {}", formatSeconds(p.totalSeconds));
    if (std::isfinite(p.naiveTotalSeconds))
      best += fmt::format(" ({:.0f}x naive)", p.naiveTotalSeconds / p.totalSeconds);
  }
  return fmt::format("{} {}/{}  {}  {:.1f} trials/s  {} errors  {} left", subject, p.trials,
                     p.budget, best, p.trialsPerSecond, p.errors, formatDuration(p.secondsLeft));
}

/// Pauses the session on Ctrl+C or SIGTERM. Signals must be blocked before any thread starts.
class PauseOnSignal {
 public:
  PauseOnSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGUSR1); // ends the waiting thread
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void watch(Session& session) {
    thread_ = std::thread([this, &session] {
      int signal = 0;
      sigwait(&signals_, &signal);
      if (signal != SIGUSR1) session.pause();
    });
  }
  ~PauseOnSignal() {
    if (!thread_.joinable()) return;
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }

 private:
  sigset_t signals_;
  std::thread thread_;
};

/// The session to run: an unfinished one when resuming, else a new one.
RowId chooseSession(RecordStore& store, const TuneOptions& options) {
  if (options.resume) {
    if (const std::optional<SessionRow> row = resumableSession(store, options.config.subject))
      return row->id;
    fmt::print(stderr, "Nothing to resume for {} in {}: starting a new session.\n",
               options.config.subject, store.path());
  }
  return createSession(store, options.config);
}

json taskJson(const RecordStore& store, const TaskRow& task, const TaskSummary& summary,
              RowId session) {
  std::int64_t trials = 0, errors = 0;
  for (const VerdictCount& count : store.verdictCounts(session, task.id)) {
    trials += count.records;
    if (count.verdict != Verdict::Ok) errors += count.records;
  }
  const std::optional<Record> best = store.best(task.id);
  const double seconds = best ? best->result.median() : 0;
  return {{"key", task.key},
          {"name", task.name},
          {"weight", task.weight},
          {"flops", task.flops},
          {"best_seconds", number(seconds)},
          {"naive_seconds", number(summary.naiveSeconds)},
          {"gflops", best ? json(task.flops / seconds / 1e9) : json(nullptr)},
          {"trials", trials},
          {"errors", errors},
          {"verified", best.has_value()}};
}

json resultJson(const RecordStore& store, RowId session, const Progress& last) {
  json tasks = json::array();
  for (const TaskRow& task : store.sessionTasks(session))
    tasks.push_back(taskJson(store, task, store.summary(task.id), session));
  const SessionRow row = *store.session(session);
  return {{"network", sessionConfigFromJson(json::parse(row.config)).subject},
          {"tasks", tasks},
          {"total_seconds", number(last.totalSeconds)},
          {"naive_total_seconds", number(last.naiveTotalSeconds)},
          {"trials", last.trials},
          {"errors", last.errors},
          {"wall_seconds", last.wallSeconds},
          {"kernel_seconds", last.kernelSeconds},
          {"session", session},
          {"status", name(row.status)},
          {"db", store.path()}};
}

void printSummary(const RecordStore& store, RowId session, const Progress& last) {
  std::vector<std::vector<std::string>> rows;
  for (const TaskRow& task : store.sessionTasks(session)) {
    const json j = taskJson(store, task, store.summary(task.id), session);
    const double best = j["best_seconds"].is_null() ? 0 : j["best_seconds"].get<double>();
    const double naive = j["naive_seconds"].is_null() ? 0 : j["naive_seconds"].get<double>();
    rows.push_back({task.name, fmt::format("{:g}", task.weight), formatSeconds(best),
                    formatSeconds(naive),
                    best > 0 && naive > 0 ? fmt::format("{:.1f}x", naive / best) : "—",
                    formatFlopRate(best > 0 ? task.flops / best : 0),
                    fmt::format("{}", j["trials"].get<std::int64_t>()),
                    fmt::format("{}", j["errors"].get<std::int64_t>())});
  }
  printTable({"task", "weight", "best", "naive", "speed-up", "rate", "trials", "errors"}, rows,
             {1, 2, 3, 4, 5, 6, 7});
  fmt::print("\ntotal {} (naive {}), {} trials, {} errors, {} in all, {} in kernels\n",
             formatSeconds(last.totalSeconds), formatSeconds(last.naiveTotalSeconds), last.trials,
             last.errors, formatDuration(last.wallSeconds), formatDuration(last.kernelSeconds));
  fmt::print("records: {}\n", store.path());
}

/// One line of JSON, flushed at once: a script that reads it knows the record is in the file.
void printEvent(const Event& event) {
  json line = toJson(event);
  line["event"] = kind(event);
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

void tune(TuneOptions& options, bool trialsGiven) {
  PauseOnSignal signals;
  if (options.database.empty()) options.database = defaultDatabase(options.config.subject);
  checkConfig(options.config); // before a file is made
  RecordStore store = RecordStore::open(options.database, OpenMode::Create);
  const RowId id = chooseSession(store, options);

  std::mutex mutex;
  Progress last;
  std::string reason;
  ProgressLine line;
  Session session(options.database, id, [&](const Event& event) {
    const std::lock_guard lock(mutex);
    if (options.events) printEvent(event);
    if (const auto* progress = std::get_if<Progress>(&event)) {
      last = *progress;
      line.show(static_cast<double>(last.trials), static_cast<double>(last.budget),
                progressText(last, options.config.subject));
    } else if (const auto* state = std::get_if<StateChanged>(&event)) {
      reason = state->reason;
    }
  });
  signals.watch(session);
  if (options.resume && trialsGiven) session.setTrialBudget(options.config.trials);
  session.start();
  const SessionStatus status = session.wait();
  const std::lock_guard lock(mutex);
  line.clear();
  if (status == SessionStatus::Failed) throw SystemError(reason);
  if (options.json) {
    printJson(resultJson(store, id, last));
  } else if (!options.events) {
    printSummary(store, id, last);
    if (status == SessionStatus::Paused)
      fmt::print("paused; go on with: nestwright tune {} --db {} --resume\n",
                 options.config.subject, options.database);
  }
}

} // namespace

void addTune(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  SessionConfig& config = options->config;
  CLI::App* verb = app.add_subcommand("tune", "Search for fast programs of a network or task");
  verb->add_option("subject", config.subject,
                   "Network (resnet18:batch=1, model.onnx), task (matmul:m=512,n=512,k=512, "
                   "resnet18#3) or a file with a compute DAG (my_operator.dag)")
      ->required();
  CLI::Option* trials = verb->add_option("--trials", config.trials, "Programs to measure in all")
                            ->check(CLI::PositiveNumber)
                            ->capture_default_str();
  verb->add_option("--seconds", config.maxSeconds, "Wall-clock budget in seconds (0: none)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--trials-per-round", config.trialsPerRound, "Largest batch given to one task")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--policy", config.policy,
                   "Search policy: random, or evolutionary (learns a cost model)")
      ->check(CLI::IsMember({"random", "evolutionary"}))
      ->capture_default_str();
  verb->add_option("--model", config.model, "Cost model of the evolutionary policy")
      ->capture_default_str();
  verb->add_option("--rules", config.rules,
                   "Sketch rules, as `nestwright sketches --help` explains")
      ->capture_default_str();
  verb->add_option("--scheduler", config.scheduler, "Which task next: round-robin or gradient")
      ->check(CLI::IsMember({"round-robin", "gradient"}))
      ->capture_default_str();
  verb->add_option_function<std::string>(
      "--objective",
      [&config](const std::string& text) { config.objective.kind = objectiveFromName(text); },
      "Of the gradient scheduler: f1 total latency, f2 latency requirement, f3 speed-up against a "
      "reference, f4 early stop (default f1)");
  verb->add_option("--objective-seconds", config.objective.networkSeconds,
                   "The requirement of f2 or the reference of f3, in seconds")
      ->check(CLI::PositiveNumber);
  verb->add_option("--stop-after-rounds", config.objective.stopAfterRounds,
                   "f4: rounds without improvement after which a task counts as finished")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--seed", config.seed, "Seed of all random choices")->capture_default_str();
  verb->add_option("--threads", config.measure.threads,
                   "Threads of the tuned kernels (0: all cores)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--repeats", config.measure.repeats, "Timed repeats of each program")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--run-timeout", config.measure.runTimeoutSeconds,
                   "Seconds that one measurement may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--build-timeout", config.measure.buildTimeoutSeconds,
                   "Seconds that one compilation may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_flag("--flush-cache", config.measure.flushCache, "Flush the caches between repeats");
  verb->add_option("--db", options->database, "Record file (default: the subject's name + .nwdb)");
  verb->add_flag("--resume", options->resume,
                 "Go on with the file's session of this subject where it was left");
  CLI::Option* json =
      verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->add_flag("--events", options->events,
                 "Print every event as a line of JSON as soon as it is stored")
      ->excludes(json);
  verb->callback([options, trials] { tune(*options, trials->count() > 0); });
}

} // namespace nestwright::cli
