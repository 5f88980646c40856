#pragma once
/// \file What a session tells: plain structs, delivered to observers and kept in the file.
/// Everything the window shows comes from these or from the store.

#include "core/record/rows/session_status.h"
#include "core/result/measure_result.h"
#include "core/search/policy_talk.h"
#include "core/search/search_log.h"
#include "core/search/search_phase.h"
#include "core/session/run/command.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/target/environment.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nestwright {

/// The session entered a state. `reason` says why, in words, when it paused, ended or failed.
struct StateChanged {
  SessionStatus status = SessionStatus::Ready;
  std::string reason;
  PauseCause cause = PauseCause::None;
};

/// The scheduler gave the next round to a task, with the terms behind it (C38).
struct TaskChosen {
  RowId task = 0;
  int round = 0;
  std::string reason;               // in words
  std::vector<GradientTerms> terms; // of all tasks, where the scheduler uses them
  bool byGradient = false;          // the lowest of the terms decided
  bool amongPinned = false;         // only pinned tasks were to choose from
  int trials = 0;                   // that the round may measure; 0: not told
  std::string whyFewer = {};        // than a round may have; empty where it has as many
};

/// The naive program of a task was measured.
struct NaiveMeasured {
  RowId task = 0;
  double seconds = 0;
};

/// One trial ended; its record is durable.
struct Measured {
  RowId record = 0;
  RowId task = 0;
  std::int64_t trial = 0;
  Verdict verdict = Verdict::Ok;
  double seconds = 0;     // median; infinity for an error
  double wallSeconds = 0; // since the session's start, pauses excluded
  std::string sentence;   // for an error
  bool onDemand = false;  // the user asked for it; no part of a round
  RowId original = 0;     // the record whose program was measured again
};

/// A verified program became its task's best.
struct NewBest {
  RowId task = 0;
  RowId record = 0;
  std::int64_t trial = 0;
  double seconds = 0, previousSeconds = 0;
  double totalSeconds = 0; // the weighted total over all tasks, infinity until each has a best
  double wallSeconds = 0;
};

/// Where a round's time went (C12), seconds. `samplingSeconds`, `measureSeconds`, `trainSeconds`
/// and `storeSeconds` add up to the round's time; the others say more about a part of it.
struct RoundFinished {
  RowId task = 0;
  int round = 0;
  int trials = 0;
  double samplingSeconds = 0; // choosing what to measure, evolution included
  double measureSeconds = 0;  // building and timing
  double kernelSeconds = 0;   // of measuring: inside kernels
  double buildSeconds = 0;    // spent by all builders together
  double storeSeconds = 0, wallSeconds = 0;
  double trainSeconds = 0; // features of what was measured, and learning from it
  // Of samplingSeconds:
  double evolutionSeconds = 0; // making programs from others
  double featureSeconds = 0, predictSeconds = 0;
  double compileSeconds = 0; // of measureSeconds: before the first program could be timed
  /// Its proposal took so long beside the measuring of the round before it: nobody waited for that,
  /// and it is no part of the others.
  double besideSeconds = 0;
};

/// The cost model learned from a round (C39).
struct ModelUpdated {
  int round = 0;
  std::size_t programs = 0;   // learned from in all
  std::string kind;           // "full", "incremental" or "skipped"
  std::string reason;         // why this kind
  bool trained = false;       // predictions were in use for this round
  double rankAccuracy = 0;    // of the round's programs before learning from them; 0.5 is chance
  std::size_t ranked = 0;     // programs that the accuracy is of
  double seconds = 0;         // spent on features and learning
  double rankCorrelation = 0; // Kendall's tau-b of the same programs
  RowId task = 0;             // of which it is the model; 0: of all of the session
  double averageRecall = 0;   // at a plan's size, of what it learned from; 0: not told
  std::string ranking = {};   // which parts of it ranked the round (CostModel::ranking)
  /// What of the steps of the programs that were measured so far it does not know or see, a
  /// sentence: told once, in the round in which there is the first of it.
  std::string unseen = {};
};

/// A search over a template's configurations chose those that come next.
struct ConfigsPlanned {
  RowId task = 0;
  int round = 0;
  PlanLog plan;
};

/// The user's multiplier of a task's weight changed.
struct ImportanceChanged {
  RowId task = 0;
  double importance = 1;
};

/// Sampling found nothing (more) for a task (C5), or its naive program cannot be measured: it takes
/// no further trials, in the latter case until its naive program was measured after all.
struct TaskExhausted {
  RowId task = 0;
  std::string reason;
};

/// Where one of the session's networks stands, seconds; see NetworkTotals.
struct NetworkProgress {
  double totalSeconds = 0, naiveSeconds = 0; // infinity until complete
  double presentSeconds = 0;                 // naive where nothing better is known
};

