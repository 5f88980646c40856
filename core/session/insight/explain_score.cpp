#include "core/session/insight/explain_score.h"

#include "core/dataset/feature_options.h"
#include "core/plugin/plugin.h"
#include "core/record/format/record_program.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_task.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/search/search_policy.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace nestwright {

namespace {

/// The throughput of the record over that of the fastest program of its session and task.
std::optional<double> measuredShare(const RecordStore& store, const Record& record) {
  if (record.result.verdict != Verdict::Ok) return std::nullopt;
  RecordQuery query;
  query.task = record.task;
  query.session = record.session;
  query.verdict = Verdict::Ok;
  query.order = RecordQuery::Order::Fastest;
  query.limit = 1;
  const std::vector<Record> fastest = store.records().page(query);
  if (fastest.empty()) return std::nullopt; // all are forgotten, this one too
  return fastest.front().result.latency() / record.result.latency();
}

} // namespace

ProgramFeatures readFeatures(const RecordStore& store, const Record& record, FeatureChoice choice) {
  const TaskRow task = taskOf(store, record);
  const ComputeDag dag = parseDag(task.dag);
  const ProgramFeatureOptions options = programFeatureOptions(choice, targetOf(store, task));
  return programFeatures(recordState(dag, record), options);
}

SavedModel savedModel(const RecordStore& store, RowId session) {
  const SessionConfig config = configOf(sessionRow(store, session));
  if (config.space == SearchSpace::Templates)
    throw InputError(fmt::format("session {} of {} scores configurations of templates, by a cost "
                                 "model of each task that sees whole loop nests and not the "
                                 "statements of which a score could be told",
                                 session, store.path()));
  const std::optional<std::string> bytes = store.models().of(session, config.model);
  if (!bytes)
    throw InputError(fmt::format(
        "session {} of {} has no cost model that could explain a score: {}", session, store.path(),
        learnsModel(config.policy)
            ? fmt::format("it learns one once {} of its programs ran", config.warmup)
            : fmt::format("the policy \"{}\" learns none; tune with --policy evolutionary",
                          config.policy)));
  const std::vector<TaskRow> tasks = store.sessions().tasks(session);
  if (tasks.empty()) // in a damaged file
    throw InputError(fmt::format("session {} of {} has no tasks", session, store.path()));
  const TargetFacts target = targetOf(store, tasks.front()); // as of all others
  return {savedSessionModel(config, *bytes), featureChoice(config.features, target)};
}

ExplainedScore explainScore(const RecordStore& store, const Record& record) {
  return explainScore(store, record, savedModel(store, record.session));
}

ExplainedScore explainScore(const RecordStore& store, const Record& record,
                            const SavedModel& saved) {
  ExplainedScore result;
  result.shown = readFeatures(store, record, saved.features);
  FeatureTable table(result.shown.choice.columns());
  table.add(result.shown.values);
  const CostModel& model = saved.model->ofTask(taskOf(store, record).key);
  result.explanation = model.explain(table, 0);
  result.ranking = model.ranking();
  if (!std::isfinite(result.explanation.score))
    throw InputError(fmt::format("the program of record {} has no features to score", record.id));
  result.attention = model.attention(table, 0);
  if (const std::optional<Trace> trace = traceOf(record))
    result.predictedBefore = trace->predictedScore;
  result.measured = measuredShare(store, record);
  return result;
}

std::vector<Contribution> contributions(const Explanation& explanation) {
  std::vector<Contribution> list;
  const std::vector<double> sums = explanation.byFeature();
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] != 0) list.push_back({i, sums[i]});
  std::ranges::stable_sort(list, std::greater(),
                           [](const Contribution& c) { return std::abs(c.added); });
  return list;
}

double biasOf(const Explanation& explanation) {
  return std::accumulate(explanation.bias.begin(), explanation.bias.end(), 0.0);
}

} // namespace nestwright
