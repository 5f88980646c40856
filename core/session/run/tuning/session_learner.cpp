#include "core/session/run/tuning/session_learner.h"

#include "core/plugin/plugin.h"
#include "core/record/store/model_rows.h"
#include "core/session/run/tuning/session_records.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <set>
#include <unordered_set>

namespace nestwright {

void SessionLearner::follow() {
  if (!settings_.learns)
    learner_.reset();
  else if (!learner_)
    load();
}

ModelUpdated SessionLearner::learn(const std::vector<Record>& ofRound, bool anew) {
  NW_ASSERT(learner_, "a session without a cost model has nothing that could learn");
  const InPart training(log_.parts(), RoundPart::Training);
  const auto start = std::chrono::steady_clock::now();
  std::vector<MeasuredProgram> programs;
  for (const Record& record : ofRound)
    if (tasks_.isTrusted(tasks_.of(record.task), record))
      programs.push_back(measuredProgram(record));
  ModelUpdated event;
  event.round = log_.state().round;
  event.trained = learner_->trained();
  const RankQuality quality = learner_->quality(programs);
  event.ranked = quality.programs;
  event.rankAccuracy = quality.rankAccuracy;
  event.rankCorrelation = quality.rankCorrelation;
  if (anew) load(false);
  learner_->add(programs);
  const UpdateReport report = learner_->update();
  event.programs = report.programs;
  event.kind = name(report.kind);
  event.reason = report.reason;
  event.seconds = secondsSince(start);
  return event;
}

void SessionLearner::store(bool anew) {
  if (learner_ && learner_->trained())
    log_.store().models().save(log_.session(), settings_.config.model, learner_->save());
  else if (anew)
    log_.store().models().drop(log_.session());
}

void SessionLearner::reload() {
  if (learner_) load();
}

void SessionLearner::forget(const std::vector<std::pair<RowId, std::string>>& programs) {
  if (!learner_) return;
  std::set<std::pair<std::string, std::string>> gone;
  bool again = false;
  for (const auto& [id, program] : programs) {
    const TunedTask& task = tasks_.of(id);
    again |= task.measured.contains(program); // in another record
    gone.emplace(task.row.key, program);
  }
  if (again)
    load();
  else
    learner_->remove(gone);
}

void SessionLearner::load(bool known) {
  const SessionConfig& config = settings_.config;
  const RecordStore& store = log_.store();
  auto learner = std::make_unique<CostLearner>(costModel(config.model, {{"warmup", config.warmup}}),
                                               settings_.target,
                                               featureChoice(config.features, settings_.target));
  std::unordered_set<RowId> ofOpenRound; // learned when the round ends, as without interruption
  if (const std::optional<OpenRound>& open = log_.state().open)
    for (const Record& record : recordsOfRound(store, log_.session(), *open, log_.counts().trials))
      ofOpenRound.insert(record.id);
  RecordQuery query;
  query.session = log_.session();
  forEachPage(store, query, [&](const std::vector<Record>& page) {
    std::vector<MeasuredProgram> programs;
    for (const Record& record : page)
      if (!record.onDemand && !ofOpenRound.contains(record.id) &&
          tasks_.isTrusted(tasks_.of(record.task), record))
        programs.push_back(measuredProgram(record));
    learner->add(programs);
  });
  if (known)
    if (const std::optional<std::string> bytes = store.models().of(log_.session(), config.model))
      learner->load(*bytes);
  learner_ = std::move(learner);
}

MeasuredProgram SessionLearner::measuredProgram(const Record& record) {
  const TunedTask& task = tasks_.of(record.task);
  return {task.row.key, &task.dag, record.steps, record.program, record.result.median()};
}

} // namespace nestwright
