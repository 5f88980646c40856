#include "core/story/saved_time.h"

#include "core/measure/time_allowed.h"
#include "core/record/rows/record_query.h"
#include "core/record/store/record_rows.h"
#include "core/result/micro_batches.h"

#include <algorithm>

namespace nestwright {

bool savesTime(const MeasureOptions& options) {
  return options.evaluator.kind == EvaluatorKind::Adaptive || options.evaluator.hopeless > 0;
}

SavedRuns savedRuns(const MeasureOptions& options, const MeasureResult& result) {
  const std::optional<Evaluation>& evaluation = result.evaluation;
  const bool early = evaluation && (evaluation->stopped == StopReason::Steady ||
                                    evaluation->stopped == StopReason::Hopeless);
  if (result.verdict != Verdict::Ok || !early) return {};
  const double run = evaluatedSeconds(evaluation->speed, microBatches(result));
  if (!(run > 0)) return {};
  const Evaluator& evaluator = options.evaluator;
  double time = secondsForBatches(options.runTimeoutSeconds);
  if (evaluator.seconds > 0) time = std::min(time, evaluator.seconds);
  const double all = std::min<double>(evaluator.runs, time / run);
  const double runs = std::max(0.0, all - static_cast<double>(timedRuns(result)));
  return {runs, runs * run};
}

SavedTime savedTime(const RecordStore& store, RowId session, const MeasureOptions& options,
                    SavedTime before, RowId upTo, const std::function<void()>& betweenPages) {
  RecordQuery query;
  query.session = session;
  query.order = RecordQuery::Order::Oldest;
  query.forgotten = RecordQuery::Forgotten::With;
  query.upTo = upTo;
  query.after = before.last;
  query.limit = 1000;
  SavedTime saved = before;
  for (std::vector<Record> page = store.records().page(query); !page.empty();
       page = store.records().page(query)) {
    for (const Record& record : page) {
      const SavedRuns one = savedRuns(options, record.result);
      if (one.runs <= 0) continue;
      saved.seconds += one.seconds;
      saved.runs += one.runs;
      ++saved.measurements;
    }
    query.after = saved.last = page.back().id;
    if (betweenPages) betweenPages();
  }
  return saved;
}

} // namespace nestwright
