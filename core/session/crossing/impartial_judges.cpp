#include "core/session/crossing/impartial_judges.h"

#include "core/record/format/record_program.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_task.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/cost_learner.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// Of each of the two lists: learning from them ten times takes a second or two.
constexpr int kMostPrograms = 400;
/// A model of fewer programs orders others hardly better than chance.
constexpr std::size_t kLeastPrograms = 16;
constexpr std::size_t kMostJudges = 10;

/// What there is to learn from, each program once, oldest first.
std::map<RowId, Record> teachers(const RecordStore& store, const JudgeRequest& request) {
  RecordQuery fastest;
  fastest.session = request.session;
  fastest.task = request.task;
  fastest.order = RecordQuery::Order::Fastest;
  fastest.limit = kMostPrograms;
  RecordQuery newest;
  newest.session = request.session;
  newest.limit = kMostPrograms;
  std::map<RowId, Record> records;
  std::set<std::pair<RowId, std::string>> seen;
  for (const RecordQuery& query : {fastest, newest})
    for (Record& record : store.records().page(query))
      if (!isOfTemplate(record) && seen.emplace(record.task, record.program).second)
        records.emplace(record.id, std::move(record));
  return records;
}

/// Has learned nothing of the session: one that began with a trained model begins with it again.
std::unique_ptr<CostModel> untrained(const SessionConfig& config,
                                     const std::optional<KeptPretrained>& kept) {
  return sessionModel(config, kept ? &*kept : nullptr, kLeastPrograms - 1);
}

/// A learner that has all of them, and has learned nothing yet.
CostLearner gathered(const RecordStore& store, const SessionConfig& config, const TaskRow& task,
                     const std::map<RowId, Record>& records,
                     const std::optional<KeptPretrained>& kept) {
  std::map<RowId, std::pair<TaskRow, ComputeDag>> tasks;
  std::vector<MeasuredProgram> programs;
  for (const auto& [id, record] : records) {
    auto known = tasks.find(record.task);
    if (known == tasks.end()) {
      const TaskRow row = taskOf(store, record);
      known = tasks.emplace(row.id, std::pair(row, parseDag(row.dag))).first;
    }
    const auto& [row, dag] = known->second;
    programs.push_back({row.key, &dag, record.steps, record.program, record.result.latency()});
  }
  const TargetFacts target = targetOf(store, task);
  CostLearner learner(untrained(config, kept), target, featureChoice(config.features, target));
  learner.add(programs);
  return learner;
}

/// Program i is left out by judge i modulo their number. No models when there is too little to
/// learn from.
Judges taught(const CostLearner& all, const SessionConfig& config, const TaskRow& task,
              const JudgeRequest& request, const std::optional<KeptPretrained>& kept) {
  Judges judges;
  std::vector<const CostScorer*> scorers;
  const std::size_t count = std::min(kMostJudges, request.judged.size());
  for (std::size_t judge = 0; judge < count; ++judge) {
    std::set<std::pair<std::string, std::string>> left;
    for (std::size_t i = judge; i < request.judged.size(); i += count)
      left.emplace(task.key, request.judged[i]);
    std::unique_ptr<CostLearner> learner = all.without(left, untrained(config, kept));
    learner->update();
    if (!learner->trained()) return {};
    scorers.push_back(&learner->scorerOf(task.key));
    judges.models.push_back(std::move(learner));
  }
  for (std::size_t i = 0; i < request.judged.size(); ++i)
    judges.of.push_back(scorers[i % count]);
  return judges;
}

} // namespace

Judges impartialJudges(const RecordStore& store, const SessionConfig& config,
                       const JudgeRequest& request) {
  Judges judges;
  try {
    const std::optional<TaskRow> task = store.tasks().one(request.task);
    if (!task) throw InputError(fmt::format("there is no task {} in the file", request.task));
    const std::optional<KeptPretrained> kept =
        keptOf(config, store.models().of(request.session, config.model));
    judges = taught(gathered(store, config, *task, teachers(store, request), kept), config, *task,
                    request, kept);
    if (judges.of.empty())
      judges.refusal =
          fmt::format("a cost model needs {} measured programs beside the parent", kLeastPrograms);
  } catch (const Error& e) { // without its plugin: crosses are as good, only nothing is predicted
    judges.refusal = e.what();
  }
  return judges;
}

} // namespace nestwright
