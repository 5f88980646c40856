#include "core/story/read_story.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/story/inherited_bests.h"

#include <algorithm>
#include <limits>

namespace nestwright {

TuningHistory readHistory(const RecordStore& store, const SessionContents& contents,
                          KeepTrials keep) {
  static constexpr int kPage = 100'000;
  std::vector<TaskRow> rows;
  std::vector<RowId> tasks;
  std::vector<TaskSummary> summaries;
  for (const TaskEntry& task : contents.tasks) {
    rows.push_back(task.row);
    tasks.push_back(task.row.id);
    summaries.push_back(task.summary);
  }
  TuningHistory history;
  history.reset(rows, summaries, contents.scope);
  const RowId session = contents.session.id;
  if (contents.scope == Scope::WholeFile)
    for (const auto& [task, bests] : readInherited(store, session, tasks))
      history.inherit(task, bests);
  std::vector<CurvePoint> page;
  do {
    page = store.trials().curve(session, history.lastTrial(), kPage);
    for (const CurvePoint& point : page)
      history.add(point);
    if (keep == KeepTrials::No) history.dropTrials();
  } while (page.size() == kPage);
  // What others found since its last trial; where it has none yet, it will begin from there.
  history.takeInherited(std::numeric_limits<RowId>::max());
  return history;
}

Predictions readPredictions(const RecordStore& store, RowId session, const TuningHistory& history,
                            int most) {
  RecordQuery query;
  query.session = session;
  query.order = RecordQuery::Order::Newest;
  query.limit = most;
  std::vector<PredictedProgram> programs;
  for (const Record& record : store.records().page(query))
    if (const std::optional<PredictedProgram> program = predictionOf(record))
      programs.push_back(*program);
  std::ranges::reverse(programs);
  Predictions predictions;
  predictions.add(programs);
  predictions.compare(history);
  return predictions;
}

} // namespace nestwright