/// A few times per second while running: the numbers of a status bar.
struct Progress {
  std::int64_t trials = 0, errors = 0, budget = 0;
  double wallSeconds = 0, kernelSeconds = 0;
  double trialsPerSecond = 0; // over the last half minute
  double secondsLeft = 0;     // estimate; infinity when unknown
  double totalSeconds = 0;    // weighted total of the bests; infinity until complete
  double naiveTotalSeconds = 0;
  double objective = 0; // its present value; seconds, or minus the mean speed-up for f3
  std::vector<NetworkProgress> networks{}; // in the session's order
};

/// A program that was measured below the best so far, within noise, was measured again in turns
/// with that best (C31).
struct ClaimSettled {
  RowId task = 0;
  RowId record = 0;
  std::int64_t trial = 0;
  int pairs = 0; // of measurements, until it was clear
  bool confirmed = false;
  double claimedSeconds = 0, seconds = 0; // at first, and of all repeats
  double bestSeconds = 0;                 // of the best so far
};

/// A sketch of the task gave a wrong answer, and those of its other programs that nobody had
/// compared with the naive program were compared now.
struct AnswersCompared {
  RowId task = 0;
  std::vector<int> sketches;        // -1: programs of none
  std::int64_t compared = 0;        // programs
  std::vector<RowId> wrong;         // records whose verdict became "wrong answer"
  std::vector<std::int64_t> trials; // of those
};

/// The user paused, pinned or freed a task, or it paused itself (stop_rule.h).
struct TaskModeChanged {
  RowId task = 0;
  TaskMode mode = TaskMode::Free;
  std::string reason = {}; // why it paused itself; empty when the user did
};

/// Budgets, objective or search options were changed, from the next choice on.
struct SettingsChanged {
  std::string what;   // in words
  std::string config; // the whole new SessionConfig, JSON
  std::string before; // the one until then
};

/// The user gave the search of a task a program to start from, or took it back.
struct SeedChanged {
  RowId task = 0;
  RowId record = 0; // 0: given as steps
  std::string program;
  bool added = true;
};

/// The user asked for a measurement; it comes before the next round.
struct MeasureDemanded {
  RowId task = 0;
  RowId record = 0; // 0: given as steps
  std::string program;
};

/// The user forgot records, or took that back; bests are those without them.
struct RecordsForgotten {
  std::vector<RowId> records; // whose mark changed
  bool forgotten = true;
};

/// A command was obeyed: told before whatever it changed, and stored with it.
struct CommandObeyed {
  Command command;
  Sender sender = Sender::Program;
  bool changed = true; // false: all was so already, and nothing else tells of it
};

/// A command could not be followed and changed nothing. Not kept in the file.
struct CommandRefused {
  Command command;
  std::string reason;
};

/// A phase of the round ended, or was left out.
struct PhaseFinished {
  RowId task = 0;
  int round = 0;
  SearchPhase phase = SearchPhase::Sketches;
  bool skipped = false;
  double seconds = 0;
  std::string sentence; // what came out, or why it was left out
};

/// One of the programs that a round measures.
struct SelectedCandidate {
  std::string program; // programId
  Origin origin = Origin::Unknown;
  PickReason selection = PickReason::None;
  std::optional<double> score;
};

/// What a round measures, in the order of measuring.
struct CandidatesSelected {
  RowId task = 0;
  int round = 0;
  std::vector<SelectedCandidate> candidates;
};

/// From here on the session pauses after each phase, or no longer does.
struct SteppingChanged {
  bool on = false;
};

/// The state of the machine when the session began to measure, or went on (C33).
struct EnvironmentChecked {
  std::vector<EnvironmentFinding> findings;
};

/// What a policy in a process of its own was told in a round, and what it said
/// (handbook/policies.md).
struct PolicyTalked {
  RowId task = 0;
  PolicyTalk talk;
};

/// A round that was proposed while the one before it was measured is chosen and proposed anew.
struct ProposalDropped {
  RowId task = 0;
  int round = 0;
  std::string reason;
};

using Event = std::variant<StateChanged, TaskChosen, NaiveMeasured, Measured, NewBest,
                           RoundFinished, ImportanceChanged, TaskExhausted, Progress, ModelUpdated,
                           ClaimSettled, TaskModeChanged, SettingsChanged, SeedChanged,
                           MeasureDemanded, RecordsForgotten, CommandRefused, PhaseFinished,
                           CandidatesSelected, SteppingChanged, EnvironmentChecked, AnswersCompared,
                           CommandObeyed, ConfigsPlanned, PolicyTalked, ProposalDropped>;

/// "measured", "new best", ...: the kind under which the event is stored.
const char* kind(const Event& event);
nlohmann::json toJson(const Event& event);
/// Whether it is the kind of an event that this version knows.
bool isEventKind(std::string_view kind);
/// The inverse of toJson(). Throws InputError for an unknown kind and for what is no such event.
Event eventFromJson(const std::string& kind, const nlohmann::json& json);

} // namespace nestwright
