#pragma once
/// \file The work of a session, without its thread: tasks, rounds, and the bookkeeping around them.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"
#include "core/search/search_policy.h"
#include "core/session/run/cost_learner.h"
#include "core/session/run/part_clock.h"
#include "core/session/run/phase_gate.h"
#include "core/session/run/session.h"
#include "core/session/run/tuning_state.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/target/target.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <unordered_set>
#include <vector>

namespace nestwright {

/// One session's search over its tasks. Thread-compatible; owned by the session's thread.
class TuningRun {
 public:
  using Observer = std::function<void(const Event&)>;

  /// Reads the session from the file: settings, tasks, what was measured, and the open round.
  /// `launch` is the person's, of this run.
  TuningRun(RecordStore store, RowId session, Observer observer, MeasureFunction measure = nullptr,
            WorkerLaunch launch = {});

  /// Why the session cannot go on as it is, and the status it enters.
  struct Ending {
    SessionStatus status;
    std::string reason;
  };
  /// When no further round is needed (budget, time, nothing left to try) or possible (the user
  /// paused every task).
  std::optional<Ending> ending() const;

  /// One round: choose a task, propose, measure, store. Returns early, with the round left open,
  /// when `interrupt` becomes true, and after a phase where `gate` says so.
  void round(std::atomic<bool>& interrupt, PhaseGate& gate);
  /// The phase after which the gate ended the last call of round(), if it did.
  std::optional<SearchPhase> stoppedAfter() const { return stoppedAfter_; }

  /// Obeys the command as `how` says: it is stored and told with the first change, before it, or
  /// alone when nothing changed.
  void obey(const CommandObeyed& command, const std::function<void()>& how);
  /// Tells that the command that is being obeyed cannot be followed.
  void refuse(const Command& command, const std::string& reason);

  // What each command changes (command.h). Throws InputError, and changes nothing, when it cannot
  // be followed.
  void apply(const SetImportance& change);
  void apply(const SetTaskMode& change);
  void apply(const SetTrialBudget& change);
  void apply(const SetTimeBudget& change);
  void apply(const SetObjective& change);
  void apply(const SetSearchOptions& change);
  void apply(const MeasureProgram& change);
  void apply(const SeedWith& change);
  void apply(const Forget& change);
  void apply(const PauseAfterPhases& change);

  bool hasDemands() const { return !state_.demands.empty() || state_.demandClaim.record != 0; }
  /// Makes the measurements that were asked for, until `interrupt`; each that claims to be the best
  /// within noise is settled before the next.
  void measureDemands(const std::atomic<bool>& interrupt);
  /// Stores the status, tells it, and starts or stops the session's clock.
  void setStatus(SessionStatus status, const std::string& reason = {},
                 PauseCause cause = PauseCause::None);
  SessionStatus status() const { return row_.status; }

 private:
  struct Task {
    TaskRow row;
    std::vector<double> weights; // in each of the session's networks
    ComputeDag dag;
    std::string similarityTag;
    std::optional<std::vector<Sketch>> sketches; // made when the task is first chosen
    std::int64_t trials = 0, errors = 0;
    double bestSeconds, naiveSeconds;
    std::unordered_set<std::string> measured; // programIds
  };
  /// What a round's work was, beside where its time went.
  struct RoundWork {
    double kernel = 0, build = 0, compile = 0; // seconds
    ScoringTime scoring;                       // of the proposal
    int trials = 0;
  };

