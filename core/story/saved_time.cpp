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

double secondsSaved(const MeasureOptions& options, const MeasureResult& result) {
  const std::optional<Evaluation>& evaluation = result.evaluation;
  const bool early = evaluation && (evaluation->stopped == StopReason::Steady ||
                                    evaluation->stopped == StopReason::Hopeless);
  if (result.verdict != Verdict::Ok || !early) return 0;
  const double run = evaluatedSeconds(evaluation->speed, microBatches(result));
  const Evaluator& evaluator = options.evaluator;
  double all = std::min(evaluator.runs * run, secondsForBatches(options.runTimeoutSeconds));
  if (evaluator.seconds > 0) all = std::min(all, evaluator.seconds);
  return std::max(0.0, all - static_cast<double>(timedRuns(result)) * run);
}

SavedTime savedTime(const RecordStore& store, RowId session, const MeasureOptions& options,
                    SavedTime before, RowId upTo) {
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
      const double seconds = secondsSaved(options, record.result);
      if (seconds <= 0) continue;
      saved.seconds += seconds;
      saved.runs += options.evaluator.runs - timedRuns(record.result);
      ++saved.measurements;
    }
    query.after = saved.last = page.back().id;
  }
  return saved;
}

} // namespace nestwright
