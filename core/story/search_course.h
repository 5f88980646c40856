#pragma once
/// \file How a search that learns went, round after round: the plans that it made, what it picked,
/// and how well its cost model fitted. A value that grows event by event.

#include "core/session/run/events.h"
#include "core/story/round_story.h"
#include "core/support/row_id.h"

#include <optional>
#include <vector>

namespace nestwright {

class RecordStore;

struct CourseRound {
  int round = 0;
  RowId task = 0;
  std::optional<PlanLog> plan;  // that was made in this round
  std::optional<int> programs;  // that it picked to be measured
  int atRandom = 0;             // of these: not for what the cost model expects of them
  std::optional<double> recall; // average recall of the model that learned from it, on what it
                                // learned from; of models that tell
  std::size_t learned = 0;      // programs that this model learned from in all

  double randomShare() const; // NaN where nothing was picked
};

class SearchCourse {
 public:
  /// True when the event changed something.
  bool apply(const Event& event);
  /// Ascending.
  const std::vector<CourseRound>& rounds() const { return rounds_; }
  /// Those of one task; of all for 0.
  std::vector<CourseRound> of(RowId task) const;
  /// What had been told when the present round stood so.
  SearchCourse until(const RoundStory& present) const;

 private:
  CourseRound& at(int round, RowId task);
  std::vector<CourseRound> rounds_;
};

/// The rounds that have a plan.
std::vector<CourseRound> plansOf(const SearchCourse& course, RowId task);

/// What the session's events tell in the file.
SearchCourse readCourse(const RecordStore& store, RowId session);

} // namespace nestwright
