#pragma once
/// \file What a session stores and tells. Whatever is told is in the file first.

#include "core/record/rows/session_row.h"
#include "core/record/store/store.h"
#include "core/result/measure_result.h"
#include "core/session/run/events.h"
#include "core/session/run/part_clock.h"
#include "core/session/run/tuning_state.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// What a session made so far, measurements on demand included.
struct TrialCounts {
  std::int64_t trials = 0, errors = 0;
  double kernelSeconds = 0;
  RowId newestRecord = 0; // of the file when it was opened, and then of the session
};

/// The session's row with the state that it keeps, its events, the command that is being obeyed,
/// and the session's clock. Thread-compatible.
class RunLog {
 public:
  using Observer = std::function<void(const Event&)>;

  /// Reads the session's row. A session that was killed while it ran is paused: nothing is running
  /// now. Throws InputError.
  RunLog(RecordStore store, RowId session, Observer observer);

  RecordStore& store() { return store_; }
  const RecordStore& store() const { return store_; }
  const SessionRow& row() const { return row_; }
  RowId session() const { return row_.id; }
  /// What save() stores.
  TuningState& state() { return state_; }
  const TuningState& state() const { return state_; }
  const TrialCounts& counts() const { return counts_; }
  /// Trials of the search itself: what the budget is for.
  std::int64_t searchTrials() const { return counts_.trials - state_.demandedTrials; }
  /// A program was run: its time counts.
  void count(const MeasureResult& result) { counts_.kernelSeconds += result.runSeconds; }
  /// The same of a new trial, whose number is returned.
  std::int64_t countTrial(const MeasureResult& result);
  /// That trial is in the file now.
  void noteRecord(RowId record) { counts_.newestRecord = record; }
  /// So many trials that had ended well turned out to be wrong.
  void countWrong(std::int64_t trials) { counts_.errors += trials; }
  /// The session's trials, errors and kernel time, as the file has them.
  void recount(std::int64_t trials, std::int64_t errors, double kernelSeconds);
  /// From one round's end to the next.
  PartClock& parts() { return parts_; }

  /// Obeys the command as `how` says: it is stored and told with the first change, before it, or
  /// alone when nothing changed. When `how` throws, the command was not obeyed and is not stored:
  /// of a start that has to wait for an import, too, the file has only why the session paused.
  void obey(const CommandObeyed& command, const std::function<void()>& how);
  /// Tells that the command that is being obeyed cannot be followed.
  void refuse(const Command& command, const std::string& reason);

  /// One transaction: whatever `alsoStore` writes and the events; then the observer hears of them.
  void storeAndTell(const std::vector<Event>& events, const std::function<void()>& alsoStore);
  /// The same where the events are known only when all is stored.
  void storeAndTell(const std::function<std::vector<Event>()>& store);
  /// The events, with the row and its state.
  void saveAndTell(const std::vector<Event>& events);
  /// Tells what is in the file already, or is not kept.
  void tell(const Event& event) const { observer_(event); }
  /// Stores the row and its state.
  void save();
  /// The row's settings from the next save() on, JSON.
  void setConfig(std::string config) { row_.config = std::move(config); }

  /// The row's status from the next save() on. Starts or stops the session's clock.
  void enter(SessionStatus status);
  bool isRunning() const { return runningSince_.has_value(); }
  /// Of running, in seconds: the session's clock.
  double wallSeconds() const;
  /// So many seconds count as passed, of what a recorded machine did not do.
  void advance(double seconds);
  /// The clock stands while others have the machine, and goes on; the status is the same.
  void hold();
  void goOn();
  /// What passed since the clock showed so many seconds is not counted.
  void setBack(double wallSeconds);

 private:
  RecordStore store_;
  Observer observer_;
  SessionRow row_;
  TuningState state_;
  TrialCounts counts_;
  PartClock parts_;
  std::optional<CommandObeyed> obeying_; // until it is stored
  std::optional<std::chrono::steady_clock::time_point> runningSince_;
};

} // namespace nestwright
