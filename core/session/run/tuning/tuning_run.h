#pragma once
/// \file The work of a session, without its thread: rounds, one after the other, and measurements
/// on demand between them.

#include "core/session/run/again/measure_again.h"
#include "core/session/run/tuning/answer_checks.h"
#include "core/session/run/tuning/claim_judge.h"
#include "core/session/run/tuning/naive_programs.h"
#include "core/session/run/tuning/phase_log.h"
#include "core/session/run/tuning/polish_phase.h"
#include "core/session/run/tuning/progress_ticker.h"
#include "core/session/run/tuning/rounds_ahead.h"
#include "core/session/run/tuning/session_changes.h"
#include "core/session/run/tuning/trial_recorder.h"
#include "core/worker/quiet.h"

#include <atomic>
#include <optional>
#include <string>

namespace nestwright {

/// One session's search over its tasks. Thread-compatible; owned by the session's thread.
class TuningRun {
 public:
  /// Reads the session from the file: settings, tasks, what was measured, and the open round.
  /// `launch` and `policy` are the person's, of this run.
  TuningRun(RecordStore store, RowId session, RunLog::Observer observer,
            MeasureFunction measure = nullptr, WorkerLaunch launch = {}, PolicyLaunch policy = {});
  TuningRun(const TuningRun&) = delete;
  TuningRun& operator=(const TuningRun&) = delete;

  /// Why the session cannot go on as it is, and the status it enters.
  struct Ending {
    SessionStatus status;
    std::string reason;
    PauseCause cause = PauseCause::None;
  };
  /// When no further round is needed (budget, time, nothing left to try) or possible (the user
  /// paused every task).
  std::optional<Ending> ending() const;

  /// One round: choose a task, propose, measure, store. Returns early, with the round left open,
  /// when `interrupt` becomes true, and after a phase where `gate` says so.
  void round(std::atomic<bool>& interrupt, PhaseGate& gate);
  /// The phase after which the gate ended the last call of round(), if it did.
  std::optional<SearchPhase> stoppedAfter() const { return phases_.stoppedAfter(); }

  /// Where commands are stored and told.
  RunLog& log() { return log_; }
  /// What commands change.
  SessionChanges& changes() { return changes_; }

  bool hasDemands() const;
  /// Makes the measurements that were asked for, until `interrupt`; each that claims to be the best
  /// within noise is settled before the next.
  void measureDemands(const std::atomic<bool>& interrupt);
  /// Stores the status, tells it, and starts or stops the session's clock; while it runs, trainings
  /// on this machine leave it the processors.
  void setStatus(SessionStatus status, const std::string& reason = {},
                 PauseCause cause = PauseCause::None);

 private:
  /// Whether there is something to search for the task; one without takes no trials, and its round
  /// is closed.
  bool hasSpace(TunedTask& task);
  /// Who measures in place of workers: `given`, or the session's recorded machine, whose times pass
  /// on the session's clock; null where workers do.
  MeasureFunction machineOr(MeasureFunction given);
  RoundSize sizeOfRound(const TunedTask& task) const;
  /// Why no further round of the search is to be begun, as far as the budget, what is left to gain
  /// and the tasks tell; empty while one is.
  std::string searchEnd() const;
  /// Begins a round of the polish. False when no task can take one.
  bool beginPolish();
  /// Begins the round that was chosen, and stores that it began. `chosen` says its task and trials.
  bool openRound(TaskChosen chosen, OpenRound open);
  bool openAhead(AheadRound next);
  /// Begins a new round and stores that it began. False when no task can take trials.
  bool beginRound();
  /// The candidates of the open round, in the phases that choose them. None when it was interrupted
  /// or stops there. `before`: the round's records from before an interruption, here and below.
  std::optional<Proposal> chooseCandidates(TunedTask& task, const std::vector<Record>& before,
                                           const std::atomic<bool>& interrupt, RoundWork& work);
  Proposal propose(TunedTask& task, const std::vector<Record>& before,
                   const std::atomic<bool>& interrupt);
  /// Of a policy that would propose something else the next time: what it proposed is stored, and
  /// taken from there. `first` comes before that.
  Proposal proposeOnce(TunedTask& task, const std::vector<Steps>& first, SearchContext& context);
  /// The candidates that the open round has already, in the phases that chose them.
  Proposal proposedAhead(const TunedTask& task);
  /// What is measured of the proposal: what an interruption left.
  std::vector<MeasureRequest> requestsOf(TunedTask& task, const Proposal& proposal,
                                         const std::vector<Record>& before);
  /// Returns false when interrupted before all candidates were measured.
  bool measureCandidates(TunedTask& task, const Proposal& proposal,
                         const std::vector<Record>& before, std::atomic<bool>& interrupt,
                         RoundWork& work);
  void endRound(TunedTask& task, const Proposal& proposal, const RoundWork& work);
  /// The one that was asked for first.
  void measureDemand(const std::atomic<bool>& interrupt);

  RunLog log_;
  RunSettings settings_;
  TaskBook tasks_;
  RunMeasurer measurer_;
  SessionLearner learner_;
  AnswerChecks answers_;
  NaivePrograms naive_;
  ClaimJudge claims_;
  ProgressTicker progress_;
  TrialRecorder recorder_;
  GivenPrograms given_;
  PhaseLog phases_;
  PolishPhase polish_;
  InputGatherer inputs_;
  RoundsAhead ahead_;
  SessionChanges changes_;
  /// Of a round that stopped after a phase. What changes meanwhile makes it void, as it does for a
  /// session that is read from its file again.
  struct Waiting {
    Proposal proposal;
    std::int64_t changes = 0; // SessionChanges::count() when it was made
  };
  std::optional<Waiting> waiting_;
  QuietHold runs_; // for trainings to see, while it does
};

} // namespace nestwright
