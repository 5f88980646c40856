#pragma once
/// \file A tuning session: one run of a search over a network's tasks, from start to finish over
/// any number of pauses. It runs on its own thread, obeys commands, and tells events; the file is
/// its memory, so that it can be killed at any moment and resumed.

#include "core/measure/measure.h"
#include "core/record/rows/session_row.h"
#include "core/search/exec/policy_launch.h"
#include "core/search/plan_choices.h"
#include "core/search/search_space.h"
#include "core/session/run/command.h"
#include "core/session/run/events.h"
#include "core/session/run/steering.h"
#include "core/session/run/tuning/ahead.h"
#include "core/session/schedule/objective.h"
#include "core/space/sketch.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// All choices of a session, saved with it (C43).
struct SessionConfig {
  /// Networks, tasks and operators to tune together, as on the command line; at least one.
  std::vector<std::string> subjects;
  std::string target = "llvm"; // as targetNamed() takes it
  std::int64_t trials = 1000;  // budget
  double maxSeconds = 0;       // wall-clock budget; 0: none
  int trialsPerRound = 16;
  std::uint64_t seed = 0;
  SearchSpace space = SearchSpace::Sketches;
  std::string policy = "random";          // or "evolutionary", which learns a cost model
  std::string model = "xgboost";          // of the evolutionary policy
  std::string features = "paper,lowered"; // that the model reads, as featureChoice() takes them
  /// Programs that ran before the model learns; until then sampling is random. The public
  /// implementation waits for 100, and for a round of 64 of every task of a network: a tenth of our
  /// default budget, or all of it. Two rounds leave the rest of it to the model.
  int warmup = 32;
  std::string rules = kDefaultRules; // sketch rules, as sketchRules() takes them
  /// Which other definitions of an operator are searched beside its own (core/network/partition/
  /// partition.h): "off", "exact" or "all". Those of "all" round otherwise, so they are asked for.
  std::string alternatives = "exact";
  bool tf32 = false; // whether tensor cores may round float32 factors to TF32 (SpaceOptions::tf32)
  std::string scheduler = "gradient"; // or "round-robin"
  double epsilon = 0.05; // share of a round's programs that the evolutionary policy draws at random
  int population = 2048; // of a generation of the evolutionary policy, at most
  int generations = 4;   // of one of its proposals
  /// Of templates: which may be searched, separated by commas; empty: all. Of those that fit a task
  /// the first is.
  std::string templates;
  /// What the model of configurations reads (template_features.h); "tree" goes with "treegru".
  std::string templateFeatures = "itervar";
  /// Files with records of other tasks from which it learns before the session begins
  /// (history/session_history.h).
  std::vector<std::string> history;
  /// The trained model that the session begins with, as modelNamed() takes it: a file, or a session
  /// of one (pretrained/model_named.h); empty: none. Model and features are then that model's, and
  /// its own file keeps a copy.
  std::string pretrained;
  std::string update = "local"; // what becomes of it: "none", "local", "fine-tune", "retrain"
  bool localPerTask = false;    // of "local": a difference model for each task, not one for all
  std::string local = "trees";  // of "local": what learns the difference; or "mlp"
  /// A file with programs that are measured first (session_seeds.h); empty: none.
  std::string seeds;
  /// Where programs of earlier sessions are looked for (memory/session_memory.h): record files, and
  /// "this" for the session's own; none: nowhere. Of searches over sketches alone.
  std::vector<std::string> memory;
  /// The cost model began with records of the memory; known when the session is made.
  bool memoryModel = false;
  int polish = 0; // of the budget: so many trials for each task polish bests, where it pays
  std::string draft = "off"; // where the draft score is asked (draftUseFromName)
  /// It ends when less than this share of the total is expected to be left to gain
  /// (nothing_left.h); 0: never.
  double stopGain = 0;
  Ahead ahead = Ahead::Off;
  int plan = 64;             // configurations that are chosen at once
  int chains = 128;          // of an annealing
  int beam = 32;             // incomplete programs that the policy "beam" keeps
  double diversity = 0;      // weight of new values of knobs in a plan, beside the scores
  double diversityRatio = 2; // of the configurations to choose from to those of a plan
  /// Of policies that plan by improvement (SearchPolicyKind::byImprovement).
  ImprovementScale energy = ImprovementScale::Relative;
  /// Of policies that set the share of a plan that is random themselves; fixed it is epsilon.
  Exploration exploration = Exploration::Contextual;
  double taskEpsilon = 0.05; // share of rounds that the gradient scheduler gives to a random task
  bool confirmBest = true;   // measure a close new best again before it counts (C31)
  /// Share of a round's programs whose answers are compared with the naive program's although they
  /// are no faster than the best, beside the first of each sketch (sketch_answers.h); 0: none.
  double checkShare = 0.1;
  /// A task pauses itself when so many of its last `stopWindow` programs fail with one verdict
  /// (stop_rule.h); 0: never.
  int stopFailures = 24, stopWindow = 32;
  Objective objective; // of the gradient scheduler
  /// Who measures: empty for the machine at hand, "recorded:FILE" for the records of a file
  /// (recorded_machine.h).
  std::string machine;
  MeasureOptions measure;
  friend bool operator==(const SessionConfig&, const SessionConfig&) = default;
};
/// Programs of a round, or of a generation, at most: more fill any memory.
inline constexpr int kMostProgramsAtOnce = 1 << 20;
/// Generations that evolution breeds for a round, at most.
inline constexpr int kMostGenerations = 1000;
/// How many times a plan's configurations there may be to choose from, at most.
inline constexpr double kMostDiversityRatio = 1000;
nlohmann::json toJson(const SessionConfig& config);
/// All settings are there: a session keeps those that it began with (C43), so a setting that a
/// later version adds needs a value here that stands for what was done before. Settings that it
/// does not know are left aside. Throws InputError.
SessionConfig sessionConfigFromJson(const nlohmann::json& json);

