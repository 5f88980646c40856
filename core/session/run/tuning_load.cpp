#include "core/plugin/plugin.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/collection.h"
#include "core/session/run/session_rows.h"
#include "core/session/run/tuning_run.h"
#include "core/session/schedule/network_totals.h"
#include "core/session/schedule/similarity.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright {

TuningRun::TuningRun(RecordStore store, RowId session, Observer observer, MeasureFunction measure,
                     WorkerLaunch launch)
    : store_(std::move(store)), observer_(std::move(observer)), measure_(std::move(measure)),
      launch_(std::move(launch)) {
  row_ = sessionRow(store_, session);
  const nlohmann::json config = configJson(row_);
  config_ = sessionConfigFromJson(config);
  programsPerTask_ = collectionPartFromJson(config).value_or(CollectionPart{}).programsPerTask;
  state_ = tuningStateFromText(row_.schedulerState);
  loadTasks();
  loadTarget();
  countTrials();
  RecordQuery newest;
  newest.forgotten = RecordQuery::Forgotten::With;
  newest.limit = 1;
  for (const Record& record : store_.records().page(newest))
    newestRecord_ = record.id;
  // A killed session stored its last trial, but not the time until then in its own row.
  row_.wallSeconds = std::max(row_.wallSeconds, store_.trials().last(row_.id).second);
  makePolicies();
  // A session that was killed while it ran is paused: nothing is running now.
  if (row_.status == SessionStatus::Running) row_.status = SessionStatus::Paused;
}

void TuningRun::loadTasks() {
  const std::vector<SessionNetwork> networks = store_.sessions().networks(row_.id);
  for (const TaskRow& row : store_.sessions().tasks(row_.id)) {
    Task task;
    task.row = row;
    for (const SessionNetwork& network : networks)
      task.weights.push_back(weightIn(network, row.id));
    task.dag = parseDag(row.dag);
    task.similarityTag = similarityTag(task.dag);
    loadResults(task);
    tasks_.push_back(std::move(task));
  }
  if (tasks_.empty())
    throw InputError(fmt::format("session {} of {} has no tasks to tune", row_.id, store_.path()));
}

void TuningRun::loadResults(Task& task) {
  const TaskSummary summary = store_.tasks().summary(task.row.id);
  task.bestSeconds = summary.bestRecord ? summary.bestSeconds : kInfinity;
  task.naiveSeconds = summary.naiveSeconds;
  task.measured.clear();
  for (std::string& program : store_.trials().measuredPrograms(row_.id, task.row.id))
    task.measured.insert(std::move(program));
}

void TuningRun::loadTarget() {
  for (const TargetRow& row : store_.targets().all())
    if (row.id == tasks_.front().row.target) target_ = factsOf(row);
  // Records of two machines must not mix in one task (C28).
  if (!measure_) {
    const TargetFacts here = backend(target_.backend).target(config_.measure.threads);
    if (here.id() != target_.id())
      throw InputError(
          fmt::format("this session tunes for {} and cannot go on on this machine, {}; "
                      "start a new session here",
                      target_.text(), here.text()));
  }
  space_.target = target_;
}

void TuningRun::countTrials() {
  kernelSeconds_ = store_.sessions().summary(row_.id).kernelSeconds;
  trials_ = store_.trials().last(row_.id).first;
  errors_ = 0;
  for (Task& task : tasks_)
    task.trials = task.errors = 0;
  std::int64_t after = 0;
  constexpr int kPage = 100000;
  for (bool more = true; more;) {
    const std::vector<CurvePoint> page = store_.trials().curve(row_.id, after, kPage);
    for (const CurvePoint& point : page) {
      Task& task = taskOf(point.task);
      task.trials += point.onDemand ? 0 : 1;
      if (point.verdict != Verdict::Ok) {
        ++task.errors;
        ++errors_;
      }
      after = point.trial;
    }
    more = page.size() == kPage;
  }
}

void TuningRun::loadLearner(bool known) {
  learner_ = std::make_unique<CostLearner>(costModel(config_.model, {{"warmup", config_.warmup}}),
                                           target_, featureChoice(config_.features));
  std::unordered_set<RowId> ofOpenRound; // learned when the round ends, as without interruption
  if (state_.open)
    for (const Record& record : recordsOfRound(*state_.open))
      ofOpenRound.insert(record.id);
  RecordQuery query;
  query.session = row_.id;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 1000;
  for (bool more = true; more;) {
    const std::vector<Record> page = store_.records().page(query);
    std::vector<MeasuredProgram> programs;
    for (const Record& record : page)
      if (!record.onDemand && !ofOpenRound.contains(record.id) &&
          isTrusted(taskOf(record.task), record))
        programs.push_back(measuredProgram(record));
    learner_->add(programs);
    more = static_cast<int>(page.size()) == query.limit;
    if (more) query.after = page.back();
  }
  if (!known) return;
  if (const std::optional<std::string> bytes = store_.models().of(row_.id, config_.model))
    learner_->load(*bytes);
}

MeasuredProgram TuningRun::measuredProgram(const Record& record) {
  const Task& task = taskOf(record.task);
  return {task.row.key, &task.dag, record.steps, record.program, record.result.median()};
}

std::vector<Record> TuningRun::recordsOfRound(const OpenRound& open) const {
  RecordQuery newest;
  newest.task = open.task;
  newest.session = row_.id;
  newest.limit = open.firstTrial > 0 ? static_cast<int>(trials_ - open.firstTrial + 1) : open.count;
  std::vector<Record> records = store_.records().page(newest);
  std::erase_if(records, [&](const Record& record) {
    if (open.firstTrial > 0) return record.trial < open.firstTrial || record.onDemand;
    const std::optional<Trace> trace = traceOf(record);
    return !trace || trace->draw < open.firstDraw;
  });
  std::reverse(records.begin(), records.end());
  return records;
}

} // namespace nestwright
