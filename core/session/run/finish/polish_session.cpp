#include "core/session/run/finish/polish_session.h"

#include "core/measure/worker_target.h"
#include "core/plugin/target_named.h"
#include "core/record/format/record_program.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/record_pages.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/memory/memory_source.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/memory/taught_model.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning_state.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/version.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nestwright {

namespace {

/// With a session's settings: the record that it began with.
constexpr const char* kPolishedKey = "polished_record";

/// The record that it begins with.
Record firstIncumbent(const RecordStore& store, const PolishWish& wish) {
  if (wish.record != 0) {
    std::optional<Record> record = store.records().one(wish.record);
    if (!record)
      throw InputError(fmt::format("there is no record {} in {}", wish.record, store.path()));
    if (record->result.verdict != Verdict::Ok)
      throw InputError(fmt::format("the program of record {} did not run: a polish begins with one "
                                   "that does",
                                   wish.record));
    return std::move(*record);
  }
  if (!store.tasks().one(wish.task))
    throw InputError(fmt::format("there is no task {} in {}; `nestwright db stats {}` lists them",
                                 wish.task, store.path(), store.path()));
  std::optional<Record> best = store.records().best(wish.task);
  if (!best)
    throw InputError(fmt::format("task {} has no best program yet: tune it first", wish.task));
  return std::move(*best);
}

double secondsOf(const Record& record) {
  return record.result.verdict == Verdict::Ok ? record.result.latency() : kInfinity;
}

/// What a polish begins with.
struct Beginning {
  Record incumbent;
  TaskRow task;
  ComputeDag dag;
  TargetFacts target;
};

Beginning beginningOf(const RecordStore& store, const PolishWish& wish) {
  Record incumbent = firstIncumbent(store, wish);
  if (isOfTemplate(incumbent))
    throw InputError("the program is one of a template, whose decisions are its knobs: a polish "
                     "changes programs of sketches");
  TaskRow task = *store.tasks().one(incumbent.task);
  std::optional<ComputeDag> dag = dagIfKnown(task);
  if (!dag) throw InputError(fmt::format("nobody told what {} computes", task.name));
  TargetFacts target = targetOf(store, task);
  return {std::move(incumbent), std::move(task), std::move(*dag), std::move(target)};
}

/// The settings of the record's session; nothing where its records come from logs.
std::optional<SessionConfig> settingsOf(const RecordStore& store, const Record& record) {
  const std::optional<SessionRow> session = store.sessions().one(record.session);
  if (!session || isImport(*session)) return std::nullopt;
  try {
    return configOf(*session);
  } catch (const InputError&) { // its records can be read all the same
    return std::nullopt;
  }
}

/// How programs of the target are measured, and what the incumbent's session allowed them: a
/// neighbour's time is compared with the incumbent's.
SessionConfig asMeasured(const RecordStore& store, const Beginning& beginning,
                         SessionConfig config) {
  if (const std::optional<SessionConfig> its = settingsOf(store, beginning.incumbent)) {
    config.rules = its->rules;
    config.measure.evaluator = its->measure.evaluator;
    config.measure.flushCache = its->measure.flushCache;
    if (config.measure.device.empty()) config.measure.device = its->measure.device;
  }
  config.tf32 = isTf32(beginning.incumbent); // its neighbours round as it does
  config.target = nameHere(beginning.target);
  config.measure.threads = beginning.target.gpu ? 0 : beginning.target.cores;
  return config;
}

/// Throws InputError where these settings measure on another target than this one.
void requireHere(const TargetFacts& target, const SessionConfig& config,
                 const WorkerLaunch& launch) {
  const TargetFacts here = knownTarget(config.target, config.measure, launch);
  if (kinshipOf(target, here) != TargetKinship::Same)
    throw InputError(fmt::format(
        "the program was measured on another target, {}: a polish compares with its time",
        target.text()));
}

} // namespace

bool isPolishSession(const SessionRow& session) {
  const nlohmann::json config = nlohmann::json::parse(session.config, nullptr, false);
  return config.is_object() && config.contains(kPolishedKey);
}

std::string whyNotPolish(const RecordStore& store, const PolishWish& wish,
                         const WorkerLaunch& launch) {
  try {
    const Beginning beginning = beginningOf(store, wish);
    requireHere(beginning.target, asMeasured(store, beginning, wish.config), launch);
  } catch (const Error& problem) {
    return problem.what();
  }
  return {};
}