  /// Changed settings: stores and tells them.
  void takeOver(const SessionConfig& config);
  void makePolicies();
  /// The steps that the user means. Throws InputError when they are no program of the task.
  Steps stepsOf(const Task& task, const NamedProgram& program) const;
  std::vector<Steps> seedsOf(const Task& task);
  /// After records of the task were forgotten or restored: what is known of it, and its history.
  void reloadResults(Task& task);
  /// Lets the cost model's data follow: without these programs (task, programId) of the session,
  /// or, when there are none, as the file is now.
  void relearn(const std::vector<std::pair<RowId, std::string>>& forgotten);
  /// Trials of the search itself: what the budget is for.
  std::int64_t searchTrials() const { return trials_ - state_.demandedTrials; }
  void loadTarget();
  void loadTasks();
  /// Best, naive time and measured programs.
  void loadResults(Task& task);
  void countTrials();
  /// Makes the cost model and teaches it what the session measured; `known`: it goes on from what
  /// it had learned, as the file has it.
  void loadLearner(bool known = true);
  MeasuredProgram measuredProgram(const Record& record);
  /// Records of the open round from before an interruption, oldest first.
  std::vector<Record> recordsOfRound(const OpenRound& open) const;
  Task& taskOf(RowId id);
  TaskMemory& memoryOf(const Task& task) { return state_.tasks[task.row.id]; }
  std::vector<TaskProgress> progress() const;

  /// Begins a new round and stores that it began; empty when no task can take trials.
  std::optional<OpenRound> beginRound();
  int roundSize(const Task& task) const;
  /// Trials that the task may still take.
  std::int64_t roomOf(const Task& task) const;
  Proposal propose(Task& task, const OpenRound& open, const std::atomic<bool>& interrupt);
  // The phases of the open round; all but skipPhase() return false when the round stops there.
  bool isBehind(SearchPhase phase) const;
  bool finishPhase(SearchPhase phase, const std::string& sentence,
                   const std::function<void()>& alsoStore = {}, std::vector<Event> alsoTell = {});
  bool finishSearchPhase(SearchPhase phase, const SearchLog& log);
  bool finishSelection(const Proposal& proposal);
  bool finishMeasuring(const Task& task, const RoundWork& work);
  void skipPhase(SearchPhase phase, const std::string& why);
  bool stopsAfter(SearchPhase phase);
  /// The session's fastest programs of the task, fastest first: parents for the search.
  std::vector<Steps> fastestPrograms(const Task& task,
                                     const std::unordered_set<std::string>& without) const;
  /// Lets the cost model learn from the round's programs.
  ModelUpdated learn(bool anew);
  /// How a program is measured, whether the search or the user asks for it: so that both times of
  /// a program can be compared (C34). Its answer is compared when it is below `bestSeconds`;
  /// without a best that is 0 or infinite, and every answer is.
  static MeasureRequest requestFor(const Task& task, const Candidate& candidate,
                                   double bestSeconds);
  /// Returns false when interrupted. A task where it fails twice, with fresh workers, fails: it
  /// takes no trials, and its round is closed.
  bool measureNaive(Task& task, const std::atomic<bool>& interrupt, RoundWork& work);
  std::vector<RowId> failedTasks() const;
  bool allFailed() const;
  void retryFailed(const std::atomic<bool>& interrupt);
  /// Returns false when interrupted before all candidates were measured.
  bool measureCandidates(Task& task, const Proposal& proposal, std::atomic<bool>& interrupt,
                         RoundWork& work);
  void measure(const std::vector<MeasureRequest>& requests,
               const std::function<void(const MeasureResult&)>& onResult,
               const std::atomic<bool>& interrupt);
  /// Pauses the task when the stop rule says so.
  std::optional<TaskModeChanged> pausedBy(const Task& task);
  /// Whatever made the task pause itself counts no more.
  void freeTask(RowId task);
  std::vector<Event> freePausedThemselves();
  /// Why the session pauses when no task may go on.
  std::string pausedText() const;
  const std::vector<Sketch>& sketchesOf(Task& task) const;
  /// Sketches of which an answer was found wrong since noteAnswers() was called last.
  std::set<int> newlyWrong(Task& task);
  /// Compares all answers of such sketches that nobody compared, and stores what is found, when all
  /// of the round was measured. Returns false when interrupted.
  bool compareBack(Task& task, const std::atomic<bool>& interrupt, RoundWork& work);
  /// At the end of the round: what is known of the sketches now, and of the round's programs those
  /// that the model may learn from. True when it must forget what it learned before.
  bool noteAnswers(Task& task);
  /// False for a program of a sketch that gave a wrong answer, when its own was never compared.
  bool isTrusted(Task& task, const Record& record);
  /// The claims of the open round that an interruption left unsettled.
  void takeUpClaims(const std::vector<Record>& ofRound);
  /// Measures the boldest claim of the round again, in turns with the best so far (C31). Returns
  /// false when interrupted.
  bool settleClaims(Task& task, const std::atomic<bool>& interrupt, RoundWork& work);
  /// Measures the claimant of `open` again, in turns with the best, and closes the claim.
  bool settle(OpenClaim& open, Task& task, const Record& claim, const std::atomic<bool>& interrupt,
              RoundWork& work);
  bool measurePairs(OpenClaim& open, const Task& task, const Record& claim, const Record& best,
                    int wanted, const std::atomic<bool>& interrupt, RoundWork& work);
  void closeClaim(OpenClaim& of, Task& task, const Record& claim, bool confirmed);
  bool settleDemand(const std::atomic<bool>& interrupt);
  /// With a `demand` (the first one waiting) it is that which was measured.
  void storeResult(Task& task, const Candidate& candidate, const MeasureResult& result,
                   RoundWork& work, const Demand* demand = nullptr);
  Record resultRecord(const Task& task, const Candidate& candidate,
                      const MeasureResult& result) const;
  RoundFinished roundFinished(const Task& task, const Proposal& proposal, const RoundWork& work);
  void endRound(Task& task, const Proposal& proposal, const RoundWork& work);

