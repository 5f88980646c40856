#pragma once
/// \file What counts in a session's past once records were forgotten or restored: the bests and
/// counts that a live document reads from the file at such a moment, for a replay that cannot.

#include "core/session/timeline.h"
#include "ui/contents.h"
#include "ui/inherited.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace nestwright::ui {

struct Moment;

struct TrialCount {
  std::int64_t trials = 0, errors = 0;
};

class Forgetting {
 public:
  Forgetting() = default;
  /// Reads what the session forgot and restored, and the verified records of the tasks concerned.
  Forgetting(const RecordStore& store, const Contents& contents, const Timeline& timeline);

  bool empty() const { return epochs_.empty(); }
  /// The bests of earlier sessions when this one began; unless empty().
  const InheritedBests& bestsAtFirst() const { return bestsAtFirst_; }
  /// Trials of the task in earlier sessions, as they counted when this one began.
  TrialCount earlier(RowId task) const;
  /// How often something was forgotten or restored until then: 0 at the beginning.
  std::size_t at(std::size_t position) const;
  /// Where it was for the n-th time: the position after that event.
  std::size_t positionOf(std::size_t times) const { return epochs_[times - 1].position; }
  /// Curves, bests and counts as the file had them at positionOf(times).
  void recount(std::size_t times, const Timeline& timeline, Moment& moment) const;
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
  void readEligible(const RecordStore& store, const Contents& contents);
  void readMentioned(const RecordStore& store, const Timeline& timeline);
  InheritedBests bestsAt(const Epoch& epoch, const Contents& contents,
                         const Timeline& timeline) const;

  void countEarlier(const RecordStore& store, const Contents& contents);

  RowId session_ = 0;
  std::map<RowId, TrialCount> earlier_;
  std::vector<Epoch> epochs_;
  InheritedBests bestsAtFirst_;
  std::map<RowId, std::vector<Eligible>> eligible_;        // by task, in the order of records
  std::unordered_map<RowId, std::size_t> confirmedAt_;     // claims: position
  std::unordered_map<RowId, Record> mentioned_;            // records, without their steps
  std::unordered_set<RowId> forgottenAtFirst_, elsewhere_; // elsewhere: not by this session
};

} // namespace nestwright::ui
