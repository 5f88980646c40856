#pragma once
/// \file Rounds that are proposed while the one before is measured (SessionConfig::ahead).
///
/// Round k+1 is chosen when round k begins, and proposed while that is measured: by the cost model,
/// the records and the tasks' progress as they are after round k-1, with the programs of round k as
/// known. The choice is stored with the beginning of round k, the proposal before any claim of that
/// round is settled, so a session that is killed at any moment decides as one that was not (C25).
/// A command that changes what it follows from drops it (dropAhead), and the round is chosen in its
/// turn, as without all this; so do an error while it is proposed, the end of the search, and a
/// task that takes no trials any more.

#include "core/session/run/tuning/phase_log.h"
#include "core/session/run/tuning/polish_phase.h"
#include "core/session/run/tuning/proposing_ahead.h"
#include "core/session/run/tuning/round_size.h"
#include "core/session/run/tuning/run_measurer.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Forgets the round that is chosen ahead, if there is one: of the log's state, for its next
/// save(). Gives what is to be told of it, with that save.
std::vector<Event> dropAhead(RunLog& log, const std::string& why);

/// What is told of its choice when it begins. Throws InputError for a stored text that is none.
TaskChosen choiceOf(const AheadRound& ahead);

class RoundsAhead {
 public:
  RoundsAhead(RunLog& log, TaskBook& tasks, const RunSettings& settings,
              const SessionLearner& learner, const InputGatherer& inputs, const PolishPhase& polish)
      : log_(log), tasks_(tasks), settings_(settings), learner_(learner), inputs_(inputs),
        polish_(polish) {}

  /// Chooses the round behind the open one, of this task and size, where the settings want it; not
  /// stored yet.
  void choose(const TunedTask& task, int count);
  /// Begins to propose it, unless that is done: beside the open round, which measures `proposal`,
  /// some of it before an interruption (`before`).
  void begin(TunedTask& task, const Proposal& proposal, const std::vector<Record>& before);
  /// Whether keep() would not wait, and has something to keep.
  bool isProposed() const { return proposing_ && proposing_->isOver(); }
  /// Waits for the proposal and stores it. False while there is none of the round that was chosen,
  /// since `interrupt` ended it.
  bool keep(const std::atomic<bool>& interrupt);
  /// Ends what was begun and is not kept.
  void abandon() { proposing_.reset(); }
  /// What is kept, as it will be measured.
  std::vector<MeasureRequest> requests() const;

  /// The round that was proposed ahead, if it can begin now; otherwise it is dropped, which is
  /// told.
  std::optional<AheadRound> take();
  /// Drops it, and tells it.
  void drop(const std::string& why);

 private:
  bool isWanted(const TunedTask& task) const;
  /// Why it cannot begin; empty where it can.
  std::string obstacle(const AheadRound& ahead) const;
  void store(ProposedAhead made);
  /// The round under way is none the worse. In its turn the proposal ends the session, if it must.
  void fail(const std::string& why);

  RunLog& log_;
  TaskBook& tasks_;
  const RunSettings& settings_;
  const SessionLearner& learner_;
  const InputGatherer& inputs_;
  const PolishPhase& polish_;
  std::unique_ptr<ProposingAhead> proposing_;
};

} // namespace nestwright