  /// One transaction: whatever `alsoStore` writes and the events; then the observer hears of them.
  void storeAndTell(const std::vector<Event>& events, const std::function<void()>& alsoStore);
  /// The same where the events are known only when all is stored.
  void storeAndTell(const std::function<std::vector<Event>()>& store);
  void emitProgress(bool always = false);
  void save();
  double wallSeconds() const;
  double totalSeconds() const;

  RecordStore store_;
  Observer observer_;
  SessionRow row_;
  SessionConfig config_;
  std::int64_t programsPerTask_ = 0; // of a collection (collection.h); 0: it is none
  TuningState state_;
  TargetFacts target_;
  SpaceOptions space_;
  std::vector<Task> tasks_;
  std::unique_ptr<SearchPolicy> policy_;
  bool climbs_ = false; // the policy wants the fastest programs
  std::unique_ptr<TaskScheduler> scheduler_;
  std::unique_ptr<CostLearner> learner_;       // null unless the policy wants a cost model
  std::vector<MeasuredProgram> roundPrograms_; // of the open round, for the learner
  std::vector<RowId> retries_;                 // failed tasks to try again since the start
  int measuredInRound_ = 0;                    // before this life of the open round
  std::vector<Record> claims_;                 // of the open round: below the best, within noise
  MeasureFunction measure_;
  PartClock parts_; // from one round's end to the next
  WorkerLaunch launch_;
  std::optional<CommandObeyed> obeying_; // until it is stored
  PhaseGate* gate_ = nullptr;            // of the round under way
  std::optional<SearchPhase> stoppedAfter_;
  std::optional<Proposal> waiting_; // of a round that stopped after a phase
  std::chrono::steady_clock::time_point phaseStart_{};
  std::unique_ptr<Measurer> measurer_;   // workers start with the first round
  std::int64_t trials_ = 0, errors_ = 0; // made, those on demand included
  RowId newestRecord_ = 0;               // that this session stored
  double kernelSeconds_ = 0;
  std::optional<std::chrono::steady_clock::time_point> runningSince_;
  std::chrono::steady_clock::time_point lastProgress_{};
  std::deque<std::chrono::steady_clock::time_point> recentTrials_;
};

} // namespace nestwright
