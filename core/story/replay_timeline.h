#pragma once
/// \file A session's past that can be looked up at any moment: its timeline with checkpoints
/// between which little happens. Making it takes long; it never changes once made.

#include "core/session/insight/timeline.h"
#include "core/story/forgetting.h"
#include "core/story/live_state.h"

#include <functional>
#include <vector>

namespace nestwright {

/// All that is known of a session, as it was after the first `position` events.
struct Moment {
  std::size_t position = 0;
  LiveState state;
};

class ReplayTimeline {
 public:
  /// Events between two checkpoints.
  static constexpr std::size_t kStride = 8192;

  /// Reads the session. `contents` is what the file says of it now. `progress` as for
  /// Timeline::read; when it gives up, the past is empty.
  ReplayTimeline(const RecordStore& store, const SessionContents& contents,
                 const std::function<bool(double)>& progress = {});

  const Timeline& events() const { return timeline_; }
  /// The state at this position; a million events back or forth cost milliseconds.
  Moment at(std::size_t position) const;
  /// Positions at which a round begins: the scheduler's choice is the next event.
  std::size_t previousRound(std::size_t position) const;
  std::size_t nextRound(std::size_t position) const;
  /// True when records were forgotten or restored on the way from one position to a later one: then
  /// more changes than the events between them tell.
  bool recountsBetween(std::size_t from, std::size_t to) const {
    return forgetting_.at(from) != forgetting_.at(to) || marksAt(from) != marksAt(to);
  }
  /// Marks of records that were not then what they are now; null where all were the same.
  std::shared_ptr<const OtherMarks> marksAt(std::size_t position) const {
    return forgetting_.marksAt(position);
  }
  /// See Forgetting::untold().
  std::int64_t untold() const { return forgetting_.untold(); }
  /// What the status bar says at this position, besides what the events told.
  /// `maxSeconds`: the time budget of then; 0: none.
  Progress progressAt(std::size_t position, const Progress& before, double maxSeconds) const;

 private:
  struct Checkpoint {
    LiveState state; // without its history, which was
    TuningHistory::Extent extent;
  };
  LiveState beginning(const RecordStore& store, const SessionContents& contents) const;
  void checkpoint(LiveState& state);
  /// The history at a checkpoint after records were forgotten.
  TuningHistory recounted(const Checkpoint& from, std::size_t position) const;
  void apply(std::size_t index, LiveState& state) const;

  Timeline timeline_;
  Forgetting forgetting_;
  TuningHistory history_; // of the whole session, or until records were forgotten
  std::vector<Checkpoint> checkpoints_;
  std::vector<std::size_t> rounds_; // positions
};

} // namespace nestwright