RowId createPolishSession(RecordStore& store, const PolishWish& wish, const WorkerLaunch& launch) {
  const Beginning beginning = beginningOf(store, wish);
  const Record& incumbent = beginning.incumbent;
  const TaskRow& task = beginning.task;
  const TargetFacts& target = beginning.target;
  SessionConfig config = asMeasured(store, beginning, wish.config);
  requireHere(target, config, launch);
  config.subjects = {task.name};
  config.trials = config.polish = wish.trials;
  config.trialsPerRound = 4;
  config.policy = "evolutionary"; // which learns the model that orders the neighbours
  config.scheduler = "round-robin";
  config.memory = {kOwnMemory};
  if (config.trials < 1) throw UsageError("a polish needs at least one trial");
  const std::vector<RecordStore> files = openMemory(config.memory, store.path());
  const MemoryTasks known(files);
  std::size_t taught = 0;
  const std::string model = taughtModel(
      config, target, known, {{task.key, known.relatedTo(beginning.dag, target)}}, taught);
  config.memoryModel = !model.empty();
  TuningState state;
  state.tasks[task.id].polish.incumbent = incumbent.id;
  RowId session = 0;
  store.transaction([&] {
    SessionRow row;
    row.title = fmt::format("Polish of record {} of {}", incumbent.id, task.name);
    nlohmann::json kept = toJson(config);
    kept[kPolishedKey] = incumbent.id;
    row.config = kept.dump();
    row.schedulerState = toText(state);
    row.product = versionText();
    row.createdAt = row.updatedAt = nowMicroseconds();
    session = store.sessions().add(row);
    store.sessions().setTasks(session, {task.id});
    store.sessions().setNetworks(session, {{0, task.name, {{task.id, 1}}}});
    if (!model.empty())
      store.models().save(session, config.model, toBytes(KeptPretrained{model, {}}));
  });
  return session;
}

std::optional<RowId> resumablePolish(const RecordStore& store, const PolishWish& wish) {
  std::optional<SessionRow> found;
  for (const SessionRow& row : store.sessions().all()) {
    const nlohmann::json config = configJson(row);
    const auto record = config.find(kPolishedKey);
    if (record == config.end() || !record->is_number_integer()) continue;
    if (wish.record != 0 && record->get<RowId>() != wish.record) continue;
    if (wish.task != 0 && store.sessions().tasks(row.id).front().id != wish.task) continue;
    const auto rank = [](const SessionRow& of) {
      return std::pair(of.status != SessionStatus::Finished, of.id);
    };
    if (!found || rank(row) > rank(*found)) found = row;
  }
  return found ? std::optional(found->id) : std::nullopt;
}

PolishCourse polishCourse(const RecordStore& store, RowId session) {
  const std::optional<SessionRow> row = store.sessions().one(session);
  if (!row || !isPolishSession(*row)) return {};
  PolishCourse course;
  course.first = store.records().one(configJson(*row).at(kPolishedKey).get<RowId>());
  for (const auto& [task, memory] : tuningStateFromText(row->schedulerState).tasks)
    course.last = store.records().one(memory.polish.incumbent);
  return course;
}

std::optional<Record> bestBefore(const RecordStore& store, RowId session) {
  const RowId task = store.sessions().tasks(session).front().id;
  RecordQuery first;
  first.session = session;
  first.forgotten = RecordQuery::Forgotten::With;
  first.order = RecordQuery::Order::Oldest;
  first.limit = 1;
  const std::vector<Record> began = store.records().page(first);
  if (began.empty()) return store.records().best(task);
  RowId best = 0;
  for (const CurvePoint& point : store.trials().bestHistory(task))
    if (point.record < began.front().id) best = point.record;
  return best != 0 ? store.records().one(best) : std::nullopt;
}

void weigh(DecisionImportance& decision) {
  double sum = 0;
  int count = 0;
  decision.bestGain = 0;
  for (const PolishedNeighbour& neighbour : decision.neighbours) {
    decision.bestGain = std::max(decision.bestGain, neighbour.gain);
    if (neighbour.gain <= -1) continue; // it failed
    sum += std::abs(std::log1p(neighbour.gain));
    ++count;
  }
  decision.importance = count > 0 ? std::exp(sum / count) : 1;
}

std::vector<DecisionImportance> decisionImportance(const RecordStore& store, RowId task,
                                                   RowId session) {
  RecordQuery query;
  query.task = task;
  std::map<std::string, double> seconds; // of programs, the shortest
  std::vector<std::pair<Record, Trace>> polished;
  forEachPage(store, query, [&](const std::vector<Record>& page) {
    for (const Record& record : page) {
      const auto [known, isNew] = seconds.try_emplace(record.program, secondsOf(record));
      if (!isNew) known->second = std::min(known->second, secondsOf(record));
      if (session != 0 && record.session != session) continue;
      std::optional<Trace> trace = traceOf(record);
      if (trace && trace->origin == Origin::Polish && trace->parents.size() == 1)
        polished.emplace_back(record, std::move(*trace));
    }
  });
  std::map<std::string, DecisionImportance> decisions;
  for (const auto& [record, trace] : polished) {
    const auto parent = seconds.find(trace.parents.front());
    if (parent == seconds.end() || !std::isfinite(parent->second)) continue;
    DecisionImportance& of = decisions[trace.decision];
    of.decision = trace.decision;
    of.neighbours.push_back({record.id, trace.reason, parent->second / secondsOf(record) - 1,
                             record.program, parent->first});
  }
  std::vector<DecisionImportance> list;
  for (auto& [decision, of] : decisions) {
    weigh(of);
    list.push_back(std::move(of));
  }
  std::ranges::stable_sort(list, std::ranges::greater(), rankOfDecision);
  return list;
}

nlohmann::json toJson(const DecisionImportance& importance) {
  nlohmann::json neighbours = nlohmann::json::array();
  for (const PolishedNeighbour& neighbour : importance.neighbours)
    neighbours.push_back(
        {{"record", neighbour.record}, {"change", neighbour.change}, {"gain", neighbour.gain}});
  return {{"decision", importance.decision},
          {"importance", importance.importance},
          {"best_gain", importance.bestGain},
          {"neighbours", std::move(neighbours)}};
}

} // namespace nestwright
