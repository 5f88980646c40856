#pragma once
/// \file What counts in a session's past once records were forgotten or restored, by it or
/// meanwhile by another session of the file: the bests and counts that whoever follows the session
/// reads from the file at such a moment, for a replay that cannot, and which records were forgotten
/// then.

#include "core/record/rows/record_query.h"
#include "core/session/insight/timeline.h"
#include "core/story/inherited_bests.h"
#include "core/story/session_contents.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace nestwright {

struct LiveState;

struct TrialCount {
  std::int64_t trials = 0, errors = 0;
};

class Forgetting {
 public:
  Forgetting() = default;
  /// Reads what was forgotten and restored, and the verified records of the session's tasks when
  /// that concerns them.
  Forgetting(const RecordStore& store, const SessionContents& contents, const Timeline& timeline);

  /// True when no record of the session's tasks was ever forgotten, as far as the file tells.
  bool empty() const { return !concerned_; }
  /// The bests of earlier sessions when this one began; unless empty().
  const InheritedBests& bestsAtFirst() const { return bestsAtFirst_; }
  /// Trials of the task in earlier sessions, as they counted when this one began.
  TrialCount earlier(RowId task) const;
  /// How often something was forgotten or restored until then: 0 at the beginning.
  std::size_t at(std::size_t position) const;
  /// Where it was for the n-th time: the position after that event.
  std::size_t positionOf(std::size_t times) const { return epochs_[times - 1].position; }
  /// Curves, bests and counts as the file had them at positionOf(times).
  void recount(std::size_t times, const Timeline& timeline, LiveState& state) const;
  /// Marks of then that are not those of now; null where all are the same.
  std::shared_ptr<const OtherMarks> marksAt(std::size_t position) const;
  /// Records of the session that are forgotten now, and no log tells since when.
  std::int64_t untold() const { return untold_; }
  /// The curves alone. `tasks` has the naive times of then.
  TuningHistory historyOf(std::size_t times, const Timeline& timeline,
                          const std::vector<TaskEntry>& tasks) const;

 private:
  struct Epoch {
    std::size_t position = 0;
    std::unordered_set<RowId> forgotten;
    InheritedBests bests;              // of all sessions
    std::vector<RowId> changed;        // tasks
    std::map<RowId, TrialCount> fewer; // by task: of earlier sessions than at the beginning
  };
  struct Eligible {
    RowId session = 0;
    BestPoint point;
  };
  struct Change {
    std::size_t position = 0; // after which it held; kAfterwards: only after the session's end
    RecordsForgotten what;
  };
  static constexpr std::size_t kAfterwards = static_cast<std::size_t>(-1);

  std::vector<Change> changesOf(const RecordStore& store, const Timeline& timeline);
  void readMentioned(const RecordStore& store, const SessionContents& contents,
                     const std::vector<Change>& changes);
  void readEligible(const RecordStore& store, const SessionContents& contents);
  void countEarlier(const RecordStore& store, const SessionContents& contents);
  void addEpoch(Change change, std::unordered_set<RowId>& forgotten,
                const SessionContents& contents, const Timeline& timeline);
  InheritedBests choose(const SessionContents& contents,
                        const std::function<bool(RowId session, const BestPoint&)>& counts) const;
  InheritedBests bestsAt(const Epoch& epoch, const SessionContents& contents,
                         const Timeline& timeline) const;
  std::set<RowId> bestRecords(const SessionContents& contents,
                              const std::function<bool(RowId record)>& forgotten) const;
  void addMarks(std::size_t position, const std::unordered_set<RowId>& forgotten,
                const SessionContents& contents);

  RowId session_ = 0;
  std::map<RowId, TrialCount> earlier_;
  std::vector<Epoch> epochs_;
  InheritedBests bestsAtFirst_;
  std::map<RowId, std::vector<Eligible>> eligible_;    // by task, in the order of records
  std::unordered_map<RowId, std::size_t> confirmedAt_; // claims: position
  std::unordered_map<RowId, Record> mentioned_;        // records, without their steps
  std::unordered_set<RowId> forgottenAtFirst_, never_; // never_: forgotten now, and never counted
  std::set<RowId> bestsNow_;                           // records of the session's tasks
  std::vector<std::pair<std::size_t, std::shared_ptr<const OtherMarks>>> marks_; // by position
  std::int64_t untold_ = 0;
  bool concerned_ = false;
};

} // namespace nestwright
