#pragma once
/// \file A session's past, event by event, as it was told when it ran: the stored events with the
/// records in their places between them. A value, made once and then only read, from any thread.

#include "core/record/rows/trial_row.h"
#include "core/session/run/events.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright {

class RecordStore;

/// Records that a session forgot or restored, of whatever session they are.
struct ForgottenRecords {
  RowId session = 0;
  std::int64_t at = 0; // microseconds since the epoch
  RecordsForgotten what;
};
/// All that the logs of the file tell of that, oldest first.
std::vector<ForgottenRecords> forgottenRecords(const RecordStore& store);

class Timeline {
 public:
  /// Reads the whole session. `progress` hears of the share that is read, 0 to 1, and may return
  /// false to give up: then the result is empty. Throws InputError when the file is damaged; an
  /// event of a kind that this version does not know is left out. Records that were forgotten are
  /// there where some session's log tells of it: they counted until then.
  static Timeline read(const RecordStore& store, RowId session,
                       const std::function<bool(double)>& progress = {});

  /// Events in all; a position is the number of events that have happened.
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// The event that happens as position `index` becomes `index + 1`.
  Event event(std::size_t index) const;
  /// When it was told: seconds on the session's own clock, pauses excluded. Never falls.
  double wallSeconds(std::size_t index) const { return entries_[index].wallSeconds; }
  /// When it was told: microseconds since the epoch; near enough for records.
  std::int64_t at(std::size_t index) const;
  /// How many events were told before that moment, microseconds since the epoch.
  std::size_t toldBefore(std::int64_t at) const;
  /// Records among the first `position` events.
  std::int64_t trials(std::size_t position) const;
  /// The newest record among the first `position` events; 0 for none.
  RowId lastRecord(std::size_t position) const;
  /// The records, with their present times; each happens when its place in the timeline comes.
  const std::vector<CurvePoint>& records() const { return trials_; }
  /// True when the event is a record that went well, as far as was known then: most are.
  bool isGoodTrial(std::size_t index) const;

  /// The position at which everything up to this time has happened.
  std::size_t positionAt(double wallSeconds) const;
  /// Duration of the session, seconds on its own clock.
  double duration() const { return entries_.empty() ? 0 : entries_.back().wallSeconds; }

 private:
  struct Entry {
    double wallSeconds = 0;
    std::uint32_t index = 0; // into trials_ or others_
    bool isTrial = false;
    std::uint32_t trialsBefore = 0;
  };
  struct Other {
    std::int64_t at = 0;
    Event event;
  };
  class Builder;

  std::vector<Entry> entries_;
  std::vector<CurvePoint> trials_;
  std::vector<Other> others_;
  std::unordered_map<RowId, std::string> sentences_; // of records that failed
  std::unordered_map<RowId, double> claimed_;        // seconds at first of records measured again
  std::unordered_map<RowId, double> foundWrong_;     // seconds of records compared afterwards
};

} // namespace nestwright