/// The worker's command that somebody else put among a session's settings, where none of ours ever
/// stands: to be shown as a fact about its times, and for nothing else. Empty when there is none.
std::string recordedWorkerCommand(const nlohmann::json& sessionConfig);

/// Throws InputError or UsageError when a choice is unknown or two do not go together: a subject,
/// policy, scheduler, objective or rule.
void checkConfig(const SessionConfig& config);

/// The part of it that is about the space, and who searches it.
void checkSpace(const SessionConfig& config);

/// The part of it that is about the trained model that it begins with, as far as it can be told
/// without reading that.
void checkPretrained(const SessionConfig& config);

/// The part of it that is about the objective, which an objective for another scheduler fails.
void checkObjective(const SessionConfig& config);

/// The subjects in one line: "resnet18", "resnet18 + bert:batch=1".
std::string subjectText(const SessionConfig& config);

/// Makes the rows of a new session in the file (network, tasks, target, session) without starting
/// it. Throws as checkConfig does before anything is written. `launch` starts the workers that its
/// programs are to be measured by: with a command of the person's, "cuda" is the GPU of theirs.
RowId createSession(RecordStore& store, const SessionConfig& config,
                    const WorkerLaunch& launch = {});
/// Of a target that is known.
RowId createSession(RecordStore& store, const SessionConfig& config, const TargetFacts& facts);

/// The newest session of the file, with subjects only of just these (however they are spelled and
/// ordered), polishes of one program and parts of a race aside; nothing when there is none.
/// Starting it goes on where it was left, whatever ended it.
std::optional<SessionRow> resumableSession(const RecordStore& store,
                                           const std::vector<std::string>& subjects = {});

class Session {
 public:
  /// Called on the session's thread; must not block and may not call back into the session except
  /// for commands.
  using Observer = std::function<void(const Event&)>;

  /// Prepares the session with this id from the file; nothing runs until it is told to start. The
  /// session opens its own connection to the file. From the first command on the session belongs to
  /// this object; when another process has it, commands end in the status Failed with a reason that
  /// names it. With a `measure` function (a test's, a replay's) no worker process is started.
  /// Workers are started by `launch` and never by anything that the file says; a command of the
  /// person's own is told with the event that the session began, as a fact for the log. The same
  /// holds for `policy`, which a session needs whose search policy is a process of its own.
  Session(std::string databasePath, RowId session, Observer observer,
          MeasureFunction measure = nullptr, WorkerLaunch launch = {}, PolicyLaunch policy = {});
  /// Pauses, stores, and joins the thread.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Has the session obey the command (command.h), after those posted before. Thread-safe, returns
  /// at once, throws nothing: the outcome comes as events, CommandObeyed and what it changed, or
  /// CommandRefused with the reason.
  void post(Command command, Sender sender = Sender::Program);

  SessionStatus status() const; // thread-safe
  RowId id() const;
  /// Blocks until the session is neither running nor about to (paused, finished or failed).
  SessionStatus wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace nestwright
