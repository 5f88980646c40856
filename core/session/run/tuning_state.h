#pragma once
/// \file What a session must remember between two rounds beside its records, so that a killed
/// session goes on decision by decision (C25): stored as JSON in the session's row before every
/// round.

#include "core/session/run/best_claim.h"
#include "core/session/run/sketch_answers.h"
#include "core/session/run/steering.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A claim to the best that is being measured again: what was found so far.
struct OpenClaim {
  RowId record = 0;
  PairedTimes pairs;
  std::vector<double> repeats; // of the claimant
};

/// How a proposal came to be that was made while the round before it was measured: what is told of
/// its phases when the round begins.
struct MadeAhead {
  std::string sampling, evolution; // sentences
  bool evolved = false;            // else `evolution` says why not
  double seconds = 0;              // that it took, beside the measuring
};

/// The round behind the open one: chosen when that one began, by what was known then, and proposed
/// while it is measured (tuning/rounds_ahead.h).
struct AheadRound {
  RowId task = 0;
  int count = 0;
  std::string chosen;   // the choice as it is told, JSON of a TaskChosen
  std::string proposal; // its candidates (kept_proposal.h); empty until they are there
  MadeAhead made;       // of these
};

/// A round that was begun: its candidates are the proposal from `firstDraw`, so a resumed session
/// proposes the same ones and measures those without a record.
struct OpenRound {
  RowId task = 0;
  std::uint64_t firstDraw = 0;
  int count = 0;
  OpenClaim claim = {}; // record 0 while there is none
  /// The session's trials from this one on are the round's, except those on demand.
  std::int64_t firstTrial = 0;
  int phases = 0; // how many of kSearchPhases are behind it
  /// The task's best when the round began, seconds; 0 while it has none. Candidates below it are
  /// compared, whatever became the best before an interruption.
  double bestSeconds = 0;
  bool polish = false; // its candidates are neighbours of the task's PolishMemory::incumbent
  /// Of a polish of another program than the task's best: the record that was found to be faster
  /// than the incumbent, 0 while none was, and those that were found not to be.
  RowId successor = 0;
  std::vector<RowId> noFaster = {};
  /// What the best takes beside the candidates, seconds, in the fastest of its repeats; 0 while
  /// that was not measured. Its times in the file may be of a moment at which the machine was
  /// slower.
  double bestNow = 0;
  /// Its candidates where they would not be proposed again (kept_proposal.h): by a policy that is
  /// not repeatable, or ahead.
  std::string proposal = {};
  std::optional<MadeAhead> made = {}; // where it was proposed ahead
};

/// A measurement that the user asked for.
struct Demand {
  RowId task = 0;
  NamedProgram program;
};

/// How far the polish of a task's best is (handbook/ansor.md 4.9).
struct PolishMemory {
  RowId incumbent = 0; // the record whose neighbours are measured; 0 before it began
  std::int64_t trials = 0;
  std::string finished; // why it is over; empty while it is not
};

struct TaskMemory {
  std::uint64_t nextDraw = 0;
  std::int64_t rounds = 0;
  double importance = 1;
  std::vector<double> history; // best seconds after each round
  std::string exhausted;       // why no further trials can be made; empty while they can
  bool failed = false; // its naive program cannot be measured, as `exhausted` says; tried again at
                       // the session's next start
  bool lacksTemplate = false; // there is none to search, as `exhausted` says
  /// The file's newest record at the end of each round, so that the history can be made anew when
  /// records are forgotten.
  std::vector<RowId> roundEnds = {};
  TaskMode mode = TaskMode::Free;
  std::string pauseReason = {}; // why it paused itself (stop_rule.h); empty when the user did
  std::int64_t judgedAfter = 0; // the stop rule looks at trials of the session after this one
  std::vector<NamedProgram> seeds = {};
  /// What the session began with (session_seeds.h) and was not measured yet: it comes first.
  std::vector<NamedProgram> first = {};
  /// What the memory knows (memory/session_memory.h) and was not measured yet: the first are
  /// measured, all are parents of the first round.
  std::vector<NamedProgram> remembered = {}, rememberedParents = {};
  PolishMemory polish = {};
  SketchAnswers answers = {};
  std::string policyState = {}; // of the search over a template's configurations
  std::string statePolicy = {}; // the policy that left it: another one begins without
};

/// Rounds in a row in which a policy gave nothing, after which nobody goes on without being told
/// to.
inline constexpr int kMostPolicyFailures = 3;

struct TuningState {
  int round = 0;                // rounds begun
  std::string searchEnded = {}; // why the search is over and only the polish goes on; else empty
  std::map<RowId, TaskMemory> tasks;
  /// Rounds in a row in which the policy's process gave nothing.
  int policyFailures = 0;
  std::optional<OpenRound> open;
  std::optional<AheadRound> ahead; // of this round's number + 1
  std::deque<Demand> demands;      // not measured yet, in order
  OpenClaim demandClaim = {};      // of one that was measured; record 0 while there is none
  std::int64_t demandedTrials = 0; // trials made on demand
};

/// JSON text and back; an empty text is the state of a session that has not begun.
std::string toText(const TuningState& state);
TuningState tuningStateFromText(const std::string& text);

} // namespace nestwright
