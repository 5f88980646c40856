#include "core/session/run/tuning/session_learner.h"

#include "core/plugin/plugin.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/record_pages.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/tuning/kept_models.h"
#include "core/session/run/tuning/session_records.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <fmt/ranges.h>
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

ModelUpdated SessionLearner::learn(TunedTask& task, const std::vector<Record>& ofRound, bool anew) {
  NW_ASSERT(learner_, "a session without a cost model has nothing that could learn");
  const InPart training(log_.parts(), RoundPart::Training);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Record> records = trusted(task, ofRound);
  ModelUpdated event;
  event.round = log_.state().round;
  event.trained = learner_->trained(task);
  event.ranking = learner_->ranking(task);
  if (settings_.onTemplates()) event.task = task.row.id;
  const RankQuality quality = learner_->quality(task, records);
  event.ranked = quality.programs;
  event.rankAccuracy = quality.rankAccuracy;
  event.rankCorrelation = quality.rankCorrelation;
  if (anew) load(false);
  if (anew && settings_.onTemplates()) // each has a model of its own
    for (TunedTask& other : tasks_.tasks())
      if (other.row.id != task.row.id) learner_->update(other);
  const bool wasTold = !learner_->unseen().empty();
  learner_->add(task, records);
  if (!wasTold) event.unseen = learner_->unseen();
  const UpdateReport report = learner_->update(task);
  event.programs = report.programs;
  event.kind = name(report.kind);
  event.reason = report.reason;
  event.averageRecall = report.trainingRecall;
  event.seconds = secondsSince(start);
  return event;
}

void SessionLearner::store(bool anew) {
  const std::string model = learner_ ? learner_->save() : std::string();
  if (!model.empty())
    log_.store().models().save(log_.session(), settings_.config.model, model);
  else if (anew)
    forgetModel();
}

std::optional<std::string> SessionLearner::kept() const {
  const SessionConfig& config = settings_.config;
  std::optional<std::string> bytes = log_.store().models().of(log_.session(), config.model);
  if (!bytes && !config.history.empty())
    throw InputError(fmt::format("the cost model of session {} learned from {} before the session "
                                 "began, and its file has lost what that taught; start a new one",
                                 log_.session(), fmt::join(config.history, ", ")));
  if (!bytes && !config.pretrained.empty())
    throw InputError(fmt::format("session {} began with the trained model {}, and its file has "
                                 "lost that; start a new one",
                                 log_.session(), config.pretrained));
  if (!bytes && config.memoryModel)
    throw InputError(fmt::format("session {} began with a cost model that its memory taught, and "
                                 "its file has lost that; start a new one",
                                 log_.session()));
  return bytes;
}

void SessionLearner::forgetModel() {
  const SessionConfig& config = settings_.config;
  if (beginsTrained(config))
    return log_.store().models().save(log_.session(), config.model,
                                      toBytes(KeptPretrained{keptPretrained(*kept()).file, {}}));
  if (config.history.empty()) return log_.store().models().drop(log_.session());
  KeptModels models = keptModels(*kept());
  models.models.clear();
  log_.store().models().save(log_.session(), config.model, toBytes(models));
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

std::unique_ptr<RecordLearner>
SessionLearner::untaught(const std::optional<std::string>& kept) const {
  return settings_.onTemplates() ? configLearners(settings_, tasks_)
                                 : programLearner(settings_, kept);
}

std::vector<Record> SessionLearner::trusted(TunedTask& task, const std::vector<Record>& records) {
  std::vector<Record> trusted;
  for (const Record& record : records)
    if (record.task == task.row.id && tasks_.isTrusted(task, record)) trusted.push_back(record);
  return trusted;
}

void SessionLearner::load(bool known) {
  const RecordStore& store = log_.store();
  const std::optional<std::string> bytes = kept();
  std::unique_ptr<RecordLearner> learner = untaught(bytes);
  std::unordered_set<RowId> ofOpenRound; // learned when the round ends, as without interruption
  if (const std::optional<OpenRound>& open = log_.state().open)
    for (const Record& record : recordsOfRound(store, log_.session(), *open, log_.counts().trials))
      ofOpenRound.insert(record.id);
  RecordQuery query;
  query.session = log_.session();
  forEachPage(store, query, [&](std::vector<Record> page) {
    std::erase_if(page, [&](const Record& record) {
      return record.onDemand || ofOpenRound.contains(record.id);
    });
    // In the order of their trials, whichever tasks they are of.
    for (std::size_t i = 0, end = 0; i < page.size(); i = end) {
      while (end < page.size() && page[end].task == page[i].task)
        ++end;
      TunedTask& task = tasks_.of(page[i].task);
      learner->add(task, trusted(task, {page.begin() + std::ptrdiff_t(i),
                                        page.begin() + std::ptrdiff_t(end)}));
    }
  });
  if (bytes && known) learner->load(*bytes);
  if (bytes && !known) learner->loadHistory(*bytes);
  learner_ = std::move(learner);
}

} // namespace nestwright
